import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

private func frame(
    _ width: Int, _ height: Int, black: [Double] = [100], rows: Int = 1, columns: Int = 1, white: Double = 1100,
    maps: [RawFrame.GainMap] = [], _ sample: (Int, Int) -> Int
) throws -> RawFrame {
    let plane = try Plane<UInt16>(width: width, height: height)
    for y in 0..<height { for x in 0..<width { plane[x, y] = UInt16(sample(x, y)) } }
    return RawFrame(
        planes: [plane], layout: .mosaic([0, 1, 1, 2]), black: black, blackRows: rows, blackColumns: columns,
        white: [white], neutral: nil, calibrations: [], baselineExposure: 0, noise: [], gainMaps: maps, badPixels: [],
        crop: (0, 0, width, height), info: CaptureInfo(), name: "raw", bits: 12, compression: "none", notes: [])
}

extension RawLight {
    /// A sample, for which the light outlives the pointer to its row.
    subscript(x: Int, y: Int) -> Float {
        get { withExtendedLifetime(self) { row(y)[x] } }
        set { withExtendedLifetime(self) { row(y)[x] = newValue } }
    }
}

@Suite("Raw light")
struct RawLightTests {
    @Test func levelsAndBalanceAreAppliedAndNegativeNoiseStays() throws {
        let raw = try frame(4, 2, black: [100, 200, 300, 400], rows: 2, columns: 2) { x, y in
            x == 0 && y == 0 ? 50 : 750
        }
        let light = RawLight(RawLevels(raw, gains: [2, 1, 3], clip: nil))
        #expect(abs(light[0, 0] - 2 * (50 - 100) / 1000) < 1e-6)
        #expect(abs(light[2, 0] - 2 * 650 / 1000) < 1e-6)
        #expect(abs(light[1, 0] - 550.0 / 900) < 1e-6)
        #expect(abs(light[0, 1] - 450.0 / 800) < 1e-6)
        #expect(abs(light[1, 1] - 3 * 350.0 / 700) < 1e-6)
        let clipped = RawLight(RawLevels(raw, gains: [2, 1, 3], clip: 1))
        #expect(clipped[2, 0] == 1)
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 5), (17, 9)])
    func marginsKeepTheMosaic(size: (Int, Int)) throws {
        let raw = try frame(size.0, size.1) { x, y in 100 + (x & 1) * 10 + (y & 1) * 20 }
        let light = RawLight(RawLevels(raw, gains: [1, 1, 1], clip: nil))
        light.mirrorMargins()
        for k in 1...4 where size.0 > 1 {
            #expect(light[-k, 0] == light[k & 1, 0])
            #expect(light[size.0 - 1 + k, 0] == light[(size.0 - 1 + k) & 1, 0])
        }
    }

    @Test func gainMapsAreInterpolatedBetweenTheirPoints() throws {
        var map = RawFrame.GainMap()
        (map.bottom, map.right, map.rows, map.columns) = (4, 8, 1, 2)
        (map.spacingH, map.originH) = (0.5, 0.25)
        map.gains = [1, 3]
        let raw = try frame(8, 4, maps: [map]) { _, _ in 600 }
        let light = RawLight(RawLevels(raw, gains: [1, 1, 1], clip: nil))
        // Pixel centres at (x + 0.5) / 8: gain 1 up to 0.25, 3 from 0.75 on.
        let expected: [Float] = [1, 1, 1.25, 1.75, 2.25, 2.75, 3, 3]
        for x in 0..<8 { #expect(abs(light[x, 1] - 0.5 * expected[x]) < 1e-5) }
    }

    @Test func aMapOfOneColourLeavesTheOthers() throws {
        var map = RawFrame.GainMap()
        (map.bottom, map.right, map.plane, map.planes, map.byColour, map.gains) = (4, 4, 2, 1, true, [2])
        let raw = try frame(4, 4, maps: [map]) { _, _ in 600 }
        let light = RawLight(RawLevels(raw, gains: [1, 1, 1], clip: nil))
        #expect(light[1, 1] == 1)
        #expect(light[0, 0] == 0.5 && light[1, 0] == 0.5 && light[0, 1] == 0.5)
    }

    @Test(arguments: 1...8)
    func theUprightPictureIsWhatExifSays(orientation: Int) throws {
        // A sensor of 3 x 2: 0 1 2 / 3 4 5.
        let upright: [[Int]] = [
            [0, 1, 2, 3, 4, 5], [2, 1, 0, 5, 4, 3], [5, 4, 3, 2, 1, 0], [3, 4, 5, 0, 1, 2], [0, 3, 1, 4, 2, 5],
            [3, 0, 4, 1, 5, 2], [5, 2, 4, 1, 3, 0], [2, 5, 1, 4, 0, 3],
        ]
        let placement = RawPlacement(crop: (0, 0, 3, 2), orientation: orientation)
        #expect((placement.width, placement.height) == (orientation < 5 ? (3, 2) : (2, 3)))
        let plane = try Plane<UInt16>(width: placement.width, height: placement.height)
        placement.put([0, 1, 2], row: 0, into: plane)
        placement.put([3, 4, 5], row: 1, into: plane)
        let seen = (0..<placement.height).flatMap { y in (0..<placement.width).map { Int(plane[$0, y]) } }
        #expect(seen == upright[orientation - 1])
    }
}
