internal import NightfuseCore
internal import NightfuseKernels

/// What a frame's blocks of 8 x 8 pixels look like to ``ToneMatch``, channel by channel.
struct ToneBlocks: Sendable {
    /// Mean linear light on the frame's own scale; infinity where a sample of the channel may have been clipped at white.
    let means: [Plane<Float>]
    /// Variance of green inside a block, noise included.
    let contrast: Plane<Float>

    /// Costs a look-up a sample, as ``FrameLight`` does.
    init(_ frame: FrameData, workers: Workers) throws(NightfuseError) {
        let (columns, width) = ((frame.width + 7) / 8, frame.width)
        func plane() throws(NightfuseError) -> Plane<Float> {
            try Plane(width: columns, height: (frame.height + 7) / 8, isZero: false)
        }
        let (means, contrast) = ([try plane(), try plane(), try plane()], try plane())
        try workers.bands(contrast.height, grain: 4, scratch: { Floats(4 * width) }) {
            (work, _, rows) throws(NightfuseError) in
            let (line, sums, squares, peaks) = (
                work.base, work.base + width, work.base + 2 * width, work.base + 3 * width
            )
            for by in rows {
                let last = min(by * 8 + 8, frame.height)
                for c in 0..<3 {
                    for row in [sums, squares, peaks] { row.update(repeating: 0, count: width) }
                    for y in by * 8..<last {
                        frame.linearRow(channel: c, y: y, from: 0, count: width, into: line)
                        for x in 0..<width { sums[x] += line[x] }
                        for x in 0..<width { squares[x] += line[x] * line[x] }
                        for x in 0..<width { peaks[x] = max(peaks[x], line[x]) }
                    }
                    let out = means[c].mutableRow(by)
                    for bx in 0..<columns {
                        let range = bx * 8..<min(bx * 8 + 8, width)
                        var (sum, square, peak) = (Float(0), Float(0), Float(0))
                        for x in range {
                            sum += sums[x]
                            square += squares[x]
                            peak = max(peak, peaks[x])
                        }
                        let share = 1 / Float(range.count * (last - by * 8))
                        out[bx] = peak >= frame.whiteClip ? .infinity : sum * share
                        if c == 1 { contrast.mutableRow(by)[bx] = square * share - sum * share * sum * share }
                    }
                }
            }
        }
        (self.means, self.contrast) = (means, contrast)
    }

    /// How much a flat block's light may vary inside, noise aside, as a share of it: a curve's mean is then its mean's curve.
    private static let flat: Float = 0.15
    /// How much the frame's light may differ between the four blocks around: where the alignment errs, nothing is told.
    private static let even: Float = 1.3
    /// Pairs beyond which more tell nothing new.
    private static let most = 40_000

    /// Own light of a frame and the reference's, both as square roots, which make noise about even.
    struct Pair {
        var own: Float
        var reference: Float
    }

    /// Light at the same places of both frames in one channel, where it is flat, unclipped, and above `floor`.
    ///
    /// - Parameter noise: the reference's, of green.
    func pairs(
        _ channel: Int, reference: ToneBlocks, field: AlignmentField, floor: Float, noise: NoiseModel
    ) -> [Pair] {
        let (own, other) = (means[channel], reference.means[channel])
        let (columns, shot, read2) = (other.width, Float(noise.shot), Float(noise.read * noise.read))
        let nodes = Floats(2 * columns)
        let (xs, ys) = (nodes.base, nodes.base + columns)
        var pairs: [Pair] = []
        for y in stride(from: 0, to: other.height, by: max(1, columns * other.height / Self.most)) {
            field.positions(row: y, from: 0, count: columns, level: 3, xs: xs, ys: ys)
            let (row, green, contrast) = (other.row(y), reference.means[1].row(y), reference.contrast.row(y))
            for x in 0..<columns where row[x] > floor && row[x] < .infinity && green[x] < .infinity {
                let slack = Self.flat * green[x]
                guard contrast[x] < slack * slack + 2 * (shot * max(green[x], 0) + read2) else { continue }
                guard xs[x] >= 0, ys[x] >= 0 else { continue }
                let (fx, fy) = (Int(xs[x]), Int(ys[x]))
                guard fx + 1 < own.width, fy + 1 < own.height else { continue }
                let (top, bottom) = (own.row(fy), own.row(fy + 1))
                let (low, high) = (
                    min(min(top[fx], top[fx + 1]), min(bottom[fx], bottom[fx + 1])),
                    max(max(top[fx], top[fx + 1]), max(bottom[fx], bottom[fx + 1]))
                )
                guard low > floor, high < .infinity, high < Self.even * low + floor else { continue }
                let (tx, ty) = (xs[x] - Float(fx), ys[x] - Float(fy))
                let a = top[fx] + (top[fx + 1] - top[fx]) * tx
                let b = bottom[fx] + (bottom[fx + 1] - bottom[fx]) * tx
                pairs.append(Pair(own: (a + (b - a) * ty).squareRoot(), reference: row[x].squareRoot()))
            }
        }
        return pairs
    }

    /// Light of both frames at like ranks of a channel: pairs for frames that are not aligned yet.
    ///
    /// Clipped blocks are the brightest ones, and take their ranks without telling anything.
    func ranks(_ channel: Int, reference: ToneBlocks, floor: Float) -> [Pair] {
        func sorted(_ plane: Plane<Float>) -> [Float] {
            let step = max(1, Int((Double(plane.width * plane.height) / 10_000).squareRoot()))
            var values: [Float] = []
            for y in stride(from: step / 2, to: plane.height, by: step) {
                for x in stride(from: step / 2, to: plane.width, by: step) { values.append(plane.row(y)[x]) }
            }
            return values.sorted()
        }
        let (a, b) = (sorted(means[channel]), sorted(reference.means[channel]))
        return (1..<Self.rankSteps).compactMap { i in
            let own = a[i * (a.count - 1) / Self.rankSteps]
            let other = b[i * (b.count - 1) / Self.rankSteps]
            guard own > floor, other > floor, own < .infinity, other < .infinity else { return nil }
            return Pair(own: own.squareRoot(), reference: other.squareRoot())
        }
    }

    static let rankSteps = 64
}
