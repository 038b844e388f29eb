import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Noise clipped at black")
struct ClippedNoiseTests {
    static let models = [
        NoiseModel(shot: 0, read: 0.01), NoiseModel(shot: 1e-3, read: 2e-3), NoiseModel(shot: 5e-3, read: 1e-2),
    ]

    private func samples(_ noise: NoiseModel, _ x: Double, count: Int = 60_000) -> [Double] {
        var random = SeededRandom(seed: UInt64(x * 1e7) + 1)
        let sigma = noise.variance(x).squareRoot()
        return (0..<count).map { _ in max(x + sigma * random.normal(), 0) }
    }

    @Test(arguments: models, [0, 0.5, 1, 2, 5, 20.0])
    func momentsAgreeWithSamples(noise: NoiseModel, reads: Double) {
        let x = reads * noise.read
        let drawn = samples(noise, x)
        let mean = drawn.reduce(0, +) / Double(drawn.count)
        let variance = drawn.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(drawn.count)
        let moments = ClippedNoise(noise: noise, clips: true).moments(x)
        #expect(abs(moments.mean - mean) < 0.02 * variance.squareRoot())
        #expect(abs(moments.variance / variance - 1) < 0.03)
    }

    @Test(arguments: models)
    func theSignalOfAMeanIsFoundAgain(noise: NoiseModel) {
        let clipped = ClippedNoise(noise: noise, clips: true)
        for i in -10...60 {
            let x = Double(i) * 0.25 * noise.read
            #expect(abs(clipped.signal(mean: clipped.moments(x).mean) - x) < 1e-3 * noise.read)
        }
    }

    @Test(arguments: models)
    func theTableOfVariancesIsThatOfTheCurve(noise: NoiseModel) {
        let clipped = ClippedNoise(noise: noise, clips: true)
        let means = (1...200).map { clipped.moments(0).mean * Double($0) / 10 }
        for (mean, variance) in zip(means, clipped.variances(means: means)) {
            #expect(abs(variance / clipped.variance(mean: mean) - 1) < 0.03)
        }
    }

    @Test(arguments: models)
    func withoutClippingTheModelStands(noise: NoiseModel) {
        let open = ClippedNoise(noise: noise, clips: false)
        for x in [-0.02, 0, 0.001, 0.5] {
            #expect(open.moments(x).mean == x && open.moments(x).variance == noise.variance(x))
            #expect(open.signal(mean: x) == x && open.variance(mean: x) == noise.variance(x))
        }
    }

    @Test(arguments: models, [true, false])
    func stabilisedNoiseHasUnitVariance(noise: NoiseModel, clips: Bool) {
        let stabiliser = Stabiliser(ClippedNoise(noise: noise, clips: clips))
        for reads in [0, 0.5, 1, 2, 4, 10, 40, 100.0] {
            let x = reads * noise.read
            var random = SeededRandom(seed: UInt64(reads * 10) + 7)
            let sigma = noise.variance(x).squareRoot()
            let drawn = (0..<30_000).map { _ -> Double in
                let sample = x + sigma * random.normal()
                return Double(stabiliser(Float(clips ? max(sample, 0) : sample)))
            }
            let mean = drawn.reduce(0, +) / Double(drawn.count)
            let variance = drawn.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(drawn.count)
            // A curve of the mean stabilises to first order: near black, where the variance bends within a sigma, it is
            // calmer at black itself (0.55) and livelier at one to two sigma (1.28).
            if clips && x < 4 * sigma {
                #expect(variance > 0.5 && variance < 1.35, "at \(reads) read")
            } else {
                // Signals below black have read noise alone: 0.13 off where shot noise sets in.
                #expect(abs(variance - 1) < (clips ? 0.08 : 0.16), "at \(reads) read")
            }
        }
    }

    @Test(arguments: models, [true, false])
    func stabilisingIsUndoneByItsInverse(noise: NoiseModel, clips: Bool) {
        let stabiliser = Stabiliser(ClippedNoise(noise: noise, clips: clips))
        var last = -Float.infinity
        var means: [Float] = [-0.05]
        for i in 0...200 { means.append(Float(Double(i * i) / 40_000 * 2.5)) }
        var applied = means
        stabiliser.apply(means, count: means.count, into: &applied)
        for (mean, value) in zip(means, applied) {
            #expect(value > last)
            last = value
            #expect(abs(stabiliser.inverse(value) - mean) < 1e-4 * max(mean, Float(noise.read)))
            #expect(abs(value - stabiliser(mean)) <= 1e-4 * max(abs(value), 1))
        }
    }

    @Test func theNormalCurveIsTheLibrarys() {
        for i in -7000...7000 {
            let t = Double(i) * 0.00101
            let (fast, exact) = (NormalCurve.at(t), NormalCurve.exact(t))
            #expect(abs(fast.density / exact.density - 1) < 1e-9, "density at \(t)")
            #expect(abs(fast.share / exact.share - 1) < 1e-8, "share at \(t)")
        }
    }
}
