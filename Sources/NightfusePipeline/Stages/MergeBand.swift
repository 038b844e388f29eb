internal import NightfuseCore
internal import NightfuseKernels

// What the merge does with the rows of one band: resample, judge, weigh, add.

extension Merge {
    /// Adds a frame's share of the rows `rows`, which start at an even one; gives the sum of trust.
    func addBand(
        _ item: Contribution, rows: Range<Int>, curves frameCurves: [VarianceCurve], ratios: [Float]?,
        tuning: Tuning, work: MergeScratch
    ) -> Double {
        // Blocks of 2 x 2 pixels, one row of them more on either side.
        let blocks = max(rows.lowerBound / 2 - 1, 0)..<min((rows.upperBound + 1) / 2 + 1, (height + 1) / 2)
        let all = 2 * blocks.lowerBound..<min(2 * blocks.upperBound, height)
        work.top = all.lowerBound
        let source = self.source(item, rows: all, work: work)
        for block in blocks {
            let ys = (2 * block, min(2 * block + 1, height - 1))
            for y in [ys.0, ys.1] where y >= all.lowerBound { warp(y, item, source, work) }
            pool(block - blocks.lowerBound, ys, greenToo: ratios != nil, work)
        }
        var total = 0.0
        for block in rows.lowerBound / 2..<(rows.upperBound + 1) / 2 {
            judge(block, blocks, item, curves: frameCurves, ratios: ratios, tuning: tuning, work)
            total += accumulate(block, item: item, work: work)
        }
        return total
    }

    // MARK: Resample

    /// Fills the nodes of every row, and gives what they need of the frame, in linear light.
    private func source(_ item: Contribution, rows: Range<Int>, work: MergeScratch) -> WarpSource {
        let reach = work.reach
        reach.clear()
        for y in rows {
            let (xs, ys) = work.nodes(y)
            item.field.positions(row: y, from: 0, step: 4, count: work.nodeCount, level: 0, xs: xs, ys: ys)
            reach.add(Row(xs), Row(ys))
        }
        return work.source.fill(
            item.frame, wanted: reach.samples(of: (item.frame.width, item.frame.height)),
            scale: 1 / item.radianceScale)
    }

    private func warp(_ y: Int, _ item: Contribution, _ source: WarpSource, _ work: MergeScratch) {
        let nodes = work.nodes(y)
        warpRow(
            source, kernel: kernel, nodes: (Row(nodes.0), Row(nodes.1)), count: width,
            size: (item.frame.width, item.frame.height),
            into: (work.warped(0, y), work.warped(1, y), work.warped(2, y)), inside: work.inside(y))
    }

    // MARK: Judge

    /// Squared differences to the reference, and means, of a row of blocks.
    private func pool(_ index: Int, _ ys: (Int, Int), greenToo: Bool, _ work: MergeScratch) {
        let line = work.line
        for c in 0..<3 {
            let (first, second) = (work.reference(0), work.reference(1))
            reference.linearRow(channel: c, y: ys.0, from: 0, count: width, into: first)
            reference.linearRow(channel: c, y: ys.1, from: 0, count: width, into: second)
            poolMismatch(
                (Row(work.warped(c, ys.0)), Row(work.warped(c, ys.1))),
                (Row(first), Row(second)), width: width, line: line,
                squares: work.squares(c, index), means: work.means(c, index))
            if greenToo && c == 1 {
                poolRow(
                    (Row(first), Row(second)), width: width, line: line, into: work.green(index))
            }
        }
    }

