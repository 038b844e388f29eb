import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: writing")
struct DNGWriterTests {
    /// A frame as read from a file that has all that is carried over.
    static func frame(bigEndian: Bool = false, inSubDirectory: Bool = false, perPixel: Int = 1) throws -> RawFrame {
        let (width, height) = (301, 270)
        var random = SeededRandom(seed: 5)
        let samples = (0..<width * height * perPixel).map { 3000 + $0 / 9 + Int(random.next() & 0x3FF) }
        var file = RawSample(
            width: width, height: height, photometric: perPixel == 1 ? 32803 : 34892, samples: perPixel)
        file.bigEndian = bigEndian
        file.inSubDirectory = inSubDirectory
        file.cells = [Packing.pack(samples, bits: 16, rowSamples: width * perPixel, bigEndian: bigEndian)]
        file.raw[50829] = .short([2, 4, 270, 299])
        file.raw[50719] = .rational([3, 1, 5, 1])
        file.raw[50720] = .rational([280, 1, 250, 1])
        if perPixel == 1 {
            file.raw[33422] = .byte([1, 2, 0, 1])
            file.raw[50713] = .short([2, 2])
            file.raw[50714] = .rational([512, 1, 1025, 2, 513, 1, 512, 1])
            file.raw[51008] = OpcodeTests.list([(5, true, OpcodeTests.u32(0, 1, 0) + OpcodeTests.u32(20, 30))])
        }
        file.raw[50717] = .long([Int](repeating: 60000, count: perPixel))
        file.raw[51041] = .double([0.001, 0.0004, 0.002, 0.0001, 0.003, 0.0009])
        file.raw[51009] = OpcodeTests.list(
            [(9, false, OpcodeTests.gainMap([0, 0, 268, 295], gains: [1, 2], rows: 2, columns: 1)), (1, true, [9])])
        file.main.merge([
            271: .text("Maker"), 272: .text("Model"), 274: .short([8]), 306: .text("2024:02:29 23:59:59"),
            700: .byte("<x:xmpmeta>exif:GPSLatitude</x:xmpmeta>".utf8.map { Int($0) }), 33432: .text("(c) me"),
            50708: .text("Maker Model X"), 50721: ColourTagTests.thousandths(ColourTagTests.matrix),
            50723: .srational([9, 10, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 11, 10]), 50778: .short([21]),
            50728: .rational([1, 2, 1, 1, 3, 5]), 50730: .srational([1, 3]), 50936: .text("Profile"),
            50781: .byte([Int](repeating: 7, count: 16)), 51111: .byte([Int](repeating: 9, count: 16)),
        ]) { $1 }
        file.exif = [
            33434: .rational([1, 15]), 34855: .short([800]), 36864: .undefined(Array("0230".utf8)),
            36867: .text("2024:02:29 23:59:58"), 37521: .text("25"), 37500: .undefined([1, 2, 3, 4, 5]),
        ]
        file.gps = [0: .byte([2, 3, 0, 0]), 1: .text("N")]
        return try DNGReader.read(file.build(), name: "in.dng")
    }

    static func expectSame(_ a: RawFrame, _ b: RawFrame) {
        #expect(a.samples == b.samples)
        #expect(a.layout == b.layout)
        #expect(a.black == b.black)
        #expect(a.white == b.white)
        #expect(a.neutral == b.neutral)
        #expect(a.calibrations == b.calibrations)
        #expect(a.baselineExposure == b.baselineExposure)
        #expect(a.noise == b.noise)
        #expect(a.gainMaps == b.gainMaps)
        #expect(a.badPixels.map { [$0.x, $0.y] } == b.badPixels.map { [$0.x, $0.y] })
        #expect(a.crop == b.crop)
        #expect(a.info == b.info)
    }

    static let preview: [UInt8] =
        [0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0, 30, 0, 40, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1] + [0xFF, 0xD9]

    enum Case: CaseIterable {
        case strips, tiles, stripsWithPreview, tilesWithPreview

        var writer: DNGWriter {
            var writer = DNGWriter()
            writer.compression = self == .strips || self == .stripsWithPreview ? .none : .lossless
            if self == .stripsWithPreview || self == .tilesWithPreview {
                writer.preview = DNGWriter.Preview(jpeg: DNGWriterTests.preview)
            }
            return writer
        }
    }

