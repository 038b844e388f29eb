package import NightfuseCore

/// How a camera's linear RGB (black 0, saturation 1) becomes linear sRGB: gains, then a clip, then a matrix.
package struct RawColour: Equatable, Sendable {
    /// White-balance gains for red, green and blue; the smallest is 1.
    package var gains: [Double]
    /// What to hold the balanced channels to before the matrix: where the first of them saturates. Above it a clipped
    /// channel would be too low against the others, and white would turn magenta.
    package var clip: Double { gains.min() ?? 1 }
    /// Balanced camera RGB to linear sRGB; (1, 1, 1) stays.
    package var matrix: Matrix3
    /// What had to be assumed, a sentence each; empty where the file said everything.
    package var notes: [String]

    /// By the DNG specification (1.4, chapter 6): the white's chromaticity is found from the as-shot neutral by
    /// turns with the matrix that fits it, calibrations being mixed by the inverse of their colour temperatures; then
    /// the forward matrix, or without one the inverse of the colour matrix and a Bradford adaptation to D50.
    ///
    /// - Parameters:
    ///   - neutral: raw RGB of something white; nil or unusable: that of daylight by the colour matrix, else `average`.
    ///   - calibrations: those of the file. Without one, or with none that can be inverted, camera RGB is taken for
    ///     linear sRGB.
    ///   - average: mean raw RGB of the frame, which is taken for grey where nothing else is known; nil: no balance.
    package init(neutral: [Double]?, calibrations: [RawFrame.Calibration], average: [Double]? = nil) {
        notes = []
        let usable = calibrations.filter { $0.colourMatrix.inverse != nil }
        var white = usableNeutral(neutral)
        if white == nil, let day = usable.min(by: { abs($0.mired - 154) < abs($1.mired - 154) }) {
            white = usableNeutral(day.colourMatrix * Self.daylight)
            notes.append("no usable as-shot neutral: balanced for daylight")
        }
        if white == nil {
            white = average.flatMap(usableNeutral)
            notes.append(
                white == nil
                    ? "no as-shot neutral and no colour matrix: not balanced"
                    : "no as-shot neutral and no colour matrix: the frame's average is taken for grey")
        }
        let balanced = white ?? [1, 1, 1]
        let largest = balanced.max() ?? 1
        gains = balanced.map { largest / $0 }
        guard let matrix = Self.matrix(white: balanced, calibrations: usable) else {
            matrix = .identity
            notes.append("no usable colour matrix: camera colours are taken for linear sRGB")
            return
        }
        self.matrix = matrix
    }

    /// XYZ of D65 with Y = 1 (CIE 15).
    private static let daylight = [0.95047, 1, 1.08883]
    /// XYZ of D50 as the ICC connection space has it.
    private static let d50 = [0.9642, 1, 0.8249]

    private static func matrix(white: [Double], calibrations: [RawFrame.Calibration]) -> Matrix3? {
        guard let fromXYZ = ColourSpace.sRGB.toXYZ.inverse, let found = asShot(white, calibrations) else { return nil }
        // Two matrices that can be inverted may have a mixture that cannot.
        guard let toXYZ = found.colour.inverse else { return nil }
        let toD50: Matrix3
        if let forward = found.forward {
            toD50 = forward
        } else {
            let w = white
            toD50 = bradford(from: found.white, to: d50) * toXYZ * Matrix3([w[0], 0, 0, 0, w[1], 0, 0, 0, w[2]])
        }
        return whiteKept(fromXYZ * toD50)
    }

    /// The matrix with each row scaled to sum 1, so that rounding in the file tints no white; nil where it cannot be.
    private static func whiteKept(_ m: Matrix3) -> Matrix3? {
        var rows = m.m
        for i in 0..<3 {
            let sum = rows[i * 3] + rows[i * 3 + 1] + rows[i * 3 + 2]
            guard sum.isFinite, sum > 1e-6 else { return nil }
            for j in 0..<3 { rows[i * 3 + j] /= sum }
        }
        return Matrix3(rows)
    }

    /// The as-shot white (XYZ, Y = 1) and the matrices that fit it.
    private static func asShot(
        _ neutral: [Double], _ calibrations: [RawFrame.Calibration]
    ) -> (white: [Double], colour: Matrix3, forward: Matrix3?)? {
        guard let first = calibrations.first else { return nil }
        let second = calibrations.count > 1 ? calibrations[1] : first
        let fallback = first.forwardMatrix == nil || second.forwardMatrix == nil
        var mired = Illuminant.neutralMired
        var white = daylight
        // The turns close in by a factor of 3 or more, on what the search can tell apart.
        for _ in 0..<30 {
            let share = weight(of: second, against: first, at: mired)
            guard let toXYZ = mix(first.colourMatrix, second.colourMatrix, share).inverse else { return nil }
            let xyz = toXYZ * neutral
            guard xyz[1] > 0, xyz[0].isFinite, xyz[2].isFinite else { return nil }
            white = xyz.map { $0 / xyz[1] }
            guard let next = Illuminant.mired(x: white[0], y: 1, z: white[2]) else { return nil }
            if abs(next - mired) < 1e-3 { break }
            mired = next
        }
        guard white.allSatisfy({ $0 > 0 }) else { return nil }
        let share = weight(of: second, against: first, at: mired)
        let colour = mix(first.colourMatrix, second.colourMatrix, share)
        guard !fallback, let a = first.forwardMatrix, let b = second.forwardMatrix else { return (white, colour, nil) }
        return (white, colour, mix(a, b, share))
    }

    private static func weight(
        of b: RawFrame.Calibration, against a: RawFrame.Calibration, at mired: Double
    ) -> Double {
        a.mired == b.mired ? 0 : min(max((mired - a.mired) / (b.mired - a.mired), 0), 1)
    }

    private static func mix(_ a: Matrix3, _ b: Matrix3, _ share: Double) -> Matrix3 {
        Matrix3(zip(a.m, b.m).map { $0 + ($1 - $0) * share })
    }
}

/// A neutral scaled to largest 1, or nil where it has no three positive numbers.
private func usableNeutral(_ neutral: [Double]?) -> [Double]? {
    guard let neutral, neutral.count == 3, let largest = neutral.max(), largest.isFinite,
        neutral.allSatisfy({ $0 > largest * 1e-3 })
    else { return nil }
    return neutral.map { $0 / largest }
}

extension RawFrame.Calibration {
    /// A million over the colour temperature of the EXIF light source; daylight's where it is not known.
    fileprivate var mired: Double {
        let kelvin =
            switch illuminant {
            case 3, 17: 2850.0  // tungsten, A
            case 24: 3200.0  // studio tungsten
            case 16: 2925.0  // warm white fluorescent, the middle of its range as the next four
            case 15: 3525.0  // white fluorescent
            case 14: 4150.0  // cool white fluorescent
            case 2: 4150.0  // fluorescent, unspecified
            case 13: 5050.0  // day white fluorescent
            case 12: 6400.0  // daylight fluorescent
            case 23: 5000.0  // D50
            case 1, 4, 9, 18, 20: 5500.0  // daylight, flash, fine weather, B, D55
            case 11, 22: 7500.0  // shade, D75
            default: 6500.0  // cloudy, C, D65 and what is unknown
            }
        return 1e6 / kelvin
    }
}
