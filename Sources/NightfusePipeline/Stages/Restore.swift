package import NightfuseCore
internal import NightfuseKernels

/// From the merge's sums to clean linear light: stabilise, denoise with what noise is left, undo curve and clipping.
package struct Restore: Sendable {
    package var noise: NoiseEstimation
    package var clips: Bool
    package var strength: Float
    package var frames: Int

    package init(noise: NoiseEstimation, clips: Bool, strength: Float, frames: Int) {
        (self.noise, self.clips, self.strength, self.frames) = (noise, clips, strength, frames)
    }

    /// Uses the merge's planes up; the result takes the place of its sums.
    package func apply(_ merge: Merge, denoise: Denoise, workers: Workers) throws(NightfuseError) -> LinearImage {
        let w = merge.width
        let clipped = noise.channels.map { ClippedNoise(noise: $0, clips: clips) }
        let stabilisers = clipped.map { Stabiliser($0) }
        let planes = merge.sums
        let variance = merge.weight2
        let left = merge.leftNoiseTable()
        try workers.bands(merge.height, grain: 32) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let (weight, squares) = (merge.weight.row(y), variance.row(y))
                for x in 0..<w {
                    let inverse = 1 / max(weight[x], 1e-6)
                    weight[x] = inverse
                    squares[x] *= inverse * inverse
                }
                merge.lowerVariance(squares, y: y, table: left)
                if let other = merge.otherWeight?.row(y) { for x in 0..<w { other[x] *= weight[x] } }
                let (r, g, b) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
                for (c, row) in [r, g, b].enumerated() {
                    for x in 0..<w { row[x] *= weight[x] }
                    stabilisers[c].apply(row, count: w, into: row)
                }
                for x in 0..<w {
                    let o = OpponentColour.forward(r[x], g[x], b[x])
                    r[x] = o.0
                    g[x] = o.1
                    b[x] = o.2
                }
            }
        }
        try denoise.apply(planes, variance: variance, workers: workers)
        let inverses = clipped.indices.map { c in
            UnbiasedInverse(
                clipped: clipped[c], before: noise.beforeClipping(clipped[c].noise, clips: clips),
                other: merge.otherNoise.map { noise.beforeClipping($0[c], clips: clips) }, stabiliser: stabilisers[c],
                mostFrames: frames)
        }
        try workers.bands(merge.height, grain: 32) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let (r, g, b) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
                for x in 0..<w {
                    let c = OpponentColour.inverse(r[x], g[x], b[x])
                    r[x] = c.0
                    g[x] = c.1
                    b[x] = c.2
                }
                for (c, row) in [r, g, b].enumerated() {
                    inverses[c].apply(
                        row, variances: variance.row(y), shares: merge.otherWeight?.row(y), count: w, into: row)
                }
            }
        }
        return LinearImage(planes: planes)
    }
}
