internal import NightfuseCore
internal import NightfuseKernels

/// Buffers of one band.
final class FrequencyWork {
    let rows: Int
    let stride: Int
    /// Column 0 of the picture.
    let left = FrequencyMerge.step
    /// Row of the picture that the buffers start with.
    var top = 0
    let merged, frame, variance: [MutableRow<Float>]
    let trust, share, gain, weight, extra, line, misfit, expected, temp: MutableRow<Float>
    let means: [MutableRow<Float>]
    /// Sum over pixels of the share that was merged.
    var taken: Float = 0
    let rg = TileFourier()
    let b = TileFourier()
    private let width: Int
    private let memory: Floats

    init(width: Int, rows: Int) {
        self.width = width
        self.rows = rows
        stride = width + FrequencyMerge.step + FrequencyMerge.tile
        let plane = rows * stride
        let tile = TileFourier.count
        memory = Floats(14 * plane + stride + 6 * tile)
        let m = memory.base
        m.update(repeating: 0, count: 14 * plane + stride + 6 * tile)
        merged = (0..<3).map { m + $0 * plane }
        frame = (3..<6).map { m + $0 * plane }
        variance = (6..<9).map { m + $0 * plane }
        trust = m + 9 * plane
        share = m + 10 * plane
        gain = m + 11 * plane
        weight = m + 12 * plane
        extra = m + 13 * plane
        line = m + 14 * plane
        misfit = line + stride
        expected = misfit + tile
        temp = expected + tile
        means = (1...3).map { [temp] in temp + $0 * tile }
    }

    /// Repeats a row's edges.
    func pad(_ row: MutableRow<Float>, _ w: Int) {
        for x in 1...left { row[-x] = row[0] }
        for x in w..<stride - left { row[x] = row[w - 1] }
    }
}

extension FrequencyMerge {
    /// Fills the band's buffers: the merge, the frame, their noise and weights.
    func load(_ merge: Merge, coarse: Plane<Float>, rows: Range<Int>, work: FrequencyWork) {
        let (w, h, s) = (merge.width, merge.height, work.stride)
        work.top = rows.lowerBound - Self.step - 2
        let source = WarpedRows(item, kernel: merge.kernel.kernel, width: w, height: h)
        for k in 0..<work.rows {
            let y = min(max(work.top + k, 0), h - 1)
            let weight = merge.weight.row(y / 2)
            for c in 0..<3 {
                let (sums, out) = (merge.sums[c].row(y), work.merged[c] + k * s + work.left)
                for x in 0..<w { out[x] = sums[x] / max(weight[x / 2], 1e-6) }
                work.pad(out, w)
            }
        }
        let first = max(work.top, 0)
        let last = min(work.top + work.rows, h)
        source.fill(
            first..<last, to: (0..<3).map { work.frame[$0] + (first - work.top) * s + work.left }, stride: s,
            valid: work.trust + (first - work.top) * s + work.left)
        for k in 0..<work.rows where work.top + k < 0 || work.top + k >= h {
            (work.trust + k * s).update(repeating: 0, count: s)
        }
        let clip = item.frame.whiteClip / item.radianceScale
        let ramp = 10 / clip
        for k in 2..<work.rows - 2 {
            let y = work.top + k
            guard y >= 0, y < h else { continue }
            let at = k * s + work.left
            let trust = work.trust + at
            for x in 0..<w {
                let brightest = max(work.frame[0][at + x], max(work.frame[1][at + x], work.frame[2][at + x]))
                trust[x] *= min(max((clip - brightest) * ramp, 0), 1)
            }
            (trust - work.left).update(repeating: 0, count: work.left)
            (trust + w).update(repeating: 0, count: s - work.left - w)
            let (weight, weight2, extra) = (merge.weight.row(y / 2), merge.weight2.row(y / 2), coarse.row(y))
            for c in 0..<3 {
                // The mean around, so that a pixel's noise does not weigh it.
                let line = work.line
                line.update(repeating: 0, count: s)
                for d in -2...2 {
                    let row = work.merged[c] + (k + d) * s
                    for x in 0..<s { line[x] += row[x] }
                }
                let frame = work.frame[c] + at
                let variance = work.variance[c] + at
                for x in 0..<w {
                    let l = line + work.left + x
                    let mean = (l[-2] + l[2] + l[-1] + l[1] + l[0]) * (1.0 / 25)
                    let entry = tables[c].entry(mean)
                    frame[x] -= entry.lift
                    let left = weight2[x / 2] / max(weight[x / 2] * weight[x / 2], 1e-12)
                    variance[x] = (entry.own * left + entry.other) * tuning.unmodelled
                    if c == 1 {
                        work.share[at + x] = entry.other / max(entry.own * left + entry.other, 1e-20)
                        work.gain[at + x] = entry.own / max(entry.other, 1e-20)
                    }
                }
                work.pad(frame, w)
                work.pad(variance, w)
            }
            for x in 0..<w {
                work.weight[at + x] = weight[x / 2] * weight[x / 2] / max(weight2[x / 2], 1e-12)
                work.extra[at + x] = extra[x]
            }
            work.pad(work.share + at, w)
            work.pad(work.gain + at, w)
            work.pad(work.weight + at, w)
            work.pad(work.extra + at, w)
        }
    }
}
