internal import NightfuseCore
internal import NightfuseKernels

extension NoiseEstimation {
    /// What one frame alone tells of noise that is not white; the estimate itself where that is nothing.
    ///
    /// A camera's denoising and its JPEG take fine noise away and leave the coarse. Where fine noise in the dark half
    /// stands below a step of the frame's codes, what still varies in the flattest blocks is taken for coarse noise: its
    /// strength from the blocks' variances, its spectrum from their DCT. White noise stands above that, but for frames of
    /// great depth, and has no need of this: then fine noise tells of all of it, and faint texture is not mistaken.
    /// Cost: one look at some 24000 blocks.
    package func withCoarseNoise(of frame: FrameData) -> NoiseEstimation {
        guard isBelowCodes(frame) else { return self }
        let channelCount = frame.samples.count
        let flat = Self.flattest(Self.variances(frame, channels: channelCount))
        guard flat.count >= 48 else { return self }
        var result = self
        for channel in 0..<channelCount {
            let blocks = flat.map { $0.block(channel) }
            result.channels[channel] = Self.fit(blocks: blocks, clips: frame.clippedAtBlack)
                .noFiner(than: frame.codeNoise)
        }
        if channelCount == 1 { result.channels = .init(repeating: result.channels[0], count: 3) }
        let stabilisers = result.channels.map { Stabiliser(ClippedNoise(noise: $0, clips: frame.clippedAtBlack)) }
        result.spectrum = Self.spectrum(frame, flat, stabilisers: stabilisers)
        return result
    }

    /// Whether noise in the dark is finer than the codes: 12 times the variance of rounding is that of a whole step.
    private func isBelowCodes(_ frame: FrameData) -> Bool {
        guard frame.width >= 8, frame.height >= 8 else { return false }
        let codes = frame.codeNoise
        // Linear light of a deep shadow and of a dim wall.
        return [0.002, 0.02].allSatisfy { channels[1].variance($0) < 12 * codes.variance($0) }
    }

    /// A block's mean and variance in every channel.
    private struct FlatBlock {
        var x: Int
        var y: Int
        var means: [Float]
        var variances: [Float]

        func block(_ channel: Int) -> Block {
            Block(mean: means[channel], texture: variances[channel], noise: variances[channel], x: x, y: y)
        }
    }

    /// The blocks in which nothing is clipped at white and next to nothing at black.
    private static func variances(_ frame: FrameData, channels: Int) -> [FlatBlock] {
        let g = grid(frame.width, frame.height)
        var result: [FlatBlock] = []
        var pixels = [Float](repeating: 0, count: 64)
        for r in 0..<g.rows {
            for c in 0..<g.columns {
                var block = FlatBlock(x: c * g.step, y: r * g.step, means: [], variances: [])
                var black = 0
                for channel in 0..<channels {
                    load(frame, channel, block.x, block.y, &pixels)
                    guard !pixels.contains(where: { $0 >= frame.whiteClip }) else { break }
                    var (sum, squares) = (Float(0), Float(0))
                    for v in pixels { sum += v }
                    for v in pixels { squares += (v - sum / 64) * (v - sum / 64) }
                    black += pixels.count { $0 <= 0 }
                    block.means.append(sum / 64)
                    block.variances.append(squares / 63)
                }
                // A tenth of the samples at black bends the variance by a fifth.
                if block.means.count == channels, black * 10 < channels * 64 { result.append(block) }
            }
        }
        return result
    }

    /// The flattest fifth of every bin of like brightness.
    private static func flattest(_ blocks: [FlatBlock]) -> [FlatBlock] {
        let sorted = blocks.sorted { $0.means.reduce(0, +) < $1.means.reduce(0, +) }
        let count = max(min(24, sorted.count / 40), 1)
        return (0..<count).flatMap { bin -> [FlatBlock] in
            let slice = sorted[bin * sorted.count / count..<(bin + 1) * sorted.count / count]
            return Array(
                slice.sorted { $0.variances.reduce(0, +) < $1.variances.reduce(0, +) }.prefix(max(slice.count / 5, 8)))
        }
    }

    /// Mean power of each DCT coefficient of stabilised, decorrelated colour. The mean of a block is no noise, so the
    /// first coefficient is taken to be as strong as its stronger neighbour.
    private static func spectrum(
        _ frame: FrameData, _ blocks: [FlatBlock], stabilisers: [Stabiliser]
    ) -> [[Float]] {
        var power = [[[Float]]](repeating: [[Float]](repeating: [], count: 64), count: 3)
        var pixels = [[Float]](repeating: [Float](repeating: 0, count: 64), count: 3)
        for block in blocks {
            for channel in 0..<3 {
                load(frame, channel, block.x, block.y, &pixels[channel])
                for k in 0..<64 { pixels[channel][k] = stabilisers[channel](pixels[channel][k]) }
            }
            for k in 0..<64 {
                let o = OpponentColour.forward(pixels[0][k], pixels[1][k], pixels[2][k])
                (pixels[0][k], pixels[1][k], pixels[2][k]) = (o.0, o.1, o.2)
            }
            for channel in 0..<3 {
                let coefficients = dct8x8(pixels[channel])
                for k in 0..<64 { power[channel][k].append(coefficients[k] * coefficients[k]) }
            }
        }
        return power.map { channel in
            var table = channel.map { values in
                // Quantised coefficients are nought as a rule and large at times: the mean, not the median, is their power.
                max(values.reduce(0, +) / Float(max(values.count, 1)), 1e-3)
            }
            table[0] = max(table[1], table[8])
            return table
        }
    }
}
