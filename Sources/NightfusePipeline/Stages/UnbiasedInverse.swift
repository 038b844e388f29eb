internal import NightfuseCore

#if canImport(Glibc)
private import Glibc
#elseif canImport(Musl)
private import Musl
#elseif canImport(Android)
private import Android
#elseif canImport(Darwin)
private import Darwin
#endif

/// From a denoised stabilised value back to the signal, with the biases of the curve and of clipping at black undone.
///
/// A perfect denoiser of f(mean of N clipped samples) gives E[f], not f(x): the curve bends, and clipped noise lifts
/// blacks. Both are functions of the signal, the noise and N alone, so they are tabulated and inverted at once
/// (Makitalo and Foi, "Optimal inversion of the generalized Anscombe transformation", 2013; for clipped data Foi 2009).
/// The table goes on below zero, down to where nothing of the noise is left above black.
package struct UnbiasedInverse: Sendable {
    private let counts: [Double]
    /// For each count, the signal at even steps of the stabilised value, 0 to `top`.
    private let tables: [[Float]]
    private let top: Float
    private static let size = 1024

    package init(clipped: ClippedNoise, before: ClippedNoise, stabiliser: Stabiliser, mostFrames: Int) {
        var counts = [1.0]
        while counts[counts.count - 1] < Double(max(mostFrames, 1)) { counts.append(counts[counts.count - 1] * 2) }
        self.counts = counts
        let ceiling = 1.9
        top = stabiliser(Float(ceiling))
        let top = top
        let read = max(clipped.noise.read, 1e-6)
        // Signals closely spaced near black, a noise sigma or less apart everywhere.
        let lowest = clipped.clips ? -2.5 * read : -6 * read
        let signals = (0..<800).map { i -> Double in
            let u = Double(i) / 799
            return lowest + (2.2 - lowest) * u * u
        }
        tables = counts.map { count in
            let expected = signals.map { Self.expectation(
                    $0, count: count, clipped: clipped, before: before, stabiliser: stabiliser)
             }
            var table = [Float](repeating: 0, count: Self.size)
            var k = 0
            for i in 0..<Self.size {
                let value = Double(top) * Double(i) / Double(Self.size - 1)
                while k < signals.count - 2 && expected[k + 1] < value { k += 1 }
                let span = max(expected[k + 1] - expected[k], 1e-9)
                let t = min(max((value - expected[k]) / span, 0), 1)
                table[i] = Float(signals[k] + t * (signals[k + 1] - signals[k]))
            }
            return table
        }
    }

    /// E[f(mean of `count` samples)] at signal `x`, by summing over the normal density.
    private static func expectation(
        _ x: Double, count: Double, clipped: ClippedNoise, before: ClippedNoise, stabiliser: Stabiliser
    ) -> Double {
        let steps = 48
        var sum = 0.0
        var total = 0.0
        let moments = clipped.moments(x)
        let lifted = before.moments(x).mean
        let sigma = count == 1 ? clipped.noise.variance(x).squareRoot() : (moments.variance / count).squareRoot()
        for i in 0...steps {
            let z = -4 + 8 * Double(i) / Double(steps)
            let density = exp(-0.5 * z * z)
            let value = (count == 1 ? x + lifted - moments.mean : lifted) + sigma * z
            sum += density * Double(stabiliser(Float(clipped.clips ? max(value, 0) : value)))
            total += density
        }
        return sum / total
    }

    /// Signals of `count` stabilised values, each the denoised mean of `1 / variances` frames.
    package func apply(
        _ values: UnsafePointer<Float>, variances: UnsafePointer<Float>, count: Int, into out: UnsafeMutablePointer<Float>
    ) {
        let scale = Float(Self.size - 1) / top
        for i in 0..<count {
            let position = min(max(values[i], 0), top) * scale
            let k = min(Int(position), Self.size - 2)
            let t = position - Float(k)
            // Tables stand at doubling counts: between them, by the logarithm of the count.
            let frames = 1 / min(max(variances[i], 1e-6), 1)
            var level = 0
            var low: Float = 1
            while level < tables.count - 1 && low * 2 <= frames {
                low *= 2
                level += 1
            }
            let a = tables[level]
            let first = a[k] + (a[k + 1] - a[k]) * t
            if level == tables.count - 1 {
                out[i] = first
            } else {
                let b = tables[level + 1]
                let second = b[k] + (b[k + 1] - b[k]) * t
                out[i] = first + (second - first) * min(frames / low - 1, 1)
            }
        }
    }
}
