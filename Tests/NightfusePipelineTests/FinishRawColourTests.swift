import NightfuseCore
import NightfusePipeline
import Testing

/// XYZ (D65) to linear sRGB: a camera that sees as sRGB does.
private let plainCamera = Matrix3([
    3.2404542, -1.5371385, -0.4985314, -0.9692660, 1.8760108, 0.0415560, 0.0556434, -0.2040259, 1.0572252,
])
/// A camera with overlapping filters, under daylight and under A.
private let dayMatrix = Matrix3([0.75, -0.15, -0.08, -0.45, 1.25, 0.22, -0.08, 0.18, 0.62])
private let lampMatrix = Matrix3([0.85, -0.30, -0.02, -0.50, 1.35, 0.16, -0.10, 0.25, 0.55])

private func close(_ a: Matrix3, _ b: Matrix3, _ limit: Double) -> Bool {
    zip(a.m, b.m).allSatisfy { abs($0 - $1) < limit }
}

@Suite("Raw colour")
struct FinishRawColourTests {
    @Test func aCameraThatSeesAsSRGBNeedsNothing() {
        let colour = RawColour(
            neutral: [1, 1, 1], calibrations: [.init(illuminant: 21, colourMatrix: plainCamera)])
        #expect(colour.gains == [1, 1, 1])
        #expect(close(colour.matrix, .identity, 2e-3))
        #expect(colour.notes.isEmpty)
    }

    @Test func gainsUndoTheNeutralAndTheSmallestIsOne() {
        let colour = RawColour(
            neutral: [0.5, 1, 0.625], calibrations: [.init(illuminant: 21, colourMatrix: dayMatrix)])
        #expect(colour.gains == [2, 1, 1.6])
        #expect(colour.clip == 1)
        for i in 0..<3 { #expect(abs(colour.matrix.m[i * 3..<i * 3 + 3].reduce(0, +) - 1) < 1e-12) }
    }

    @Test("Calibrations are mixed by inverse temperature")
    func mixing() {
        let day = RawFrame.Calibration(illuminant: 21, colourMatrix: dayMatrix)
        let lamp = RawFrame.Calibration(illuminant: 17, colourMatrix: lampMatrix)
        // White under D65 seen by the day matrix, under A by the lamp matrix: each end must be its own matrix alone.
        let underDay = dayMatrix * [0.9504, 1, 1.0889]
        let underLamp = lampMatrix * [1.0985, 1, 0.3558]
        for (neutral, alone) in [(underDay, day), (underLamp, lamp)] {
            let both = RawColour(neutral: neutral, calibrations: [day, lamp])
            let swapped = RawColour(neutral: neutral, calibrations: [lamp, day])
            let one = RawColour(neutral: neutral, calibrations: [alone])
            #expect(close(both.matrix, one.matrix, 0.02))
            #expect(close(both.matrix, swapped.matrix, 1e-3))
        }
        let between = zip(underDay, underLamp).map { $0 * 0.6 + $1 * 0.4 }
        let mixed = RawColour(neutral: between, calibrations: [day, lamp])
        let dayOnly = RawColour(neutral: between, calibrations: [day])
        let lampOnly = RawColour(neutral: between, calibrations: [lamp])
        #expect(!close(mixed.matrix, dayOnly.matrix, 0.02) && !close(mixed.matrix, lampOnly.matrix, 0.02))
    }

    @Test func aForwardMatrixIsUsedAsItStands() throws {
        let fromXYZ = try #require(ColourSpace.sRGB.toXYZ.inverse)
        let wanted = Matrix3([1.8, -0.7, -0.1, -0.2, 1.5, -0.3, 0.02, -0.52, 1.5])
        let forward = ColourSpace.sRGB.toXYZ * wanted
        let colour = RawColour(
            neutral: [0.6, 1, 0.5],
            calibrations: [.init(illuminant: 21, colourMatrix: dayMatrix, forwardMatrix: forward)])
        #expect(close(colour.matrix, wanted, 1e-6))
        #expect(close(fromXYZ * forward, wanted, 1e-9))
    }

    @Test func greyUnderLampLightStaysGrey() {
        let neutral = lampMatrix * [1.0985, 1, 0.3558]
        let colour = RawColour(
            neutral: neutral, calibrations: [.init(illuminant: 17, colourMatrix: lampMatrix)])
        let largest = neutral.max() ?? 1
        let raw = neutral.map { $0 / largest * 0.18 }
        let rgb = colour.matrix * zip(raw, colour.gains).map { $0 * $1 }
        for c in rgb { #expect(abs(c - 0.18) < 1e-9) }
    }

    @Test func withoutANeutralDaylightIsAssumedAndSaid() {
        let colour = RawColour(neutral: nil, calibrations: [.init(illuminant: 21, colourMatrix: dayMatrix)])
        let day = dayMatrix * [0.95047, 1, 1.08883]
        #expect(abs(colour.gains[0] / colour.gains[1] - day[1] / day[0]) < 1e-9)
        #expect(colour.notes.count == 1)
    }

    @Test func withoutAMatrixCameraColoursAreTakenForSRGBAndSaid() {
        let balanced = RawColour(neutral: [0.5, 1, 0.8], calibrations: [])
        #expect(balanced.matrix == .identity && balanced.gains == [2, 1, 1.25])
        #expect(balanced.notes.count == 1)
        let grey = RawColour(neutral: nil, calibrations: [], average: [0.1, 0.2, 0.1])
        #expect(grey.gains == [2, 1, 2] && grey.notes.count == 2)
        let nothing = RawColour(neutral: nil, calibrations: [])
        #expect(nothing.gains == [1, 1, 1] && nothing.matrix == .identity && nothing.notes.count == 2)
    }

    @Test(
        "Nonsense in a file is not followed",
        arguments: [[0, 1, 1], [1, 1], [.nan, 1, 1], [-1, 1, 1], [.infinity, 1, 1]])
    func badNeutral(neutral: [Double]) {
        let singular = Matrix3([1, 1, 1, 1, 1, 1, 1, 1, 1])
        let colour = RawColour(neutral: neutral, calibrations: [.init(illuminant: 0, colourMatrix: singular)])
        #expect(colour.gains == [1, 1, 1] && colour.matrix == .identity)
        #expect(colour.notes.count == 2)
    }
}
