import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: colour, crop, capture")
struct ColourTagTests {
    static let matrix = [7000, -2000, -500, -4000, 12000, 2000, -500, 1500, 6000]

    static func thousandths(_ values: [Int]) -> TagValue { .srational(values.flatMap { [$0, 10000] }) }

    static func near(_ a: [Double], _ b: [Double], _ tolerance: Double = 1e-9) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) < tolerance }
    }

    static var file: RawSample {
        var file = RawSample(mosaic: [Int](repeating: 100, count: 64), width: 8)
        file.main[50721] = thousandths(matrix)
        file.main[50728] = .rational([1, 2, 1, 1, 3, 5])
        return file
    }

    @Test("The colour matrix bears AnalogBalance and CameraCalibration")
    func calibration() throws {
        var file = Self.file
        file.main[50727] = .rational([2, 1, 1, 1, 1, 2])
        file.main[50723] = .srational([9, 10, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 11, 10])
        file.main[50778] = .short([17])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        let calibration = try #require(frame.calibrations.first)
        let own = Matrix3([1.8, 0, 0, 0, 1, 0, 0, 0, 0.55])
        let expected = own * Matrix3(Self.matrix.map { Double($0) / 10000 })
        #expect(Self.near(calibration.colourMatrix.m, expected.m))
        #expect(calibration.illuminant == 17)
        #expect(calibration.kelvin == 2856)
        #expect(frame.neutral == [0.5, 1, 0.6])
    }

    @Test("A calibration for another profile is not applied")
    func signature() throws {
        var file = Self.file
        file.main[50723] = .srational([2, 1, 0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1])
        file.main[50931] = .text("com.example")
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(
            Self.near(try #require(frame.calibrations.first).colourMatrix.m, Self.matrix.map { Double($0) / 10000 }))
    }

    @Test("A forward matrix maps the neutral to D50 white, whatever balance and calibration are")
    func forward() throws {
        var file = Self.file
        let d50 = [0.9642, 1, 0.8249]
        // Rows sum to D50, as DNG demands.
        file.main[50964] = Self.thousandths([5000, 3000, 1642, 2000, 7000, 1000, 1000, 2000, 5249])
        file.main[50723] = .srational([9, 10, 1, 20, 0, 1, 1, 10, 1, 1, 0, 1, 0, 1, 1, 50, 11, 10])
        file.main[50727] = .rational([3, 2, 1, 1, 4, 5])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        let forward = try #require(frame.calibrations.first?.forwardMatrix)
        #expect(Self.near(forward * [1, 1, 1], d50))
        file.main[50723] = nil
        let plain = try DNGReader.read(file.build(), name: "a.dng")
        let matrix = try #require(plain.calibrations.first?.forwardMatrix)
        #expect(Self.near(matrix.m, [0.5, 0.3, 0.1642, 0.2, 0.7, 0.1, 0.1, 0.2, 0.5249]))
    }

    @Test("AsShotWhiteXY becomes the neutral that the matrix sees")
    func whiteXY() throws {
        var file = Self.file
        file.main[50728] = nil
        file.main[50729] = .rational([3127, 10000, 3290, 10000])
        let neutral = try #require(try DNGReader.read(file.build(), name: "a.dng").neutral)
        let xyz = [0.3127 / 0.3290, 1, 0.3583 / 0.3290]
        let seen = Matrix3(Self.matrix.map { Double($0) / 10000 }) * xyz
        let largest = try #require(seen.max())
        #expect(Self.near(neutral, seen.map { $0 / largest }))
    }

    @Test("Between two lights the matrix goes with one over the temperature")
    func whiteXYOfTwo() throws {
        var file = Self.file
        file.main[50728] = nil
        file.main[50722] = Self.thousandths(Self.matrix.map { $0 * 2 - 1000 })
        file.main[50778] = .short([17])
        file.main[50779] = .short([21])
        func neutral(_ x: Int, _ y: Int) throws -> [Double] {
            file.main[50729] = .rational([x, 10000, y, 10000])
            return try #require(try DNGReader.read(file.build(), name: "a.dng").neutral)
        }
        func seen(_ matrix: [Double], _ x: Double, _ y: Double) throws -> [Double] {
            let v = Matrix3(matrix) * [x / y, 1, (1 - x - y) / y]
            let largest = try #require(v.max())
            return v.map { $0 / largest }
        }
        let first = Self.matrix.map { Double($0) / 10000 }
        let second = Self.matrix.map { Double($0 * 2 - 1000) / 10000 }
        #expect(Self.near(try neutral(4476, 4074), try seen(first, 0.4476, 0.4074), 0.003))
        #expect(Self.near(try neutral(3127, 3290), try seen(second, 0.3127, 0.3290), 0.003))
        // A white of 4000 K lies 0.53 of the way in 1/T.
        let share = (1 / 4000.0 - 1 / 6504) / (1 / 2856.0 - 1 / 6504)
        let between = zip(first, second).map { $0 * share + $1 * (1 - share) }
        #expect(Self.near(try neutral(3805, 3768), try seen(between, 0.3805, 0.3768), 0.003))
    }

    @Test("No matrix, no white: a frame all the same, with a note of each")
    func nothing() throws {
        let frame = try DNGReader.read(RawSample(mosaic: [1, 2, 3, 4], width: 2).build(), name: "a.dng")
        #expect(frame.calibrations.isEmpty)
        #expect(frame.neutral == nil)
        #expect(frame.notes.count == 2)
    }

    @Test("Colour that makes no sense is left out with a note")
    func nonsense() throws {
        var file = Self.file
        file.main[50721] = .srational([Int](repeating: 1, count: 18))
        file.main[50728] = .rational([0, 1, 1, 1, 1, 1])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.calibrations.isEmpty)
        #expect(frame.neutral == nil)
        #expect(frame.notes.contains { $0.contains("colorMatrix1") })
        #expect(frame.notes.contains { $0.contains("AsShotNeutral") })
    }

    @Test("DefaultCrop, whole or in fractions, stays in the active area")
    func crop() throws {
        var file = Self.file
        #expect(try DNGReader.read(file.build(), name: "a.dng").crop == (0, 0, 8, 8))
        file.raw[50719] = .rational([1, 1, 3, 2])
        file.raw[50720] = .long([6, 5])
        #expect(try DNGReader.read(file.build(), name: "a.dng").crop == (1, 2, 6, 5))
        file.raw[50720] = .long([600, 500])
        #expect(try DNGReader.read(file.build(), name: "a.dng").crop == (1, 2, 7, 6))
    }

    @Test("Exposure, ISO and time from the EXIF directory", arguments: [false, true])
    func capture(bigEndian: Bool) throws {
        var file = Self.file
        file.bigEndian = bigEndian
        file.cells = [Packing.pack([Int](repeating: 100, count: 64), bits: 16, rowSamples: 8, bigEndian: bigEndian)]
        file.main[274] = .short([6])
        file.main[271] = .text("Maker ")
        file.main[272] = .text("Model 1")
        file.main[306] = .text("2001:01:01 00:00:00")
        file.main[50730] = .srational([-3, 2])
        file.exif = [
            33434: .rational([1, 15]), 34855: .short([3200]), 36867: .text("2024:02:29 23:59:58"),
            37521: .text("125"), 42036: .text("Lens 35mm"),
        ]
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.info.exposureSeconds == 1.0 / 15)
        #expect(frame.info.iso == 3200)
        #expect(frame.info.date == "2024:02:29 23:59:58.125")
        #expect(frame.info.timeSeconds == 1_709_251_198.125)
        #expect(frame.info.orientation == 6)
        #expect(frame.info.make == "Maker")
        #expect(frame.info.model == "Model 1")
        #expect(frame.info.lens == "Lens 35mm")
        #expect(frame.baselineExposure == -1.5)
        #expect(frame.width == 8)
    }

    @Test("Exposure and ISO from the first directory; wide ISO where the short one is full; zero is unknown")
    func captureElsewhere() throws {
        var file = Self.file
        file.main[33434] = .rational([1, 4])
        file.main[34855] = .short([65535])
        file.main[34867] = .long([102_400])
        let frame = try DNGReader.read(file.build(), name: "a.dng")
        #expect(frame.info.exposureSeconds == 0.25)
        #expect(frame.info.iso == 102_400)
        #expect(frame.info.model == "Test Camera")
        file.main[33434] = .rational([0, 1])
        file.main[34855] = .short([0])
        file.main[34867] = nil
        let unknown = try DNGReader.read(file.build(), name: "a.dng").info
        #expect(unknown.exposureSeconds == nil)
        #expect(unknown.iso == nil)
        #expect(unknown.date == nil)
    }
}
