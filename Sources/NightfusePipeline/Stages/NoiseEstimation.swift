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

    /// The noise that was clipped at black, where a camera's demosaic has smoothed it since.
    package func beforeClipping(_ model: NoiseModel, clips: Bool) -> ClippedNoise {
        let factor = clippedNoiseFactor
        return ClippedNoise(
            noise: NoiseModel(shot: model.shot * factor, read: model.read * factor.squareRoot()), clips: clips)
    }

    /// How many times the power of white noise smoothed luma has, 1 and more: white noise leaves the smoothing with 9/64 of
    /// its power.
    package var coarseness: Double { max(smoothedLumaPower / (9.0 / 64), 1) }

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
    static let mostBlocks = 24_000
    private static let bins = 24

    struct Block {
        var mean: Float
        var texture: Float
        var noise: Float
        var x: Int
        var y: Int
    }

    /// From one frame alone. White noise is assumed.
    package init(frame: FrameData, workers: Workers = Workers(threads: 1)) {
        var models: [NoiseModel] = []
        do throws(NightfuseError) {
            let blocks = try Self.blocks(frame, workers: workers)
            models = try workers.map(blocks.count) { channel throws(NightfuseError) in
                Self.fit(blocks: blocks[channel], clips: frame.clippedAtBlack)
            }
        } catch {
            // Cancelled: nobody will look at it.
            models = .init(repeating: Self.fit(blocks: [], clips: frame.clippedAtBlack), count: frame.samples.count)
        }
        channels = (models.count == 1 ? [models[0], models[0], models[0]] : models)
            .map { $0.noFiner(than: frame.codeNoise) }
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
        reference: FrameData, partners: [Partner], start: NoiseEstimation, isDraft: Bool = false, workers: Workers
    ) throws(NightfuseError) {
        let count = reference.samples.count
        var pairs = [[Block]](repeating: [], count: count)
        // A draft, to align by, does with a quarter.
        let most = isDraft ? Self.mostBlocks / 4 : Self.mostBlocks
        for partner in partners {
            let more = try Self.blocks(
                reference, partner.frame, field: partner.field, most: most, workers: workers)
            for c in 0..<count { pairs[c] += more[c] }
        }
        let all = pairs
        let found = try workers.map(count) { channel throws(NightfuseError) in
            let blocks = all[channel]
            guard blocks.count >= 64 else { return (model: start.channels[channel], flat: [Block]()) }
            // The flat blocks of green (of grey) tell the spectrum.
            return (
                model: Self.fit(blocks: blocks, clips: reference.clippedAtBlack),
                flat: channel == (count == 1 ? 0 : 1) ? Self.flattestByLight(blocks).flatMap { $0 } : []
            )
        }
        let models = found.map(\.model)
        let flat = found.flatMap(\.flat)
        channels = models.count == 1 ? [models[0], models[0], models[0]] : models
        channels = channels.map { $0.noFiner(than: reference.codeNoise) }
        spectrum = start.spectrum
        if !isDraft, flat.count >= 48, let first = partners.first {
            let clips = reference.clippedAtBlack
            spectrum = try Self.spectrum(
                reference, first.frame, field: first.field, blocks: flat,
                stabilisers: channels.map { Stabiliser(ClippedNoise(noise: $0, clips: clips)) }, workers: workers)
        }
    }

    // MARK: Blocks

    static func grid(_ width: Int, _ height: Int, most: Int = mostBlocks) -> (step: Int, columns: Int, rows: Int) {
        // Overlapping blocks where the picture is small.
        var step = width * height < 500_000 ? 4 : 8
        while (width / step) * (height / step) > most { step += 4 }
        return (step, max((width - 8) / step + 1, 0), max((height - 8) / step + 1, 0))
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
        out.withMutableRow { base in
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

    /// The flattest fifth of every bin of like brightness, darkest first.
    static func flattestByLight(_ blocks: [Block]) -> [ArraySlice<Block>] {
        binned(blocks).map { bin in bin.sorted { $0.texture < $1.texture }.prefix(max(bin.count / 5, 8)) }
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
        let means = points.map(\.mean)
        func misfit(_ shot: Double, _ read: Double) -> Double {
            let expected = ClippedNoise(noise: NoiseModel(shot: shot, read: read), clips: clips).variances(means: means)
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

    /// Power of each DCT coefficient of the pairs' differences, by the median over the blocks.
    private static func spectrum(
        _ reference: FrameData, _ frame: FrameData, field: AlignmentField, blocks: [Block], stabilisers: [Stabiliser],
        workers: Workers
    ) throws(NightfuseError) -> [[Float]] {
        let grain = 256
        let bands = try workers.map((blocks.count + grain - 1) / grain) { band throws(NightfuseError) in
            power(
                reference, frame, field: field,
                blocks: blocks[band * grain..<min((band + 1) * grain, blocks.count)], stabilisers: stabilisers)
        }
        return try workers.map(3) { channel throws(NightfuseError) in
            var spectrum = (0..<64).map { k -> Float in
                let i = channel * 64 + k
                var values = bands.flatMap { band in stride(from: i, to: band.count, by: 192).map { band[$0] } }
                // Median of chi square with one degree of freedom: 0.455 of its mean; movers and edges do not count.
                return values.isEmpty ? 1 : max(median(&values) / 0.455, 1e-3)
            }
            // What stands in the blocks' means and not in the slowest waves is a step of brightness between the frames.
            spectrum[0] = min(spectrum[0], 2 * max(spectrum[1], spectrum[8]))
            return spectrum
        }
    }

    /// Squared DCT coefficients of some blocks' differences: for each block three channels of 64.
    private static func power(
        _ reference: FrameData, _ frame: FrameData, field: AlignmentField, blocks: ArraySlice<Block>,
        stabilisers: [Stabiliser]
    ) -> [Float] {
        var power: [Float] = []
        power.reserveCapacity(blocks.count * 192)
        var a = [Float](repeating: 0, count: 64)
        var b = a
        var difference = [[Float]](repeating: a, count: 3)
        for (index, block) in blocks.enumerated() {
            if index % 16 == 15 { ScratchPlanes.letGo() }
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
            for channel in 0..<3 { power += dct8x8(difference[channel]).map { $0 * $0 } }
        }
        return power
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
