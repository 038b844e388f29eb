internal import NightfuseCore
internal import NightfuseKernels

/// Samples of one block in all channels, of the frame or of a pair: what a thread works with while it gathers blocks.
private final class BlockScratch {
    /// Side of the patch that eight resampled samples need: four more before and eight more behind them for the kernel and
    /// for its runs, and room for a turn.
    static let patch = 20

    let own, other, patches, xs, ys, inside: MutableRow<Float>
    private let memory: Floats

    init() {
        let patches = 3 * Self.patch * Self.patch
        memory = Floats(2 * 3 * 64 + patches + 2 * Self.nodes + 8)
        own = memory.base
        other = own + 3 * 64
        self.patches = other + 3 * 64
        xs = self.patches + patches
        ys = xs + Self.nodes
        inside = ys + Self.nodes
    }

    /// Positions that a run of eight samples is told by, four samples apart.
    private static let nodes = 5

    func load(_ frame: FrameData, _ x: Int, _ y: Int) {
        for c in 0..<frame.samples.count {
            for row in 0..<8 {
                frame.linearRow(channel: c, y: y + row, from: x, count: 8, into: own + c * 64 + row * 8)
            }
        }
    }

    /// The frame's samples under the reference's block at (x, y) in `other`, and what share of white noise's variance they
    /// keep; nil where the block leaves the frame or is turned by more than a patch holds (some 25 degrees).
    func resample(
        _ frame: FrameData, _ x: Int, _ y: Int, _ field: AlignmentField, _ kernel: WarpKernel
    ) -> Float? {
        let (u, v) = (Double(x), Double(y))
        let corners = [field.global(u, v), field.global(u + 7, v), field.global(u, v + 7), field.global(u + 7, v + 7)]
        let (firstX, firstY) = (
            corners.reduce(.infinity) { min($0, $1.x) }, corners.reduce(.infinity) { min($0, $1.y) }
        )
        let (lastX, lastY) = (
            corners.reduce(-.infinity) { max($0, $1.x) }, corners.reduce(-.infinity) { max($0, $1.y) }
        )
        let (left, top) = (firstX.rounded(.down) - 4, firstY.rounded(.down) - 4)
        let size = Self.patch
        guard left >= 0, top >= 0, left + Double(size) <= Double(frame.width),
            top + Double(size) <= Double(frame.height), max(lastX - left, lastY - top) < Double(size - 6)
        else { return nil }
        let (x0, y0) = (Int(left), Int(top))
        let channels = frame.samples.count
        for c in 0..<channels {
            for row in 0..<size {
                frame.linearRow(
                    channel: c, y: y0 + row, from: x0, count: size, into: patches + (c * size + row) * size)
            }
        }
        let step = channels == 1 ? 0 : size * size
        let source = WarpSource(
            red: Row(patches), green: Row(patches + step), blue: Row(patches + 2 * step), stride: size, firstRow: 0)
        for row in 0..<8 {
            field.positions(row: y + row, from: x, step: 4, count: Self.nodes, level: 0, xs: xs, ys: ys)
            for k in 0..<Self.nodes {
                xs[k] -= Float(left)
                ys[k] -= Float(top)
            }
            let out = other + row * 8
            warpRow(
                source, kernel: kernel, nodes: (Row(xs), Row(ys)), count: 8, size: (size, size),
                into: (out, out + 64, out + 128), inside: inside)
        }
        // Samples of the block stand half a sample off its middle.
        let middle = field.global(u + 3.5, v + 3.5)
        return Self.power(middle.x + 0.5, kernel.kernel) * Self.power(middle.y + 0.5, kernel.kernel)
    }

    private static func power(_ position: Double, _ kernel: InterpolationKernel) -> Float {
        let phase = Int((position - position.rounded(.down)) * Double(InterpolationKernel.phases))
        let w = kernel.weights[min(phase, InterpolationKernel.phases - 1)]
        return (w * w).sum()
    }
}

extension NoiseEstimation {
    /// Blocks of every channel of a frame alone, in reading order: mean, and noise by a Laplacian.
    static func blocks(
        _ frame: FrameData, most: Int = mostBlocks, workers: Workers
    ) throws(NightfuseError) -> [[Block]] {
        try gather(frame, most: most, workers: workers) { (work, x, y, add) in
            work.load(frame, x, y)
            for c in 0..<frame.samples.count {
                if let block = single(Row(work.own + c * 64), whiteClip: frame.whiteClip) { add(c, block) }
            }
        }
    }

