import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: what is refused, and hostile files")
struct RefusalTests {
    static var file: RawSample { RawSample(mosaic: (0..<64).map { $0 * 3 }, width: 8) }

    static func refusal(_ bytes: [UInt8], _ limits: Limits = Limits()) -> NightfuseError? {
        #expect(throws: NightfuseError.self) { try DNGReader.read(bytes, name: "a.dng", limits: limits) }
    }

    static func refusal(_ limits: Limits = Limits(), _ change: (inout RawSample) -> Void) -> NightfuseError? {
        var file = file
        change(&file)
        return refusal(file.build(), limits)
    }

    static func isUnsupported(_ error: NightfuseError?, _ words: String...) -> Bool {
        guard case .unsupported("a.dng", let reason)? = error else { return false }
        return words.allSatisfy { reason.contains($0) }
    }

    @Test(
        "Kinds that are not read are named, with what to do",
        arguments: [
            (259, TagValue.short([34892]), "lossy JPEG"), (259, .short([52546]), "JPEG XL"),
            (259, .short([8]), "Deflate"), (259, .short([34713]), "Nikon"), (259, .short([4711]), "method 4711"),
            (258, .short([32]), "32 bits"), (258, .short([4]), "4 bits"), (339, .short([3]), "sample format 3"),
            (277, .short([2]), "2 samples"), (33421, .short([6, 6]), "6 x 6"), (33422, .byte([0, 1, 2, 3]), "mosaic"),
            (33422, .byte([0, 0, 1, 2]), "mosaic"), (50711, .short([2]), "mosaic"), (50975, .short([2]), "Interleave"),
            (317, .short([2]), "predictor"),
        ] as [(Int, TagValue, String)])
    func unsupported(tag: Int, value: TagValue, word: String) {
        #expect(Self.isUnsupported(Self.refusal { $0.raw[tag] = value }, word))
    }

    @Test("Lossy JPEG under the number of lossless JPEG is told apart by its content")
    func lossyInside() {
        let error = Self.refusal {
            $0.raw[259] = .short([7])
            $0.cells = [
                [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 8, 0, 8, 1, 0, 0x11, 0] + [UInt8](repeating: 0, count: 64)
            ]
        }
        #expect(Self.isUnsupported(error, "lossy JPEG"))
    }

    @Test("BigTIFF, plain TIFF and makers' raws are named")
    func otherFiles() {
        #expect(Self.isUnsupported(Self.refusal([0x49, 0x49, 43, 0, 8, 0, 0, 0, 0, 0, 0, 0]), "BigTIFF"))
        let tiff = Self.refusal {
            $0.main = [:]
            $0.raw[262] = .short([1])
            $0.raw[33422] = nil
        }
        #expect(Self.isUnsupported(tiff, "TIFF"))
        let nef = Self.refusal { $0.main = [271: .text("NIKON CORPORATION")] }
        #expect(Self.isUnsupported(nef, "NIKON", "DNG"))
        #expect(Self.isUnsupported(Self.refusal([0x49, 0x49, 42, 0, 16, 0, 0, 0, 0x43, 0x52, 2, 0]), "Canon CR2"))
        #expect(Self.isUnsupported(Self.refusal(Array("FUJIFILMCCD-RAW 0201FF".utf8)), "Fujifilm RAF"))
        #expect(Self.refusal([])?.description.hasPrefix("a.dng: ") == true)
    }

    @Test("Directories that form a cycle")
    func cycles() {
        var file = Self.file
        file.main[330] = .long([8])
        var bytes = file.build()
        let first = Int(bytes[4]) | Int(bytes[5]) << 8
        let at = bytes.indices.first { bytes[$0...].starts(with: [74, 1, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0]) }
        guard let at else {
            Issue.record("no sub-directory entry")
            return
        }
        bytes.replaceSubrange(at + 8..<at + 10, with: [UInt8(first & 255), UInt8(first >> 8)])
        #expect(Self.refusal(bytes)?.description.contains("cycle") == true)
        // As the next directory of itself.
        var next = Self.file.build()
        next.replaceSubrange(next.count - 4..<next.count - 2, with: [next[4], next[5]])
        #expect(Self.refusal(next)?.description.contains("cycle") == true)
    }

