package import NightfuseCore
internal import NightfuseKernels

/// From the merge's sums to clean linear light: stabilise, denoise with what noise is left, undo curve and clipping.
package struct Restore: Sendable {
    package var noise: NoiseEstimation
    package var clips: Bool
    package var strength: Float
    package var frames: Int
    /// What the frames' own demosaic did to them; nil: nothing.
    package var blur: DemosaicBlur?

    package init(noise: NoiseEstimation, clips: Bool, strength: Float, frames: Int) {
        (self.noise, self.clips, self.strength, self.frames) = (noise, clips, strength, frames)
    }

    /// Uses the merge's planes up; the result takes the place of its sums.
    package func apply(_ merge: Merge, denoise: Denoise, workers: Workers) throws(NightfuseError) -> LinearImage {
        let w = merge.width
        merge.scratches.clear()
        let clipped = noise.channels.map { ClippedNoise(noise: $0, clips: clips) }
        let stabilisers = clipped.map { Stabiliser($0) }
        let planes = merge.sums
        let variance = merge.weight2
        let left = merge.leftNoiseTable()
        // Rows of a block of pixels lie in one band.
        try workers.bands(merge.height, grain: 32, scratch: { Floats(w) }) { (work, _, rows) throws(NightfuseError) in
            let inverse = work.base
            for y in rows {
                if y % 2 == 0 {
                    let (weight, squares) = (merge.weight.row(y / 2), variance.row(y / 2))
                    for x in 0..<merge.weight.width {
                        let inverse = 1 / max(weight[x], 1e-6)
                        weight[x] = inverse
                        squares[x] *= inverse * inverse
                    }
                    merge.lowerVariance(squares, block: y / 2, table: left)
                    if let other = merge.otherWeight?.row(y / 2) {
                        for x in 0..<merge.weight.width { other[x] *= weight[x] }
                    }
                    merge.pixelWeights(y, into: inverse)
                }
                let (r, g, b) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
                for (c, row) in [r, g, b].enumerated() {
                    for x in 0..<w { row[x] *= inverse[x] }
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
        try blur?.undo(planes[0], workers: workers)
        let inverses = clipped.indices.map { c in
            UnbiasedInverse(
                clipped: clipped[c], before: noise.beforeClipping(clipped[c].noise, clips: clips),
                other: merge.otherNoise.map { noise.beforeClipping($0[c], clips: clips) }, stabiliser: stabilisers[c],
                mostFrames: frames)
        }
        try workers.bands(merge.height, grain: 32, scratch: { (FrameLevels(w), Floats(w)) }) {
            (work, _, rows) throws(NightfuseError) in
            let (levels, shares) = (work.0, work.1.base)
            for y in rows {
                let (r, g, b) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
                for x in 0..<w {
                    let c = OpponentColour.inverse(r[x], g[x], b[x])
                    r[x] = c.0
                    g[x] = c.1
                    b[x] = c.2
                }
                if y % 2 == 0 {
                    inverses[0].levels(blocks: variance.row(y / 2), width: w, into: levels)
                    if let other = merge.otherWeight { doubleRow(other.row(y / 2), count: w, into: shares) }
                }
                for (c, row) in [r, g, b].enumerated() {
                    inverses[c].apply(
                        row, levels: levels, shares: merge.otherWeight == nil ? nil : UnsafePointer(shares), count: w)
                }
            }
        }
        return LinearImage(planes: planes)
    }
}
