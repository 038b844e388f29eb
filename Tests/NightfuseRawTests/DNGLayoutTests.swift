import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: how samples lie in the file")
struct DNGLayoutTests {
    static let width = 37
    static let height = 21

    static func picture(_ bits: Int, perPixel: Int = 1, seed: UInt64 = 1) -> [Int] {
        var random = SeededRandom(seed: seed)
        return (0..<width * height * perPixel).map { _ in Int(random.next() & ((1 << UInt64(bits)) - 1)) }
    }

    @Test("One strip of any depth, either byte order", arguments: 8...16, [false, true])
    func strip(bits: Int, bigEndian: Bool) throws {
        let samples = Self.picture(bits)
        var file = RawSample(width: Self.width, height: Self.height, bits: bits)
        file.bigEndian = bigEndian
        file.cells = [Packing.pack(samples, bits: bits, rowSamples: Self.width, bigEndian: bigEndian)]
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.samples == samples)
        #expect(frame.white == [Double((1 << bits) - 1)])
        #expect(frame.bits == bits)
        #expect(frame.layout == .mosaic([0, 1, 1, 2]))
    }

    @Test("Strips with a short last one", arguments: [10, 12, 16], [1, 2, 5, 20])
    func strips(bits: Int, rows: Int) throws {
        let samples = Self.picture(bits)
        var file = RawSample(width: Self.width, height: Self.height, bits: bits)
        file.raw[278] = .long([rows])
        file.cells = stride(from: 0, to: Self.height, by: rows).map { y in
            let part = Array(samples[y * Self.width..<min(y + rows, Self.height) * Self.width])
            return Packing.pack(part, bits: bits, rowSamples: Self.width, bigEndian: false)
        }
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == samples)
    }

    static func tiled(_ bits: Int, bigEndian: Bool, _ samples: [Int], perPixel: Int, tile: Int) -> RawSample {
        var file = RawSample(
            width: width, height: height, bits: bits, photometric: perPixel == 1 ? 32803 : 34892, samples: perPixel)
        file.bigEndian = bigEndian
        file.isTiled = true
        file.raw[322] = .short([tile])
        file.raw[323] = .short([tile])
        for y in stride(from: 0, to: height, by: tile) {
            for x in stride(from: 0, to: width, by: tile) {
                let cell = Packing.cell(
                    samples, width: width, height: height, perPixel: perPixel, x: x, y: y, cellWidth: tile,
                    cellHeight: tile)
                file.cells.append(
                    Packing.pack(cell, bits: bits, rowSamples: tile * perPixel, bigEndian: bigEndian))
            }
        }
        return file
    }

    @Test("Tiles, the last ones partly outside", arguments: [8, 10, 12, 14, 16], [false, true])
    func tiles(bits: Int, bigEndian: Bool) throws {
        let samples = Self.picture(bits)
        let file = Self.tiled(bits, bigEndian: bigEndian, samples, perPixel: 1, tile: 16)
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == samples)
    }

    @Test("Linear data of three samples a pixel, in tiles", arguments: [8, 12, 16])
    func linear(bits: Int) throws {
        let samples = Self.picture(bits, perPixel: 3)
        let file = Self.tiled(bits, bigEndian: true, samples, perPixel: 3, tile: 16)
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.layout == .linear)
        #expect(frame.samples == samples)
        #expect(frame.white.count == 3)
    }

    @Test("Linear data plane by plane")
    func planar() throws {
        let samples = Self.picture(14, perPixel: 3)
        var file = RawSample(width: Self.width, height: Self.height, bits: 14, photometric: 34892, samples: 3)
        file.raw[284] = .short([2])
        file.cells = (0..<3).map { c in
            let plane = stride(from: c, to: samples.count, by: 3).map { samples[$0] }
            return Packing.pack(plane, bits: 14, rowSamples: Self.width, bigEndian: false)
        }
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == samples)
    }

    @Test("Only the active area, whatever the layout", arguments: [(10, 16), (16, 16), (12, 64), (16, 64)], [1, 3])
    func activeArea(bitsAndTile: (Int, Int), perPixel: Int) throws {
        let (bits, tile) = bitsAndTile
        let samples = Self.picture(bits, perPixel: perPixel)
        var file = Self.tiled(bits, bigEndian: false, samples, perPixel: perPixel, tile: tile)
        file.raw[50829] = .long([3, 5, 20, 34])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        var expected: [Int] = []
        for y in 3..<20 { expected += samples[(y * Self.width + 5) * perPixel..<(y * Self.width + 34) * perPixel] }
        #expect(frame.width == 29)
        #expect(frame.samples == expected)
    }

    @Test("The raster is the whole of what is stored, in any layout and byte order", arguments: [16, 64], [1, 3])
    func raster(tile: Int, perPixel: Int) throws {
        let samples = Self.picture(12, perPixel: perPixel)
        var file = Self.tiled(12, bigEndian: true, samples, perPixel: perPixel, tile: tile)
        file.raw[50829] = .long([3, 5, 20, 34])
        file.raw[50712] = .short((0..<4096).map { 4095 - $0 })
        let raster = try DNGRaster(file.build(), name: "a.dng")
        #expect(raster.width == Self.width && raster.width * raster.height * perPixel == samples.count)
        #expect(raster.samplesPerPixel == perPixel)
        #expect(raster.crc32 == Self.crc32(samples))
    }

    /// The check's defining sum, bit by bit (ITU-T V.42, 8.1.1.6.2).
    static func crc32(_ samples: [Int]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for sample in samples {
            crc ^= UInt32(sample)
            for _ in 0..<16 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    @Test("The check of 0, 3, ... 189 is what zlib gives")
    func knownCheck() throws {
        let file = RawSample(mosaic: (0..<64).map { $0 * 3 }, width: 8)
        #expect(try DNGRaster(file.build(), name: "a.dng").crc32 == 0x9AF3DF54)
    }

    @Test("Tags in falling order, raw data in a sub-directory below a preview")
    func subDirectory() throws {
        let samples = Self.picture(16)
        var file = RawSample(mosaic: samples, width: Self.width)
        file.inSubDirectory = true
        file.isReversed = true
        file.main.merge([
            254: .long([1]), 256: .long([2]), 257: .long([2]), 258: .short([8, 8, 8]), 262: .short([2]),
            277: .short([3]),
        ]) { $1 }
        #expect(try DNGReader.read(file.build(), name: "a.dng").samples == samples)
    }

    @Test("The same samples for any number of threads")
    func threads() throws {
        let samples = Self.picture(12)
        let file = Self.tiled(12, bigEndian: false, samples, perPixel: 1, tile: 16).build()
        let three = try DNGReader.read(file, name: "a.dng", workers: Workers(threads: 3))
        #expect(three.samples == samples)
    }

    @Test("Every Bayer order", arguments: [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]])
    func mosaics(pattern: [Int]) throws {
        var file = RawSample(mosaic: Self.picture(16), width: Self.width)
        file.raw[33422] = .byte(pattern)
        #expect(try DNGReader.read(file.build(), name: "a.dng").layout == .mosaic(pattern.map { UInt8($0) }))
    }

    @Test("One pixel is a picture")
    func onePixel() throws {
        #expect(try DNGReader.read(RawSample(mosaic: [777], width: 1).build(), name: "a.dng").samples == [777])
    }
}
