package import NightfuseCore

/// What clipping at black does to a noisy signal: the mean and variance of max(x + n, 0), n normal with the noise
/// model's variance at x.
///
/// With s^2 = shot x + read^2 and t = x / s: mean = x Phi(t) + s phi(t), second moment = (x^2 + s^2) Phi(t) + x s phi(t).
package struct ClippedNoise: Sendable {
    package let noise: NoiseModel
    /// False where the frames keep negative noise (raw): then mean is x, and the variance the model's.
    package let clips: Bool

    package init(noise: NoiseModel, clips: Bool) { (self.noise, self.clips) = (noise, clips) }

    /// Mean and variance of a sample whose true signal is `x` (which may lie below 0: then the read noise alone acts).
    package func moments(_ x: Double) -> (mean: Double, variance: Double) {
        let variance = noise.variance(x)
        guard clips, variance > 0 else { return (x, variance) }
        let s = variance.squareRoot()
        let t = x / s
        if t > 6 { return (x, variance) }
        let (density, share) = NormalCurve.at(t)
        let mean = x * share + s * density
        let square = (x * x + variance) * share + x * s * density
        return (mean, max(square - mean * mean, 1e-4 * variance))
    }

    /// The signal from which clipping no longer matters: x = 4 s(x).
    package var reach: Double {
        let shot = noise.shot
        return 8 * shot + (64 * shot * shot + 16 * noise.read * noise.read).squareRoot()
    }

    /// The variances of clipped samples of rising means, from 64 points of the curve.
    package func variances(means: [Double]) -> [Double] {
        guard clips else { return means.map { noise.variance($0) } }
        let lowest = -3 * noise.read
        let reach = reach
        var points: [(mean: Double, variance: Double)] = []
        points.reserveCapacity(64)
        for i in 0..<64 { points.append(moments(lowest + (reach - lowest) * Double(i) / 63)) }
        var k = 0
        return means.map { mean in
            if mean >= points[63].mean { return noise.variance(mean) }
            while k < 62 && points[k + 1].mean < mean { k += 1 }
            let t = (mean - points[k].mean) / max(points[k + 1].mean - points[k].mean, 1e-12)
            return points[k].variance + (points[k + 1].variance - points[k].variance) * max(t, 0)
        }
    }

    /// The variance of clipped samples whose mean is `mean` (bisected; for tables, not for pixels).
    package func variance(mean: Double) -> Double {
        guard clips, mean < reach else { return noise.variance(mean) }
        return moments(signal(mean: mean)).variance
    }

    /// The signal whose clipped samples have mean `mean`, not below minus three times the read noise.
    package func signal(mean: Double) -> Double {
        guard clips, mean < reach else { return mean }
        var low = -3 * noise.read
        var high = mean
        if moments(low).mean >= mean { return low }
        for _ in 0..<48 {
            let middle = (low + high) / 2
            if moments(middle).mean < mean { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