    private static func single(_ pixels: Row<Float>, whiteClip: Float) -> Block? {
        var sum: Float = 0
        var energy: Float = 0
        var peak = -Float.infinity
        for k in 0..<64 {
            sum += pixels[k]
            peak = max(peak, pixels[k])
        }
        if peak >= whiteClip { return nil }
        for y in 1..<7 {
            for x in 1..<7 {
                let k = y * 8 + x
                let cross = pixels[k - 1] + pixels[k + 1] + pixels[k - 8] + pixels[k + 8]
                let corners = pixels[k - 9] + pixels[k - 7] + pixels[k + 7] + pixels[k + 9]
                let l = 4 * pixels[k] - 2 * cross + corners
                energy += l * l
            }
        }
        // White noise of variance v gives the Laplacian 36 v.
        return Block(
            mean: sum / 64, texture: coarseVariance(pixels, mean: sum / 64), noise: energy / (36 * 36), x: 0, y: 0)
    }

    /// Four times the variance of a block's means over 2 x 2: texture, and as much as the noise where there is no other.
    ///
    /// Those means keep next to nothing of the frequencies that the Laplacian answers to, so that a block chosen for
    /// one is not chosen for the other.
    private static func coarseVariance(_ pixels: Row<Float>, mean: Float) -> Float {
        var sum: Float = 0
        for y in stride(from: 0, to: 64, by: 16) {
            for k in stride(from: y, to: y + 8, by: 2) {
                let d = 0.25 * (pixels[k] + pixels[k + 1] + pixels[k + 8] + pixels[k + 9]) - mean
                sum += d * d
            }
        }
        return 4 * sum / 15
    }

    /// Blocks of every channel of a pair; the frame's block b is resampled onto the reference's, a.
    ///
    /// White noise of variance v leaves the resampling with G v, G known from the kernel's weights there, so a - b has
    /// (1 + G) v. Texture is judged on (G a + b) / (1 + G), whose noise is independent of the difference's.
    static func blocks(
        _ reference: FrameData, _ frame: FrameData, field: AlignmentField, most: Int, workers: Workers
    ) throws(NightfuseError) -> [[Block]] {
        let kernel = WarpKernel.lanczos(lobes: 3)
        return try gather(reference, most: most, workers: workers) { (work, x, y, add) in
            guard let gain = work.resample(frame, x, y, field, kernel) else { return }
            work.load(reference, x, y)
            for c in 0..<reference.samples.count {
                let pair = (Row(work.own + c * 64), Row(work.other + c * 64))
                if let block = pairBlock(pair.0, pair.1, gain: gain, whiteClip: reference.whiteClip, x, y) {
                    add(c, block)
                }
            }
        }
    }

    private static func pairBlock(
        _ a: Row<Float>, _ b: Row<Float>, gain: Float, whiteClip: Float, _ x: Int, _ y: Int
    ) -> Block? {
        var (s, ss, d, dd) = (Float(0), Float(0), Float(0), Float(0))
        let share = gain / (1 + gain)
        var peak = -Float.infinity
        for k in 0..<64 {
            s += a[k] * share + b[k] * (1 - share)
            d += a[k] - b[k]
            peak = max(peak, a[k])
        }
        if peak >= whiteClip { return nil }
        for k in 0..<64 {
            let sum = a[k] * share + b[k] * (1 - share) - s / 64
            let difference = a[k] - b[k] - d / 64
            ss += sum * sum
            dd += difference * difference
        }
        // Texture is brought to the scale of noise: 1 where there is only noise.
        return Block(mean: s / 64, texture: ss / (63 * share), noise: dd / (63 * (1 + gain)), x: x, y: y)
    }

    /// Goes over the grid's blocks, rows of them on several threads; gives what was added, by channel, in reading order.
    private static func gather(
        _ frame: FrameData, most: Int = mostBlocks, workers: Workers,
        _ visit: @Sendable (BlockScratch, _ x: Int, _ y: Int, _ add: (Int, Block) -> Void) -> Void
    ) throws(NightfuseError) -> [[Block]] {
        let channels = frame.samples.count
        guard frame.width >= 8, frame.height >= 8 else { return .init(repeating: [], count: channels) }
        let g = grid(frame.width, frame.height, most: most)
        let grain = 8
        let bands = try workers.map((g.rows + grain - 1) / grain) { band throws(NightfuseError) in
            var found = [[Block]](repeating: [], count: channels)
            for c in 0..<channels { found[c].reserveCapacity(grain * g.columns) }
            let work = BlockScratch()
            for r in band * grain..<min((band + 1) * grain, g.rows) {
                for c in 0..<g.columns { visit(work, c * g.step, r * g.step) { found[$0].append($1) } }
            }
            return found
        }
        return (0..<channels).map { channel in bands.flatMap { $0[channel] } }
    }
}