    @Test("What is written is read back the same", arguments: Case.allCases, [false, true])
    func roundTrip(how: Case, bigEndian: Bool) throws {
        for inSubDirectory in [false, true] {
            let frame = try Self.frame(bigEndian: bigEndian, inSubDirectory: inSubDirectory)
            let again = try DNGReader.read(try how.writer.bytes(frame), name: "out.dng")
            Self.expectSame(frame, again)
            #expect(again.carried.bigEndian == bigEndian)
            // Writing what was read changes nothing more.
            let twice = try DNGReader.read(try how.writer.bytes(again), name: "out.dng")
            #expect(twice.carried == again.carried)
        }
    }

    @Test("Linear frames", arguments: Case.allCases)
    func linear(how: Case) throws {
        let frame = try Self.frame(perPixel: 3)
        Self.expectSame(frame, try DNGReader.read(try how.writer.bytes(frame), name: "out.dng"))
    }

    @Test("Small and odd sizes", arguments: [(1, 1), (1, 5), (17, 1), (255, 3), (257, 258)])
    func sizes(width: Int, height: Int) throws {
        let samples = (0..<width * height).map { $0 * 7 % 65536 }
        let frame = try DNGReader.read(RawSample(mosaic: samples, width: width).build(), name: "in.dng")
        for how in Case.allCases {
            #expect(try DNGReader.read(try how.writer.bytes(frame), name: "out.dng").samples == samples)
        }
    }

    @Test("The same bytes for any number of threads")
    func threads() throws {
        let frame = try Self.frame()
        let one = try DNGWriter().bytes(frame)
        #expect(try DNGWriter().bytes(frame, workers: Workers(threads: 3)) == one)
    }

    /// LibRaw reads a mosaic's tile of two components wrongly where two of them are as wide as the picture.
    @Test("No two tiles side by side are a mosaic's whole width", arguments: [256, 384, 512, 400])
    func tilesAcross(width: Int) throws {
        var file = RawSample(width: width, height: 64, photometric: 32803, samples: 1)
        file.cells = [
            Packing.pack((0..<width * 64).map { $0 % 4000 }, bits: 16, rowSamples: width, bigEndian: false)
        ]
        let bytes = try Case.tiles.writer.bytes(try DNGReader.read(file.build(), name: "in.dng"))
        // TileWidth, one LONG, little-endian.
        let tag: [UInt8] = [0x42, 0x01, 4, 0, 1, 0, 0, 0]
        let at = try #require((0..<bytes.count - 12).first { Array(bytes[$0..<$0 + 8]) == tag })
        let tileWidth = Int(bytes[at + 8]) + Int(bytes[at + 9]) << 8
        #expect(2 * tileWidth != width)
        #expect(tileWidth % 16 == 0 && tileWidth > 0)
    }

    @Test("Noisy tiles are smaller than strips")
    func compressed() throws {
        let frame = try Self.frame()
        let (tiles, strips) = (try Case.tiles.writer.bytes(frame), try Case.strips.writer.bytes(frame))
        #expect(tiles.count < strips.count * 4 / 5)
    }

    @Test("Tags are carried, but for digests and maker notes that no longer fit")
    func carried() throws {
        let frame = try Self.frame()
        let again = try DNGReader.read(try DNGWriter().bytes(frame), name: "out.dng").carried
        let main = again.main.map(\.tag)
        #expect([700, 33432, 50708, 50721, 50723, 50728, 50936, 51009].allSatisfy { main.contains($0) })
        #expect(!main.contains(50781) && !main.contains(51111) && !main.contains(305))
        #expect(again.exif.map(\.tag) == [33434, 34855, 36864, 36867, 37521])
        #expect(again.gps.map(\.tag) == [0, 1])
        #expect(again.main.first { $0.tag == 51009 }?.bytes == frame.carried.main.first { $0.tag == 51009 }?.bytes)
    }

    @Test("EXIF tags of the first directory move to their own")
    func captureTagsMove() throws {
        var file = RawSample(mosaic: [1, 2, 3, 4], width: 2)
        file.main.merge([33434: .rational([1, 8]), 34855: .short([400]), 37393: .long([7])]) { $1 }
        let frame = try DNGReader.read(file.build(), name: "in.dng")
        let again = try DNGReader.read(try DNGWriter().bytes(frame), name: "out.dng")
        #expect(again.carried.exif.map(\.tag) == [33434, 34855, 36864])
        #expect(again.carried.main.contains { $0.tag == 37393 })
        Self.expectSame(frame, again)
    }

    @Test("A second matrix without a first is carried as it is; its balance is not applied twice")
    func secondMatrixOnly() throws {
        var file = RawSample(mosaic: [1, 2, 3, 4], width: 2)
        file.main.merge([
            50722: ColourTagTests.thousandths(ColourTagTests.matrix), 50727: .rational([2, 1, 1, 1, 1, 1]),
            50723: .text("not a matrix"),
        ]) { $1 }
        let frame = try DNGReader.read(file.build(), name: "in.dng")
        #expect(frame.calibrations.count == 1)
        Self.expectSame(frame, try DNGReader.read(try DNGWriter().bytes(frame), name: "out.dng"))
    }

