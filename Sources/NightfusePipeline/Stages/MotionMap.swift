package import NightfuseCore
internal import NightfuseKernels

/// What clipping at black alone makes of the difference between a frame of another exposure and the reference, in
/// stabilised luma, by the reference's value.
package struct LiftCurve: Sendable {
    private let table: [Float]
    private let top: Float
    private static let size = 256

    /// - Parameters:
    ///   - own: luma noise of the reference, and `other` of the frame on the reference's scale.
    package init(own: ClippedNoise, other: ClippedNoise, stabiliser: Stabiliser) {
        let reach = max(own.reach, other.reach)
        let top = stabiliser(Float(reach))
        self.top = top
        table = (0..<Self.size).map { i in
            let mean = Double(stabiliser.inverse(top * Float(i) / Float(Self.size - 1)))
            let x = own.signal(mean: mean)
            return stabiliser(Float(other.moments(x).mean)) - stabiliser(Float(mean))
        }
    }

    func callAsFunction(_ value: Float) -> Float {
        value >= top ? 0 : table[max(Int(value / top * Float(Self.size - 1)), 0)]
    }
}

/// How far an aligned frame may be trusted, judged on coarse luma where a few noisy samples already tell: 1 agrees,
/// 0 does not.
///
/// On pyramid levels one and up from the base, the squared difference to the reference is averaged over 5 x 5 samples
/// and held against the level's noise. What a single pixel's noise hides (a dark figure before a dark wall) shows
/// there.
package struct MotionMap: Sendable {
    /// Trust at level `level` of the picture (full size = 0).
    package let trust: Plane<Float>
    package let level: Int

    /// Misfit, in units of the level's noise variance, up to which a difference is taken for noise: with 5 x 5
    /// smoothed samples (some 12 independent ones) the ratio scatters by 0.4.
    private static let tolerance: Float = 1.6
    private static let steepness: Float = 2

    package init(
        reference: LumaPyramid, frame: LumaPyramid, field: AlignmentField, noise: [Float],
        lift: LiftCurve?, workers: Workers
    ) throws(NightfuseError) {
        let first = min(1, reference.smooth.count - 1)
        let last = min(2, reference.smooth.count - 1)
        let size = reference.smooth[first]
        let trust = try Plane<Float>(width: size.width, height: size.height)
        trust.fill(1)
        for level in first...last {
            let image = reference.smooth[level]
            let sigma = noise[min(level, noise.count - 1)]
            let misfit = try Self.misfit(
                image, frame.smooth[level], field: field, level: level + reference.base,
                variance: max(sigma * sigma, 1e-9), lift: lift, workers: workers)
            let shrink = level - first
            try workers.bands(trust.height, grain: 16) { (_, rows) throws(NightfuseError) in
                for y in rows {
                    let out = trust.mutableRow(y)
                    let source = misfit.ratio.row(min(y >> shrink, misfit.ratio.height - 1))
                    for x in 0..<trust.width {
                        let ratio = source[min(x >> shrink, misfit.ratio.width - 1)]
                        let excess = max(ratio - 1 - Self.tolerance, 0) * Self.steepness
                        out[x] = min(out[x], 1 / (1 + excess * excess))
                    }
                }
            }
        }
        self.trust = trust
        self.level = first + reference.base
    }

    /// What is left of alignment errors and of the bilinear sampling here, as a shift in samples of the level.
    private static let slack: Float = 0.15

    private struct Misfit {
        let ratio: Plane<Float>
    }

    /// Mean squared difference over 5 x 5 samples, over what noise and slack explain.
    private static func misfit(
        _ image: Plane<Float>, _ other: Plane<Float>, field: AlignmentField, level: Int, variance: Float,
        lift: LiftCurve?, workers: Workers
    ) throws(NightfuseError) -> Misfit {
        let (w, h) = (image.width, image.height)
        let (limitX, limitY) = (Float(other.width - 1), Float(other.height - 1))
        let nodeCount = AlignmentField.nodeCount(w)
        let squares = try Plane<Float>(width: w, height: h, isZero: false)
        let slopes = try Plane<Float>(width: w, height: h, isZero: false)
        try workers.bands(
            h, grain: 16, scratch: { Floats(2 * nodeCount + 2 * w) }
        ) { (work, _, rows) throws(NightfuseError) in
            let nodes = work.base
            let (sampled, slope) = (nodes + 2 * nodeCount, nodes + 2 * nodeCount + w)
            for y in rows {
                field.sample(other, row: y, count: w, level: level, nodes: nodes, into: sampled)
                let ref = image.row(y)
                let (above, below) = (image.row(max(y - 1, 0)), image.row(min(y + 1, h - 1)))
                if let lift { for x in 0..<w { sampled[x] -= lift(ref[x]) } }
                for x in 0..<w {
                    let d = sampled[x] - ref[x]
                    sampled[x] = d * d
                }
                // Outside the frame nothing is known, so nothing is held against it.
                for x in stride(from: 0, to: w, by: 4) {
                    let (px, py) = (nodes[x / 4], nodes[nodeCount + x / 4])
                    let (qx, qy) = (nodes[x / 4 + 1], nodes[nodeCount + x / 4 + 1])
                    if min(px, qx) >= 0 && max(px, qx) <= limitX && min(py, qy) >= 0 && max(py, qy) <= limitY {
                        continue
                    }
                    for i in x..<min(x + 4, w) {
                        let t = Float(i - x) * 0.25
                        let (u, v) = (px + (qx - px) * t, py + (qy - py) * t)
                        if u < 0 || u > limitX || v < 0 || v > limitY { sampled[i] = 0 }
                    }
                }
                let last = w - 1
                for x in 1..<max(last, 1) {
                    let (gx, gy) = ((ref[x + 1] - ref[x - 1]) * 0.5, (below[x] - above[x]) * 0.5)
                    slope[x] = gx * gx + gy * gy
                }
                for x in [0, last] {
                    let gx = (ref[min(x + 1, last)] - ref[max(x - 1, 0)]) * 0.5
                    let gy = (below[x] - above[x]) * 0.5
                    slope[x] = gx * gx + gy * gy
                }
                boxRow3(Row(sampled), count: w, into: squares.mutableRow(y))
                boxRow3(Row(slope), count: w, into: slopes.mutableRow(y))
            }
        }
        let result = try Plane<Float>(width: w, height: h, isZero: false)
        try workers.bands(h, grain: 16) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let out = result.mutableRow(y)
                let near = (-1...1).map { min(max(y + $0, 0), h - 1) }
                let s = near.map { squares.row($0) }
                let g = near.map { slopes.row($0) }
                for x in 0..<w {
                    let square = (s[0][x] + s[2][x]) + s[1][x]
                    let slope = (g[0][x] + g[2][x]) + g[1][x]
                    out[x] = square / (9 * variance + slack * slack * slope)
                }
            }
        }
        return Misfit(ratio: result)
    }
}
