package import NightfuseCore
internal import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The noise of a frame, measured from the pictures themselves.
///
/// Two roughly aligned frames: over blocks of 8 x 8 samples, the half difference holds noise and what misalignment
/// left of texture, the half sum holds texture. For equal noise the two are independent, so choosing the blocks whose
/// sum is flattest does not bias the difference (idea: Buades et al., "A note on multi-image denoising", 2009). One
/// frame alone: a Laplacian's energy (Immerkaer 1996) in the blocks that are flattest by their coarse frequencies, which
/// are as independent of it.
///
/// Blocks are sorted into bins of like brightness, and shot and read noise fitted to the bins' variances, with
/// clipping at black in the model.
package struct NoiseEstimation: Sendable {
    /// One a channel (red, green, blue).
    package var channels: [NoiseModel]
    /// Noise power of each 8 x 8 DCT coefficient in stabilised, decorrelated colour (see ``OpponentColour``), white
    /// noise of one frame = 1: three tables of 64, row by row.
    package var spectrum: [[Float]]

    /// Variance of the noise when it was clipped at black, over the variance it has in the picture.
    ///
    /// 1 for white noise. A camera clips samples that its demosaic has yet to smooth, so coarse noise tells of stronger
    /// noise before: a mean over sampled and interpolated pixels of bilinear interpolation gives 1.5 where coarse luma
    /// noise stands at 7 times the pixels'.
    package var clippedNoiseFactor: Double {
        let luma = spectrum[0]
        let coarse = Double(luma[1] + luma[8] + luma[9]) / 3
        return 1 + 0.08 * min(max(coarse - 1.5, 0), 8)
    }

    /// Noise variance of smoothed luma, (1 2 1) / 4 along both axes, one frame of white noise = (6/16)^2.
    ///
    /// The smoothing passes cos^4(pi k / 16) of the power of DCT frequency k along an axis.
    package var smoothedLumaPower: Double {
        // cos^4(pi k / 16), k = 0 ... 7.
        let pass: [Double] = [1, 0.925_328, 0.728_553, 0.477_975, 0.25, 0.095_269, 0.021_447, 0.001_447]
        var sum = 0.0
        for k in 0..<8 { for l in 0..<8 { sum += Double(spectrum[0][k * 8 + l]) * pass[k] * pass[l] } }
        return sum / 64
    }

    /// Blocks looked at, at most; enough for bins of a thousand.
    private static let mostBlocks = 24_000
    private static let bins = 24

    struct Block {
        var mean: Float
        var texture: Float
        var noise: Float
        var x: Int
        var y: Int
    }

    /// From one frame alone. White noise is assumed.
    package init(frame: FrameData) {
        channels = (0..<3).map { channel in
            if frame.planes.count == 1 && channel > 0 { return NoiseModel(shot: 0, read: 0) }
            let blocks = Self.blocks(frame, channel: channel)
            return Self.fit(blocks: blocks, clips: frame.clippedAtBlack)
        }
        if frame.planes.count == 1 { channels = [channels[0], channels[0], channels[0]] }
        channels = channels.map { $0.noFiner(than: frame.codeNoise) }
        spectrum = [[Float]](repeating: [Float](repeating: 1, count: 64), count: 3)
    }

    /// A frame on the reference's radiance scale, and where the reference's pixels lie in it.
    package struct Partner: Sendable {
        package var frame: FrameData
        package var field: AlignmentField
        package init(frame: FrameData, field: AlignmentField) { (self.frame, self.field) = (frame, field) }
    }

    /// From a reference and its partners (at least one), roughly aligned.
    package init(
        reference: FrameData, partners: [Partner], start: NoiseEstimation, workers: Workers
    ) throws(NightfuseError) {
        let count = reference.planes.count == 1 ? 1 : 3
        let found = try workers.map(count) { channel throws(NightfuseError) in
            let blocks = partners.flatMap { Self.blocks(reference, $0.frame, field: $0.field, channel: channel) }
            guard blocks.count >= 64 else { return (model: start.channels[channel], flat: [Block]()) }
            // The flat blocks of green (of grey) tell the spectrum.
            return (
                model: Self.fit(blocks: blocks, clips: reference.clippedAtBlack),
                flat: channel == (count == 1 ? 0 : 1) ? Self.flattest(blocks) : []
            )
        }
        let models = found.map(\.model)
        let flat = found.flatMap(\.flat)
        channels = models.count == 1 ? [models[0], models[0], models[0]] : models
        channels = channels.map { $0.noFiner(than: reference.codeNoise) }
        spectrum = start.spectrum
        if flat.count >= 48, let first = partners.first {
            spectrum = Self.spectrum(
                reference, first.frame, field: first.field, blocks: flat,
                stabilisers: channels.map { Stabiliser(ClippedNoise(noise: $0, clips: reference.clippedAtBlack)) })
        }
    }

    // MARK: Blocks

    static func grid(_ width: Int, _ height: Int) -> (step: Int, columns: Int, rows: Int) {
        // Overlapping blocks where the picture is small.
        var step = width * height < 500_000 ? 4 : 8
        while (width / step) * (height / step) > mostBlocks { step += 4 }
        return (step, max((width - 8) / step + 1, 0), max((height - 8) / step + 1, 0))
    }

    /// Mean, and noise by a Laplacian, of blocks of one frame.
    private static func blocks(_ frame: FrameData, channel: Int) -> [Block] {
        guard frame.width >= 8, frame.height >= 8 else { return [] }
        let g = grid(frame.width, frame.height)
        var result: [Block] = []
        var pixels = [Float](repeating: 0, count: 64)
        for r in 0..<g.rows {
            for c in 0..<g.columns {
                load(frame, channel, c * g.step, r * g.step, &pixels)
                var sum: Float = 0
                var energy: Float = 0
                for v in pixels { sum += v }
                for y in 1..<7 {
                    for x in 1..<7 {
                        let k = y * 8 + x
                        let cross = pixels[k - 1] + pixels[k + 1] + pixels[k - 8] + pixels[k + 8]
                        let corners = pixels[k - 9] + pixels[k - 7] + pixels[k + 7] + pixels[k + 9]
                        let l = 4 * pixels[k] - 2 * cross + corners
                        energy += l * l
                    }
                }
                if pixels.contains(where: { $0 >= frame.whiteClip }) { continue }
                // White noise of variance v gives the Laplacian 36 v.
                result.append(
                    Block(
                        mean: sum / 64, texture: coarseVariance(pixels, mean: sum / 64), noise: energy / (36 * 36),
                        x: 0, y: 0))
            }
        }
        return result
    }

    /// Four times the variance of a block's means over 2 x 2: texture, and as much as the noise where there is no other.
    ///
    /// Those means keep next to nothing of the frequencies that the Laplacian answers to, so that a block chosen for
    /// one is not chosen for the other.
    private static func coarseVariance(_ pixels: [Float], mean: Float) -> Float {
        var sum: Float = 0
        for y in stride(from: 0, to: 64, by: 16) {
            for k in stride(from: y, to: y + 8, by: 2) {
                let d = 0.25 * (pixels[k] + pixels[k + 1] + pixels[k + 8] + pixels[k + 9]) - mean
                sum += d * d
            }
        }
        return 4 * sum / 15
    }

    /// Mean, texture and noise of blocks of a pair; the frame's block b is resampled onto the reference's, a.
    ///
    /// White noise of variance v leaves the resampling with G v, G known from the kernel's weights there, so a - b has
    /// (1 + G) v. Texture is judged on (G a + b) / (1 + G), whose noise is independent of the difference's.
    private static func blocks(
        _ reference: FrameData, _ frame: FrameData, field: AlignmentField, channel: Int
    ) -> [Block] {
        guard reference.width >= 8, reference.height >= 8 else { return [] }
        let kernel = InterpolationKernel.lanczos(lobes: 3)
        let g = grid(reference.width, reference.height)
        var result: [Block] = []
        var a = [Float](repeating: 0, count: 64)
        var b = a
        var patch = [Float](repeating: 0, count: patchSize * patchSize)
        for r in 0..<g.rows {
            for c in 0..<g.columns {
                let (x, y) = (c * g.step, r * g.step)
                load(reference, channel, x, y, &a)
                guard let gain = resample(frame, channel, x, y, field, kernel, &patch, &b) else { continue }
                var (s, ss, d, dd) = (Float(0), Float(0), Float(0), Float(0))
                let share = gain / (1 + gain)
                var clipped = false
                for k in 0..<64 {
                    s += a[k] * share + b[k] * (1 - share)
                    d += a[k] - b[k]
                    clipped = clipped || a[k] >= reference.whiteClip
                }
                if clipped { continue }
                for k in 0..<64 {
                    let sum = a[k] * share + b[k] * (1 - share) - s / 64
                    let difference = a[k] - b[k] - d / 64
                    ss += sum * sum
                    dd += difference * difference
                }
                // Texture is brought to the scale of noise: 1 where there is only noise.
                result.append(
                    Block(mean: s / 64, texture: ss / (63 * share), noise: dd / (63 * (1 + gain)), x: x, y: y))
            }
        }
        return result
    }

    /// Side of the patch that eight resampled samples need: seven more for the kernel, and room for a turn.
    private static let patchSize = 18

    /// The frame's samples under the reference's block at (x, y), and what share of white noise's variance they keep;
    /// nil where the block leaves the frame.
    private static func resample(
        _ frame: FrameData, _ channel: Int, _ x: Int, _ y: Int, _ field: AlignmentField, _ kernel: InterpolationKernel,
        _ patch: inout [Float], _ out: inout [Float]
    ) -> Float? {
        let corners = [field.global(Double(x), Double(y)), field.global(Double(x) + 7, Double(y) + 7)]
        let left = min(corners[0].x, corners[1].x).rounded(.down) - 4
        let top = min(corners[0].y, corners[1].y).rounded(.down) - 4
        let size = patchSize
        guard left >= 0, top >= 0, left + Double(size) <= Double(frame.width),
            top + Double(size) <= Double(frame.height)
        else { return nil }
        let (x0, y0) = (Int(left), Int(top))
        let middle = field.global(Double(x) + 3.5, Double(y) + 3.5)
        func power(_ position: Double) -> Float {
            let phase = Int((position - position.rounded(.down)) * Double(InterpolationKernel.phases))
            let w = kernel.weights[min(phase, InterpolationKernel.phases - 1)]
            return (w * w).sum()
        }
        var xs = [Float](repeating: 0, count: 8)
        var ys = xs
        patch.withUnsafeMutableBufferPointer { p in
            out.withUnsafeMutableBufferPointer { o in
                guard let source = p.baseAddress, let target = o.baseAddress else { return }
                for row in 0..<size {
                    frame.linearRow(channel: channel, y: y0 + row, from: x0, count: size, into: source + row * size)
                }
                for row in 0..<8 {
                    field.positions(row: y + row, from: x, count: 8, level: 0, xs: &xs, ys: &ys)
                    for k in 0..<8 {
                        xs[k] = min(max(xs[k] - Float(left), 3), Float(size - 5))
                        ys[k] = min(max(ys[k] - Float(top), 3), Float(size - 5))
                    }
                    resampleRow(
                        [UnsafePointer(source)], stride: size, xs: xs, ys: ys, count: 8, kernel: kernel,
                        outputs: [target + row * 8])
                }
            }
        }
        // Samples of the block stand half a sample off its middle.
        return power(middle.x + 0.5) * power(middle.y + 0.5)
    }

    /// The block of `frame` that lies nearest to the reference's block at (x, y), by whole samples.
    private static func partner(_ x: Int, _ y: Int, _ field: AlignmentField, _ frame: FrameData) -> (Int, Int)? {
        let p = field.global(Double(x) + 3.5, Double(y) + 3.5)
        let fx = Int((p.x - 3.5).rounded())
        let fy = Int((p.y - 3.5).rounded())
        guard fx >= 0, fy >= 0, fx + 8 <= frame.width, fy + 8 <= frame.height else { return nil }
        return (fx, fy)
    }

    static func load(_ frame: FrameData, _ channel: Int, _ x: Int, _ y: Int, _ out: inout [Float]) {
        out.withUnsafeMutableBufferPointer { p in
            guard let base = p.baseAddress else { return }
            for row in 0..<8 { frame.linearRow(channel: channel, y: y + row, from: x, count: 8, into: base + row * 8) }
        }
    }

    // MARK: Fit

    /// Bins of like brightness, each with as many blocks.
    private static func binned(_ blocks: [Block]) -> [ArraySlice<Block>] {
        let sorted = blocks.sorted { $0.mean < $1.mean }
        let count = min(bins, max(sorted.count / 40, 1))
        return (0..<count).map { sorted[$0 * sorted.count / count..<($0 + 1) * sorted.count / count] }
    }

    /// The flattest fifth of every bin.
    static func flattest(_ blocks: [Block]) -> [Block] {
        binned(blocks).flatMap { bin in Array(bin.sorted { $0.texture < $1.texture }.prefix(max(bin.count / 5, 8))) }
    }

    /// The blocks of a bin whose half sum scatters no more than noise does, and whose difference is no outlier; a fifth
    /// of the bin at least.
    private static func textureless(_ bin: ArraySlice<Block>) -> [Block] {
        let byTexture = bin.sorted { $0.texture < $1.texture }
        let least = max(bin.count / 5, 8)
        let flat = byTexture.prefix(least).map(\.noise).sorted()
        let sigma2 = flat[flat.count / 2]
        // The sample variance of 64 values scatters by 0.18 of itself; three times that.
        let limit = sigma2 * 1.5
        let kept = byTexture.enumerated().filter { $0.offset < least || $0.element.texture < limit }.map(\.element)
        let sane = kept.filter { $0.noise < 2.2 * sigma2 }
        return sane.count >= 8 ? sane : kept
    }

    /// How far blocks are from texture: 1 where their sums scatter as noise does. Where light varies inside a block,
    /// the bend of the variance curve near black makes its mean variance too small.
    private static func flatness(_ blocks: [Block]) -> Double {
        let texture = blocks.reduce(0) { $0 + Double($1.texture) }
        let noise = blocks.reduce(0) { $0 + Double($1.noise) }
        let share = min(noise / max(texture, 1e-15), 1)
        return share * share * share * share
    }

    /// Fits shot and read noise to the bins, in log variance, by a search that narrows.
    static func fit(blocks: [Block], clips: Bool) -> NoiseModel {
        guard !blocks.isEmpty else { return NoiseModel(shot: 1e-4, read: 1e-3) }
        var points: [(mean: Double, variance: Double, weight: Double)] = []
        for bin in binned(blocks) {
            let kept = textureless(bin)
            let count = Double(kept.count)
            points.append(
                (
                    kept.reduce(0) { $0 + Double($1.mean) } / count,
                    kept.reduce(0) { $0 + Double($1.noise) } / count, flatness(kept)
                ))
        }
        // A picture's codes are no finer than 16 bits of sRGB: 1 / (65535 * 12.92).
        let tiny = 1e-12
        points = points.map { ($0.mean, max($0.variance, tiny), $0.weight) }
        let largest = points.map(\.variance).max() ?? tiny
        let brightest = max(points.map(\.mean).max() ?? 1, 1e-4)
        func misfit(_ shot: Double, _ read: Double) -> Double {
            let expected = ClippedNoise(noise: NoiseModel(shot: shot, read: read), clips: clips)
                .variances(means: points.map(\.mean))
            return zip(points, expected).reduce(0) { sum, pair in
                let d = log(pair.0.variance / max(pair.1, tiny))
                // Texture only adds variance: a bin far above the curve must not lift it.
                let e = min(max(d, -2), 0.7)
                return sum + pair.0.weight * e * e
            }
        }
        var centre = (shot: log(largest / brightest), read: 0.5 * log(largest))
        // A wide look first (a factor 1.65 a step: the valley is narrow), then closer and closer.
        var (half, step) = (12, 0.5)
        var best = (cost: Double.infinity, at: centre)
        for _ in 0..<12 {
            for i in -half...half {
                for j in -half...half {
                    let at = (centre.shot + step * Double(i), centre.read + step * 0.5 * Double(j))
                    let cost = misfit(exp(at.0), exp(at.1))
                    if cost < best.cost { best = (cost, at) }
                }
            }
            centre = best.at
            step *= half > 3 ? 0.5 : 0.6
            half = 3
        }
        return NoiseModel(shot: exp(best.at.shot), read: exp(best.at.read))
    }

    // MARK: Spectrum

    private static func spectrum(
        _ reference: FrameData, _ frame: FrameData, field: AlignmentField, blocks: [Block], stabilisers: [Stabiliser]
    ) -> [[Float]] {
        var power = [[[Float]]](repeating: [[Float]](repeating: [], count: 64), count: 3)
        var a = [Float](repeating: 0, count: 64)
        var b = a
        var difference = [[Float]](repeating: a, count: 3)
        for block in blocks {
            guard let (fx, fy) = partner(block.x, block.y, field, frame) else { continue }
            for channel in 0..<3 {
                load(reference, channel, block.x, block.y, &a)
                load(frame, channel, fx, fy, &b)
                for k in 0..<64 {
                    difference[channel][k] =
                        (stabilisers[channel](a[k]) - stabilisers[channel](b[k])) * Float(0.5).squareRoot()
                }
            }
            for k in 0..<64 {
                let o = OpponentColour.forward(difference[0][k], difference[1][k], difference[2][k])
                difference[0][k] = o.0
                difference[1][k] = o.1
                difference[2][k] = o.2
            }
            for channel in 0..<3 {
                let coefficients = dct8x8(difference[channel])
                for k in 0..<64 { power[channel][k].append(coefficients[k] * coefficients[k]) }
            }
        }
        return power.map { channel in
            var spectrum = channel.map { values in
                // Median of chi square with one degree of freedom: 0.455 of its mean; movers and edges do not count.
                let sorted = values.sorted()
                return sorted.isEmpty ? 1 : max(sorted[sorted.count / 2] / 0.455, 1e-3)
            }
            // What stands in the blocks' means and not in the slowest waves is a step of brightness between the frames.
            spectrum[0] = min(spectrum[0], 2 * max(spectrum[1], spectrum[8]))
            return spectrum
        }
    }
}

extension FrameData {
    /// The noise of rounding to codes (a twelfth of a step squared), as a model: the step in the dark is read noise, and
    /// what the step at middle grey has more is shot noise.
    var codeNoise: NoiseModel {
        let middle = linear.firstIndex { $0 >= 0.18 } ?? linear.count - 1
        func step(_ code: Int) -> Double {
            Double(linear[min(code + 1, linear.count - 1)] - linear[max(code - 1, 0)]) / 2
        }
        let dark = linear.firstIndex { $0 >= 0 } ?? 0
        let (low, high) = (step(dark + 1) * step(dark + 1) / 12, step(middle) * step(middle) / 12)
        return NoiseModel(shot: max(high - low, 0) / 0.18, read: low.squareRoot())
    }
}

extension NoiseModel {
    /// At least as much noise as `least` has, in the dark and in the light.
    func noFiner(than least: NoiseModel) -> NoiseModel {
        NoiseModel(shot: max(shot, least.shot), read: max(read, least.read))
    }
}
