import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

/// A perfect denoiser is the mean over many pixels of one signal.
@Suite("Unbiased inverse")
struct UnbiasedInverseTests {
    static let levels = [0, 0.5, 1, 3, 10.0]

    private func draw(_ x: Double, _ noise: NoiseModel, clips: Bool, _ random: inout SeededRandom) -> Double {
        let sample = x + noise.variance(x).squareRoot() * random.normal()
        return clips ? max(sample, 0) : sample
    }

    private func restored(
        _ inverse: UnbiasedInverse, _ value: Double, variance: Double, share: Double?
    ) -> Double {
        var row = [Float(value)]
        let levels = FrameLevels(1)
        [Float(variance)].withRow { inverse.levels($0, count: 1, into: levels) }
        row.withMutableRow { row in
            if let share {
                [Float(share)].withRow { inverse.apply(row, levels: levels, shares: $0, count: 1) }
            } else {
                inverse.apply(row, levels: levels, shares: nil, count: 1)
            }
        }
        return Double(row[0])
    }

    @Test(arguments: [1, 4, 8], [true, false])
    func theMeanSignalComesBack(frames: Int, clips: Bool) {
        let noise = NoiseModel(shot: 2e-3, read: 5e-3)
        let clipped = ClippedNoise(noise: noise, clips: clips)
        let stabiliser = Stabiliser(clipped)
        let inverse = UnbiasedInverse(
            clipped: clipped, before: clipped, other: nil, stabiliser: stabiliser, mostFrames: 8)
        for reads in Self.levels {
            let x = reads * noise.read
            var random = SeededRandom(seed: UInt64(frames * 100) + UInt64(reads * 10))
            var sum = 0.0
            let pixels = 20_000
            for _ in 0..<pixels {
                var mean = 0.0
                for _ in 0..<frames { mean += draw(x, noise, clips: clips, &random) / Double(frames) }
                sum += Double(stabiliser(Float(mean)))
            }
            let found = restored(inverse, sum / Double(pixels), variance: 1 / Double(frames), share: nil)
            #expect(abs(found - x) < 0.06 * noise.variance(x).squareRoot(), "\(reads) read: \(found / noise.read)")
        }
    }

    /// Two frames of the reference's noise and two of four times the exposure.
    @Test func theMeanSignalOfMixedExposuresComesBack() {
        let noise = NoiseModel(shot: 2e-3, read: 5e-3)
        let long = NoiseModel(shot: noise.shot / 4, read: noise.read / 4)
        let (own, other) = (ClippedNoise(noise: noise, clips: true), ClippedNoise(noise: long, clips: true))
        let stabiliser = Stabiliser(own)
        let inverse = UnbiasedInverse(clipped: own, before: own, other: other, stabiliser: stabiliser, mostFrames: 64)
        for reads in Self.levels {
            let x = reads * noise.read
            let gain = own.moments(x).variance / other.moments(x).variance
            let total = 2 + 2 * gain
            var random = SeededRandom(seed: UInt64(reads * 10))
            var sum = 0.0
            let pixels = 20_000
            for _ in 0..<pixels {
                var mean = 0.0
                for _ in 0..<2 {
                    mean += draw(x, noise, clips: true, &random) / total
                    mean += gain * draw(x, long, clips: true, &random) / total
                }
                sum += Double(stabiliser(Float(mean)))
            }
            let found = restored(inverse, sum / Double(pixels), variance: 1 / total, share: 2 * gain / total)
            #expect(abs(found - x) < 0.06 * noise.variance(x).squareRoot(), "\(reads) read: \(found / noise.read)")
        }
    }
}
