package import NightfuseCore
internal import NightfuseKernels

/// How much more light a frame got than the reference, from the pixels alone.
package struct ExposureRatio {
    /// From two frames that need not be aligned: the light at like ranks. Robust against movers and small shifts.
    ///
    /// - Parameter floor: light that is not told from noise; not used.
    package static func byRank(_ reference: Plane<Float>, _ frame: Plane<Float>, floor: Float) -> Double? {
        // Some ten thousand blocks tell a rank to a hundredth.
        func sorted(_ plane: Plane<Float>) -> [Float] {
            let step = max(1, Int((Double(plane.width * plane.height) / 10_000).squareRoot()))
            var values: [Float] = []
            for y in stride(from: step / 2, to: plane.height, by: step) {
                let row = plane.row(y)
                // Clipped blocks are the brightest ones.
                for x in stride(from: step / 2, to: plane.width, by: step) {
                    values.append(row[x] == -.infinity ? .infinity : row[x])
                }
            }
            return values.sorted()
        }
        let (a, b) = (sorted(reference), sorted(frame))
        var ratios: [Double] = []
        for i in 1..<40 {
            let p = a[i * (a.count - 1) / 40]
            let q = b[i * (b.count - 1) / 40]
            if p > floor && q > floor && p.isFinite && q.isFinite { ratios.append(Double(q / p)) }
        }
        // A few ranks near the floor tell what moved into the picture, not how it was exposed.
        guard ratios.count >= 8 else { return nil }
        let rising = ratios.sorted()
        guard rising[rising.count * 3 / 4] < 1.25 * rising[rising.count / 4] else { return nil }
        return rising[rising.count / 2]
    }

    /// Light of blocks of aligned frames: the reference's, and the frame's at the same place.
    ///
    /// - Parameters:
    ///   - expected: the ratio as known so far. Blocks are chosen by the sum of both frames, so that the noise of neither is
    ///     chosen with them.
    ///   - floor: light that is not told from noise.
    package static func pairs(
        _ reference: Plane<Float>, _ frame: Plane<Float>, field: AlignmentField, expected: Double, floor: Float
    ) -> [(Double, Double)] {
        var pairs: [(Double, Double)] = []
        let nodes = Floats(2 * reference.width)
        let (xs, ys) = (nodes.base, nodes.base + reference.width)
        // Rows apart where there are many: forty thousand blocks tell a ratio to a few parts in ten thousand.
        let step = max(1, reference.width * reference.height / 40_000)
        for y in stride(from: step / 2, to: reference.height, by: step) {
            field.positions(row: y, from: 0, count: reference.width, level: 3, xs: xs, ys: ys)
            let row = reference.row(y)
            for x in 0..<reference.width where row[x] > 0 {
                let (fx, fy) = (Int(xs[x].rounded(.down)), Int(ys[x].rounded(.down)))
                guard fx >= 0, fy >= 0, fx + 1 < frame.width, fy + 1 < frame.height else { continue }
                let (tx, ty) = (xs[x] - Float(fx), ys[x] - Float(fy))
                let (top, bottom) = (frame.row(fy), frame.row(fy + 1))
                guard min(top[fx], top[fx + 1], bottom[fx], bottom[fx + 1]) > 0 else { continue }
                let a = top[fx] + (top[fx + 1] - top[fx]) * tx
                let b = bottom[fx] + (bottom[fx + 1] - bottom[fx]) * tx
                let light = Double(a + (b - a) * ty)
                if Double(row[x]) + light / expected > 2 * Double(floor) { pairs.append((Double(row[x]), light)) }
            }
        }
        return pairs
    }

    /// From aligned frames: least squares over blocks, with what moved left out in rounds.
    ///
    /// - Parameters:
    ///   - pairs: see ``pairs(_:_:field:expected:floor:)``.
    ///   - blackError: how far the frames' blacks may lie apart.
    /// - Returns: the ratio, and the part of it that it may be wrong by (a sigma).
    package static func aligned(
        _ pairs: [(Double, Double)], blackError: Float
    ) -> (ratio: Double, error: Double)? {
        guard pairs.count >= 12 else { return nil }
        var ratios = pairs.map { $0.1 / $0.0 }
        var ratio = median(&ratios)
        var spread = 1.0
        for _ in 0..<3 {
            let errors = pairs.map { abs($0.1 - ratio * $0.0) / $0.0.squareRoot() }
            var rising = errors
            let middle = median(&rising)
            let limit = 3 * middle
            spread = middle
            var (num, den) = (0.0, 0.0)
            for (pair, error) in zip(pairs, errors) where error <= limit {
                // Shot noise: weights 1 / signal.
                num += pair.1
                den += pair.0
            }
            if den > 0 { ratio = num / den }
        }
        let mean = pairs.reduce(0) { $0 + $1.0 } / Double(pairs.count)
        // 1.5: sigma over the median of errors.
        let scatter = 1.5 * spread / (mean * Double(pairs.count)).squareRoot() / ratio
        return (ratio, scatter + Double(blackError) / mean)
    }
}
