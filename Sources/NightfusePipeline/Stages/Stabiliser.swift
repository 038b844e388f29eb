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

/// A variance-stabilising transform for (clipped) shot and read noise: noise of one frame leaves with standard
/// deviation 1, whatever the signal.
///
/// f(m) = integral of dm / s(m), s(m)^2 the variance of samples of mean m. Below the mean of a black signal the
/// curve goes on straight. Anscombe 1948; for clipped data after Foi, "Clipped noisy images", 2009, section 3.
/// Kept as tables that are even in sqrt(m - floor), interpolated linearly.
package struct Stabiliser: Sendable {
    /// Lowest and highest mean of the table; beyond them the curve goes on straight.
    package let floor: Float
    package let ceiling: Float
    /// f at even steps of sqrt(m - floor).
    package let values: [Float]
    private let scale: Float
    private let slopeBelow: Float
    private let slopeAbove: Float

    package static let size = 2048

    package init(_ clipped: ClippedNoise, ceiling: Double = 2) {
        let read = max(clipped.noise.read, 1e-5)
        let lowest = clipped.clips ? 0.0 : -4 * read
        let n = Self.size
        let step = (ceiling - lowest).squareRoot() / Double(n - 1)
        // The variance as a function of the mean, sampled along the signal (monotonic) and walked along with the means.
        let black = clipped.moments(0)
        func variance(_ mean: Double) -> Double {
            mean <= black.mean ? max(black.variance, 1e-12) : max(clipped.variance(mean: mean), 1e-12)
        }
        var table = [Double](repeating: 0, count: n)
        var previous = lowest
        for i in 1..<n {
            let at = Double(i) * step
            let mean = lowest + at * at
            // Midpoint rule: the step is far below the noise.
            table[i] = table[i - 1] + (mean - previous) / variance((mean + previous) / 2).squareRoot()
            previous = mean
        }
        floor = Float(lowest)
        self.ceiling = Float(ceiling)
        values = table.map { Float($0) }
        scale = Float(1 / step)
        slopeBelow = Float(1 / variance(lowest).squareRoot())
        slopeAbove = Float(1 / variance(ceiling).squareRoot())
    }

    /// f of one mean.
    package func callAsFunction(_ mean: Float) -> Float {
        if mean <= floor { return (mean - floor) * slopeBelow }
        if mean >= ceiling { return values[Self.size - 1] + (mean - ceiling) * slopeAbove }
        let position = (mean - floor).squareRoot() * scale
        let i = min(Int(position), Self.size - 2)
        return values[i] + (values[i + 1] - values[i]) * (position - Float(i))
    }

    /// f of `count` means, each times `factor`.
    package func apply(
        _ input: Row<Float>, times factor: Float = 1, count: Int, into output: MutableRow<Float>
    ) {
        values.withRow { start in
            stabiliseRow(
                StabiliserArguments(
                    table: start, last: Self.size - 2, floor: floor, ceiling: ceiling, scale: scale,
                    slopeBelow: slopeBelow, slopeAbove: slopeAbove),
                input, scale: factor, count: count, into: output)
        }
    }

    /// The mean whose f is `value`.
    package func inverse(_ value: Float) -> Float {
        if value <= 0 { return floor + value / slopeBelow }
        if value >= values[Self.size - 1] { return ceiling + (value - values[Self.size - 1]) / slopeAbove }
        var low = 0
        var high = Self.size - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if values[middle] <= value { low = middle } else { high = middle }
        }
        let position = (Float(low) + (value - values[low]) / (values[high] - values[low])) / scale
        return floor + position * position
    }
}