    /// The trust of a row of blocks, and the inverse variance to weigh it with, against the reference's.
    private func judge(
        _ block: Int, _ blocks: Range<Int>, _ item: Contribution, curves frameCurves: [VarianceCurve],
        ratios: [Float]?, tuning: Tuning, _ work: MergeScratch
    ) {
        let half = (width + 1) / 2
        let index = block - blocks.lowerBound
        let near = (max(index - 1, 0), index, min(index + 1, blocks.count - 1))
        let gain = resamplingNoise
        // A long frame's shake blur is an error like any other: only frames like the reference get slack.
        let alike = frameCurves[1].readSquared == curves[1].readSquared && frameCurves[1].shot == curves[1].shot
        let slack2 = ratios == nil ? tuning.slack * tuning.slack : 0
        let (trust, ratio, bare) = (work.trust, work.ratio, work.bare)
        trust.update(repeating: 0, count: half)
        bare.update(repeating: 0, count: half)
        for c in 0..<3 {
            addMisfitRow(
                squares: .init(
                    above: Row(work.squares(c, near.0)), here: Row(work.squares(c, near.1)),
                    below: Row(work.squares(c, near.2))),
                means: .init(
                    above: Row(work.means(c, near.0)), here: Row(work.means(c, near.1)),
                    below: Row(work.means(c, near.2))),
                count: half,
                model: .init(
                    own: curves[c], other: ratios == nil && alike ? nil : frameCurves[c], gain: gain, slack2: slack2),
                share: 1.0 / 3, line: work.line, into: (trust, bare))
        }
        // Inverse variance against the reference's, at the mean green around: a pixel's own noise must not weigh it.
        if let ratios {
            meanOfBlocks(
                .init(above: Row(work.green(near.0)), here: Row(work.green(near.1)), below: Row(work.green(near.2))),
                count: half,
                line: work.line, into: ratio)
            let last = Float(Self.ratioSteps - 1)
            for x in 0..<half { ratio[x] = ratios[Int(min(max(ratio[x], 0), 1).squareRoot() * last)] }
        } else {
            ratio.update(repeating: 1, count: half)
        }
        let calm = 1 / tuning.unmodelled
        let (most, tolerance, steepness, leverage) = (item.trust, tuning.tolerance, tuning.steepness, tuning.lever)
        for x in 0..<half {
            // An error weighs as much more as the frame's own noise is less.
            let lever = 1 + leverage * (ratio[x] - 1)
            let excess = max(trust[x] * calm - 1 - tolerance, 0) * steepness * max(lever, 0.5)
            trust[x] = most / (1 + excess + excess * excess)
        }
        if ratios == nil {
            // Slack keeps trust; what it explains is an error all the same, and one beside which noise may be small.
            let scatter = 1 + tuning.errorTolerance
            for x in 0..<half { trust[x] /= 1 + (1 + gain) * max(bare[x] * calm - scatter, 0) }
        }
        if let motion = item.motion { coarseTrust(motion, block: block, times: trust, work) }
    }

    /// Multiplies a row of blocks' trust by the coarse map, bilinear between its samples.
    private func coarseTrust(
        _ motion: MotionMap, block: Int, times trust: MutableRow<Float>, _ work: MergeScratch
    ) {
        let map = motion.trust
        let half = (width + 1) / 2
        // Blocks a sample of the map, 0.5 where the map is as fine as the picture.
        let size = Float(1 << motion.level) * 0.5
        let v = min(max((Float(block) + 0.5) / size - 0.5, 0), Float(map.height - 1))
        let r0 = min(Int(v), max(map.height - 2, 0))
        let (a, b) = (map.row(r0), map.row(min(r0 + 1, map.height - 1)))
        let fy = v - Float(r0)
        let line = work.line
        let last = map.width - 1
        for x in 0...last { line[x] = a[x] + (b[x] - a[x]) * fy }
        if motion.level == 1 {
            for x in 0..<min(half, map.width) { trust[x] *= line[x] }
            return
        }
        if motion.level == 2 {
            // Two blocks a sample, a quarter of a sample to either side of it.
            for c in 0...last {
                let (before, after) = (line[max(c - 1, 0)], line[min(c + 1, last)])
                let x = 2 * c
                if x < half { trust[x] *= line[c] + (before - line[c]) * 0.25 }
                if x + 1 < half { trust[x + 1] *= line[c] + (after - line[c]) * 0.25 }
            }
            return
        }
        for x in 0..<half {
            let u = min(max((Float(x) + 0.5) / size - 0.5, 0), Float(last))
            let c = min(Int(u), max(last - 1, 0))
            trust[x] *= line[c] + (line[min(c + 1, last)] - line[c]) * (u - Float(c))
        }
    }

    // MARK: Add