    @Test("More directories than allowed")
    func manyDirectories() {
        var limits = Limits()
        limits.directories = 1
        let error = Self.refusal(limits) { $0.inSubDirectory = true }
        guard case .limit? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test(
        "Numbers that lie are refused with the place",
        arguments: [
            (256, TagValue.long([0xFFFF_FFFF])), (257, .long([9])), (256, .long([0])), (278, .long([0])),
            (278, .long([4])), (273, .long([5000])), (273, .long([0xFFFF_FFFF])), (279, .long([127])),
            (279, .long([0xFFFF_FFFF])), (258, .short([8, 16])), (256, .srational([1, 1])),
            (50829, .long([0, 0, 9, 8])),
            (50829, .long([4, 4, 4, 8])), (50829, .short([1])), (277, .short([])), (322, .long([16])),
        ] as [(Int, TagValue)])
    func lies(tag: Int, value: TagValue) throws {
        var file = Self.file
        file.raw[tag] = value
        if tag == 322 {
            file.isTiled = true
            file.raw[323] = .long([0])
        }
        var bytes = file.build()
        // What the builder itself states is changed in the bytes.
        if tag == 273 || tag == 279, case .long(let values) = value {
            let entry: [UInt8] = [UInt8(tag & 255), UInt8(tag >> 8), 4, 0, 1, 0, 0, 0]
            let at = try #require(bytes.indices.first { bytes[$0...].starts(with: entry) })
            bytes.replaceSubrange(at + 8..<at + 12, with: TagValue.long(values).bytes(false))
        }
        #expect(Self.refusal(bytes)?.description.hasPrefix("a.dng: ") == true)
    }

    @Test("A count of values that overflows")
    func hugeCount() throws {
        var bytes = Self.file.build()
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: [2, 1, 3, 0]) })
        bytes.replaceSubrange(at + 4..<at + 8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Self.refusal(bytes)?.description.contains("outside the file") == true)
    }

    @Test("Memory is bounded by the limits before it is asked for")
    func limits() {
        var limits = Limits()
        limits.pixels = 63
        let size = Self.refusal(limits) { _ in }
        #expect(size?.description.contains("8 x 8") == true)
        limits = Limits()
        limits.memoryBytes = 100
        let memory = Self.refusal(limits) { _ in }
        #expect(memory?.description.contains("--max-memory") == true)
        #expect(
            Self.refusal {
                $0.isTiled = true
                $0.raw[322] = .long([1 << 20])
                $0.raw[323] = .long([1 << 20])
            }?.description.contains("tile") == true)
    }

    @Test("Strips that share their bytes")
    func overlap() throws {
        var file = Self.file
        file.raw[278] = .long([1])
        let row = file.cells[0].prefix(16)
        file.cells = [[UInt8]](repeating: Array(row), count: 8)
        var bytes = file.build()
        #expect(throws: Never.self) { try DNGReader.read(bytes, name: "a.dng") }
        // Every strip claims most of the file.
        let counts = TagValue.long([Int](repeating: 16, count: 8)).bytes(false)
        let at = try #require(bytes.indices.first { bytes[$0...].starts(with: counts) })
        bytes.replaceSubrange(
            at..<at + counts.count, with: TagValue.long([Int](repeating: 100, count: 8)).bytes(false))
        #expect(Self.refusal(bytes)?.description.contains("overlap") == true)
    }

    /// Small files of every kind that is read.
    static func small() throws -> [[UInt8]] {
        var rich = file
        rich.bigEndian = true
        rich.inSubDirectory = true
        rich.raw[50713] = .short([2, 2])
        rich.raw[50714] = .rational([1, 1, 2, 1, 3, 1, 4, 1])
        rich.raw[50712] = .short((0..<256).map { $0 * 16 })
        rich.raw[50715] = .srational([Int](repeating: 1, count: 16))
        rich.raw[50829] = .short([0, 0, 8, 8])
        rich.raw[50717] = .short([4080])
        rich.raw[51041] = .double([0.001, 0.0001])
        rich.raw[51008] = OpcodeTests.list([(5, true, OpcodeTests.u32(0, 1, 0) + OpcodeTests.u32(2, 3))])
        rich.raw[51009] = OpcodeTests.list(
            [(9, false, OpcodeTests.gainMap([0, 0, 8, 8], gains: [1, 2], rows: 2, columns: 1))])
        rich.main[50721] = ColourTagTests.thousandths(ColourTagTests.matrix)
        rich.main[50729] = .rational([1, 3, 1, 3])
        rich.exif = [33434: .rational([1, 15]), 34855: .short([800]), 36867: .text("2024:02:29 23:59:58")]
        rich.gps = [1: .text("N")]
        var packed = RawSample(width: 6, height: 4, bits: 14, photometric: 34892, samples: 3)
        packed.cells = [[UInt8](repeating: 0xA5, count: 4 * 32)]
        return [
            file.build(), rich.build(), packed.build(),
            try DNGLosslessTests.file(.twoComponents, DNGLosslessTests.picture(1), perPixel: 1, tile: 32).build(),
        ]
    }

    @Test("Every cut of a file is an error or a frame")
    func cuts() throws {
        for bytes in try Self.small() {
            for length in 0..<bytes.count {
                do {
                    _ = try DNGReader.read(Array(bytes.prefix(length)), name: "a.dng")
                } catch {
                    #expect(!error.description.contains("\n"))
                }
            }
        }
    }

    @Test("Changed bytes give an error or a frame")
    func changes() throws {
        var random = SeededRandom(seed: 7)
        for bytes in try Self.small() {
            for at in bytes.indices {
                for value in [0, 1, 0x7F, 0xFF, UInt8(truncatingIfNeeded: random.next())] {
                    var changed = bytes
                    changed[at] = value
                    do {
                        let frame = try DNGReader.read(changed, name: "a.dng")
                        #expect(frame.crop.width > 0 && frame.crop.x + frame.crop.width <= frame.width)
                    } catch {
                        #expect(!error.description.contains("\n"))
                    }
                }
            }
        }
    }
}
