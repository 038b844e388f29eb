internal import NightfuseCore
internal import NightfuseKernels
internal import NightfusePipeline

/// The mean of what is told to show the same: a merge whose judgement is perfect (at equal exposures equal weights are
/// those of the inverse variance).
struct PlainMerge {
    private let merge: Merge
    /// Frames seen at every pixel.
    private let counts: Plane<Float>
    private let noise: NoiseEstimation
    private let frames: Int

    init(
        _ reference: FrameData, noise: NoiseEstimation, kernel: WarpKernel, frames: Int, workers: Workers
    ) throws(NightfuseError) {
        merge = try Merge(reference: reference, noise: noise.channels, kernel: kernel, workers: workers)
        counts = try Plane(width: reference.width, height: reference.height)
        counts.fill(1)
        (self.noise, self.frames) = (noise, frames)
    }

    /// Adds a row of a frame where it is `seen`; weights are counted with channel 0.
    func add(_ line: [Float], _ seen: [Bool], channel: Int, y: Int) {
        let sums = merge.sums[channel].mutableRow(y)
        for x in seen.indices where seen[x] { sums[x] += line[x] }
        guard channel == 0 else { return }
        for x in seen.indices where seen[x] { counts.mutableRow(y)[x] += 1 }
    }

    /// The mean count of every block of 2 x 2 pixels becomes its weight, and sums those of so many means.
    private func settle() {
        let (w, h) = (merge.width, merge.height)
        for by in 0..<merge.weight.height {
            for bx in 0..<merge.weight.width {
                let places = [0, 1].flatMap { dy in
                    [0, 1].map { (x: min(2 * bx + $0, w - 1), y: min(2 * by + dy, h - 1)) }
                }
                let mean = places.reduce(0) { $0 + counts.row($1.y)[$1.x] } / 4
                merge.weight.mutableRow(by)[bx] = mean
                merge.weight2.mutableRow(by)[bx] = mean
            }
        }
        for y in 0..<h {
            let (own, mean) = (counts.row(y), merge.weight.row(y / 2))
            for c in 0..<3 { for x in 0..<w { merge.sums[c].mutableRow(y)[x] *= mean[x / 2] / own[x] } }
        }
    }

    /// Denoised as the pipeline does. Uses the sums up.
    func restored(workers: Workers) throws(NightfuseError) -> LinearImage {
        settle()
        return try Restore(noise: noise, clips: true, strength: 1, frames: frames)
            .apply(merge, denoise: Denoise(spectrum: noise.spectrum), workers: workers)
    }

    /// Denoised by somebody who knows the clean picture: every coefficient of every 8 x 8 patch is weighed by
    /// clean^2 / (clean^2 + noise), as the pipeline's second pass would with a perfect first.
    func oracle(clean: [Plane<Float>], level: NoiseLevel, workers: Workers) throws(NightfuseError) -> LinearImage {
        let (w, h) = (merge.width, merge.height)
        let clipped = ClippedNoise(noise: level.noise, clips: true)
        let stabiliser = Stabiliser(clipped)
        let top = Float(clipped.reach)
        // What clean light looks like once its noise has been clipped at black.
        let lifted = (0...1024).map { Float(clipped.moments(Double(top) * Double($0) / 1024).mean) }
        func mean(_ light: Float) -> Float {
            guard light < top else { return light }
            let p = light / top * 1024
            let i = min(Int(p), 1023)
            return lifted[i] + (lifted[i + 1] - lifted[i]) * (p - Float(i))
        }
        var (noisy, pilot, sums): ([Plane<Float>], [Plane<Float>], [Plane<Float>]) = ([], [], [])
        for _ in 0..<3 {
            noisy.append(try Plane(width: w, height: h))
            pilot.append(try Plane(width: w, height: h))
            sums.append(try Plane(width: w, height: h))
        }
        let (variance, weights) = (try Plane<Float>(width: w, height: h), try Plane<Float>(width: w, height: h))
        for y in 0..<h {
            for x in 0..<w {
                let inverse = 1 / counts.row(y)[x]
                variance.mutableRow(y)[x] = inverse
                let a = (0..<3).map { stabiliser(merge.sums[$0].row(y)[x] * inverse) }
                let b = (0..<3).map { stabiliser(mean(clean[$0].row(y)[x] * Float(level.white))) }
                let (p, q) = (OpponentColour.forward(a[0], a[1], a[2]), OpponentColour.forward(b[0], b[1], b[2]))
                (noisy[0].mutableRow(y)[x], noisy[1].mutableRow(y)[x], noisy[2].mutableRow(y)[x]) = p
                (pilot[0].mutableRow(y)[x], pilot[1].mutableRow(y)[x], pilot[2].mutableRow(y)[x]) = q
            }
        }
        var filter = CollaborativeFilter(spectrum: noise.spectrum)
        (filter.group, filter.step) = (1, 2)
        filter.run(
            .init(
                noisy: noisy, pilot: pilot, guide: pilot[0], guideNoise: 0, variance: variance, sums: sums,
                weights: weights))
        let inverse = UnbiasedInverse(
            clipped: clipped, before: clipped, other: nil, stabiliser: stabiliser, mostFrames: frames)
        let levels = FrameLevels(w)
        for y in 0..<h {
            for x in 0..<w {
                let k = 1 / max(weights.row(y)[x], 1e-12)
                let v = OpponentColour.inverse(
                    sums[0].row(y)[x] * k, sums[1].row(y)[x] * k, sums[2].row(y)[x] * k)
                (sums[0].mutableRow(y)[x], sums[1].mutableRow(y)[x], sums[2].mutableRow(y)[x]) = v
            }
            inverse.levels(variance.row(y), count: w, into: levels)
            for c in 0..<3 { inverse.apply(sums[c].mutableRow(y), levels: levels, shares: nil, count: w) }
        }
        return LinearImage(planes: sums)
    }
}