    @Test("Location can be taken out, XMP that names it included")
    func location() throws {
        var carried = try Self.frame().carried
        carried.removeLocation()
        #expect(carried.gps.isEmpty)
        #expect(!carried.main.contains { $0.tag == 700 })
        #expect(carried.main.contains { $0.tag == 50721 })
    }

    @Test("Composite tags, software, versions and the preview's directory")
    func describing() throws {
        let frame = try Self.frame(bigEndian: true)
        var writer = Case.tilesWithPreview.writer
        writer.composite = DNGWriter.Composite(sourceCount: 8, usedCount: 7, exposureTimes: [1, 2, 3, 4, 5, 6, 7, 8])
        let again = try DNGReader.read(try writer.bytes(frame), name: "out.dng").carried
        func bytes(_ tag: UInt16) -> [UInt8]? { again.exif.first { $0.tag == tag }?.bytes }
        #expect(bytes(0xA460) == [0, 3])
        #expect(bytes(0xA461) == [0, 8, 0, 7])
        #expect(bytes(0xA462) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(bytes(36864) == Array("0232".utf8))
        let file = try writer.bytes(frame)
        #expect(file.indices.contains { file[$0...].starts(with: Array("Nightfuse\0".utf8)) })
        // DNGBackwardVersion 1.3, for the opcodes.
        let backward: [UInt8] = [0xC6, 0x13, 0, 1, 0, 0, 0, 4, 1, 3, 0, 0]
        #expect(file.indices.contains { file[$0...].starts(with: backward) })
        // The preview stands whole in the file, and its directory has its size: 40 x 30.
        #expect(file.indices.contains { file[$0...].starts(with: Self.preview) })
        #expect(file.indices.contains { file[$0...].starts(with: [1, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 40]) })
    }

    @Test("A frame that carries no tags is described by its fields")
    func withoutTags() throws {
        let plane = try Plane<UInt16>(width: 20, height: 10)
        for y in 0..<10 { for x in 0..<20 { plane[x, y] = UInt16(100 * y + x) } }
        var info = CaptureInfo()
        (info.exposureSeconds, info.iso, info.orientation) = (1.0 / 30, 1600, 3)
        (info.date, info.timeSeconds, info.lens) = ("2024:02:29 23:59:58.125", 1_709_251_198.125, "Lens")
        (info.make, info.model) = ("Maker", "Model")
        var map = RawFrame.GainMap()
        (map.bottom, map.right, map.gains, map.rows) = (10, 20, [1, 2], 2)
        let frame = RawFrame(
            planes: [plane], layout: .mosaic([2, 1, 1, 0]), black: [64], blackRows: 1, blackColumns: 1, white: [1023],
            neutral: [0.5, 1, 0.625],
            calibrations: [
                .init(
                    illuminant: 21, colourMatrix: Matrix3([1, -0.25, 0, -0.5, 1.5, 0.125, 0, 0.25, 0.75]),
                    forwardMatrix: Matrix3([0.5, 0.25, 0.2142, 0.25, 0.5, 0.25, 0, 0.125, 0.6999]))
            ], baselineExposure: -0.5, noise: [NoiseModel(shot: 0.001, read: 0.0625)], gainMaps: [map],
            badPixels: [(3, 4), (5, 6)], crop: (1, 1, 18, 8), info: info, name: "camera", bits: 10, compression: "none",
            notes: [])
        for how in Case.allCases {
            Self.expectSame(frame, try DNGReader.read(try how.writer.bytes(frame), name: "out.dng"))
        }
    }

    @Test("A preview that is no JPEG is refused", arguments: [[], [0xFF, 0xD8], [1, 2, 3, 4, 5, 6, 7, 8]])
    func badPreview(jpeg: [UInt8]) throws {
        let frame = try Self.frame()
        var writer = DNGWriter()
        writer.preview = DNGWriter.Preview(jpeg: jpeg)
        #expect(throws: NightfuseError.self) { try writer.bytes(frame) }
    }

    @Test("What the sink throws comes out")
    func sinkFails() throws {
        let frame = try Self.frame()
        let error = #expect(throws: NightfuseError.self) {
            try DNGWriter().write(frame) { (_) throws(NightfuseError) in throw .system("out.dng", "disk full") }
        }
        #expect(error == .system("out.dng", "disk full"))
    }
}
