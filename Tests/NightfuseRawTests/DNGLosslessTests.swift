import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: lossless JPEG in strips and tiles")
struct DNGLosslessTests {
    static let width = 45
    static let height = 37

    /// How a tile becomes a JPEG.
    enum Shape: CaseIterable {
        /// As it is.
        case plain
        /// Two components of half the width, as most cameras write a mosaic.
        case twoComponents
        /// Two rows as one, so that a row holds both rows of a cell.
        case doubledRows
        /// Only what lies in the picture.
        case cut
    }

    static func picture(_ perPixel: Int) -> [Int] {
        let frame = LosslessJPEG.Frame(precision: 12, width: width, height: height, components: perPixel)
        return LosslessJPEGTests.picture(frame).map { Int($0) }
    }

    static func file(_ shape: Shape, _ samples: [Int], perPixel: Int, tile: Int = 16) throws -> RawSample {
        var file = RawSample(
            width: width, height: height, bits: 16, photometric: perPixel == 1 ? 32803 : 34892, samples: perPixel)
        file.raw[259] = .short([7])
        file.raw[322] = .short([tile])
        file.raw[323] = .short([tile])
        file.isTiled = true
        for y in stride(from: 0, to: height, by: tile) {
            for x in stride(from: 0, to: width, by: tile) {
                let w = shape == .cut ? min(tile, width - x) : tile
                let h = shape == .cut ? min(tile, height - y) : tile
                let cell = Packing.cell(
                    samples, width: width, height: height, perPixel: perPixel, x: x, y: y, cellWidth: w, cellHeight: h)
                var frame = LosslessJPEG.Frame(precision: 12, width: w, height: h, components: perPixel)
                switch shape {
                case .twoComponents: (frame.width, frame.components) = (w / 2, perPixel * 2)
                case .doubledRows: (frame.width, frame.height) = (w * 2, h / 2)
                case .plain, .cut: break
                }
                file.cells.append(try LosslessJPEGTests.encode(cell.map { UInt16($0) }, frame))
            }
        }
        return file
    }

    @Test("Mosaic tiles in every shape that is written", arguments: Shape.allCases, [1, 3])
    func mosaic(shape: Shape, threads: Int) throws {
        let samples = Self.picture(1)
        let file = try Self.file(shape, samples, perPixel: 1).build()
        let frame = try DNGReader.read(file, name: "a.dng", workers: Workers(threads: threads))
        #expect(frame.samples == samples)
        #expect(frame.compression == "lossless JPEG")
        #expect(frame.bits == 12)
    }

    @Test("Linear tiles", arguments: [Shape.plain, .doubledRows, .cut])
    func linear(shape: Shape) throws {
        let samples = Self.picture(3)
        let file = try Self.file(shape, samples, perPixel: 3).build()
        #expect(try DNGReader.read(file, name: "a.dng").samples == samples)
    }

    @Test("Only the active area of tiles", arguments: Shape.allCases)
    func activeArea(shape: Shape) throws {
        let samples = Self.picture(1)
        var file = try Self.file(shape, samples, perPixel: 1)
        file.raw[50829] = .long([7, 17, 33, 41])
        let expected = (7..<33).flatMap { y in samples[y * Self.width + 17..<y * Self.width + 41] }
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == expected)
    }

    @Test("Strips of compressed rows, the last one short")
    func strips() throws {
        let samples = Self.picture(1)
        var file = RawSample(width: Self.width, height: Self.height, bits: 12)
        file.raw[259] = .short([7])
        file.raw[278] = .long([10])
        for y in stride(from: 0, to: Self.height, by: 10) {
            let rows = min(10, Self.height - y)
            let part = samples[y * Self.width..<(y + rows) * Self.width].map { UInt16($0) }
            let frame = LosslessJPEG.Frame(precision: 12, width: Self.width, height: rows, components: 1)
            file.cells.append(try LosslessJPEGTests.encode(part, frame, predictor: 6))
        }
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == samples)
    }

    @Test("A JPEG that does not fill its tile is refused, and the message says which")
    func wrongSize() throws {
        var file = try Self.file(.plain, Self.picture(1), perPixel: 1)
        let small = LosslessJPEG.Frame(precision: 12, width: 15, height: 16, components: 1)
        file.cells[4] = try LosslessJPEGTests.encode(LosslessJPEGTests.picture(small), small)
        let error = #expect(throws: NightfuseError.self) { try DNGReader.read(file.build(), name: "a.dng") }
        #expect(error?.description.contains("cell 4") == true)
        #expect(error?.description.contains("15 x 16 x 1") == true)
    }

    @Test("Before DNG 1.1 the difference 32768 has 16 more bits")
    func oldDifference() throws {
        // One code, 1 bit, for 16: 2 pixels of 16 bits. 32768 + (-32768) = 0, then 0 + 32768.
        let head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC4, 0, 20, 0, 1] + [UInt8](repeating: 0, count: 15) + [16]
        let frame: [UInt8] = [0xFF, 0xC3, 0, 11, 16, 0, 1, 0, 2, 1, 0, 0x11, 0, 0xFF, 0xDA, 0, 8, 1, 0, 0, 1, 0, 0]
        var file = RawSample(width: 2, height: 1)
        file.raw[259] = .short([7])
        // 0 then 0111111111111111 (-32768); 0 then 1000000000000000 (32768).
        file.cells = [head + frame + [0b0011_1111, 0xFF, 0, 0b1010_0000, 0, 0, 0xFF, 0xD9]]
        file.main[50706] = .byte([1, 0, 0, 0])
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == [0, 32768])
        file.cells = [head + frame + [0b0011_1111, 0xFF, 0xD9]]
        file.main[50706] = .byte([1, 1, 0, 0])
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == [0, 32768])
    }
}