    /// Adds a row of blocks, weighted; gives the sum of their trust.
    private func accumulate(_ block: Int, item: Contribution, work: MergeScratch) -> Double {
        let (first, second) = (2 * block, min(2 * block + 1, height - 1))
        if item.radianceScale != 1 { distrustClipped(first, second, item, work) }
        let total = addBlockWeights(
            BlockWeightArguments(
                trust: work.trust, ratio: work.ratio,
                inside: (Row(work.inside(first)), Row(work.inside(second))),
                weight: weight.mutableRow(block), weight2: weight2.mutableRow(block),
                other: isOther(item) ? otherWeight?.mutableRow(block) : nil, width: width))
        doubleRow(Row(work.ratio), count: width, into: work.line)
        for y in first...second {
            for c in 0..<3 {
                accumulateRow(Row(work.warped(c, y)), weight: Row(work.line), count: width, into: sums[c].mutableRow(y))
            }
        }
        return Double(total)
    }

    /// Samples near white may have lost light: no weight, with a ramp over the top tenth so that no edge shows.
    private func distrustClipped(_ first: Int, _ second: Int, _ item: Contribution, _ work: MergeScratch) {
        let clip = item.frame.whiteClip / item.radianceScale
        let (ramp, line, w) = (10 / clip, work.line, width)
        line.update(repeating: 0, count: w + 1)
        for y in [first, second] {
            let (r, g, b) = (work.warped(0, y), work.warped(1, y), work.warped(2, y))
            for x in 0..<w { line[x] = max(line[x], max(r[x], max(g[x], b[x]))) }
        }
        let trust = work.trust
        for x in 0..<(w + 1) / 2 {
            trust[x] *= min(max((clip - max(line[2 * x], line[2 * x + 1])) * ramp, 0), 1)
        }
    }
}

/// Working memory of one thread of the merge.
final class MergeScratch {
    private let width: Int
    private let half: Int
    private let rows: Int
    /// First row of the band at hand, its halo included.
    var top = 0
    /// Nodes a row: every fourth column, and what the last run of eight looks at.
    let nodeCount: Int
    let source = SourceRows()
    /// Of the band at hand.
    let reach: NodeReach
    let line, trust, ratio, bare: MutableRow<Float>
    private let warpedRows, insideRows, nodeRows, referenceRows, blockRows: MutableRow<Float>
    private let memory: Floats

    /// For bands of `rows` rows and two more on either side.
    init(width: Int, rows: Int) {
        self.width = width
        self.rows = rows + 4
        half = (width + 1) / 2
        nodeCount = (width + 7) / 8 * 2 + 2
        let plane = self.rows * width
        let blockPlane = (self.rows / 2 + 1) * half
        let lineRoom = 6 * (width + 8)
        memory = Floats(4 * plane + 2 * self.rows * nodeCount + 2 * width + 7 * blockPlane + lineRoom + 3 * half)
        warpedRows = memory.base
        insideRows = warpedRows + 3 * plane
        nodeRows = insideRows + plane
        referenceRows = nodeRows + 2 * self.rows * nodeCount
        blockRows = referenceRows + 2 * width
        line = blockRows + 7 * blockPlane
        trust = line + lineRoom
        ratio = trust + half
        bare = ratio + half
        reach = NodeReach(nodes: nodeCount)
    }

    func warped(_ channel: Int, _ y: Int) -> MutableRow<Float> {
        warpedRows + (channel * rows + y - top) * width
    }
    func inside(_ y: Int) -> MutableRow<Float> { insideRows + (y - top) * width }
    func nodes(_ y: Int) -> (MutableRow<Float>, MutableRow<Float>) {
        let at = nodeRows + 2 * (y - top) * nodeCount
        return (at, at + nodeCount)
    }
    func reference(_ index: Int) -> MutableRow<Float> { referenceRows + index * width }
    private func block(_ plane: Int, _ index: Int) -> MutableRow<Float> {
        blockRows + (plane * (rows / 2 + 1) + index) * half
    }
    func squares(_ channel: Int, _ index: Int) -> MutableRow<Float> { block(channel, index) }
    func means(_ channel: Int, _ index: Int) -> MutableRow<Float> { block(3 + channel, index) }
    func green(_ index: Int) -> MutableRow<Float> { block(6, index) }
}
