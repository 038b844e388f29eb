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

/// From a denoised stabilised value back to the signal, with the biases of the curve and of clipping at black undone.
///
/// A perfect denoiser of f(mean of N clipped samples) gives E[f], not f(x): the curve bends, and clipped noise lifts
/// blacks. Both are functions of the signal, the noise and N alone, so they are tabulated and inverted at once
/// (Makitalo and Foi, "Optimal inversion of the generalized Anscombe transformation", 2013; for clipped data Foi 2009).
/// The table goes on below zero, down to where nothing of the noise is left above black.
package struct UnbiasedInverse: Sendable {
    /// Shares of frames with other noise, evenly from 0 to 1; one where all frames are alike.
    private let shares: Int
    /// Counts of frames: 1, 2, 4, ...
    private let counts: Int
    /// For each share and count, and the last count once more, `size` signals at even steps of the stabilised value, 0 to `top`.
    private let tables: [Float]
    private let top: Float
    private static let size = 1024

    /// - Parameters:
    ///   - clipped: noise as it is in the picture, clipped at black.
    ///   - before: noise as it was when it was clipped.
    ///   - other: the same of frames with another exposure, whose blacks are lifted by less or more; nil: none.
    package init(
        clipped: ClippedNoise, before: ClippedNoise, other: ClippedNoise?, stabiliser: Stabiliser, mostFrames: Int
    ) {
        var counts = [1.0]
        while counts[counts.count - 1] < Double(max(mostFrames, 1)) { counts.append(counts[counts.count - 1] * 2) }
        self.counts = counts.count
        shares = other == nil ? 1 : 5
        let ceiling = 1.9
        let top = stabiliser(Float(ceiling))
        self.top = top
        let read = max(clipped.noise.read, 1e-6)
        // Signals closely spaced near black, a noise sigma or less apart everywhere.
        let lowest = clipped.clips ? -2.5 * read : -6 * read
        let signals = (0..<600).map { i -> Double in
            let u = Double(i) / 599
            return lowest + (2.2 - lowest) * u * u
        }
        let means = signals.map { x in
            let own = before.moments(x).mean
            return (own: own, other: other?.moments(x).mean ?? own, sample: clipped.moments(x))
        }
        var tables: [Float] = []
        for share in 0..<shares {
            let t = shares == 1 ? 0 : Double(share) / Double(shares - 1)
            for count in counts {
                let expected = zip(signals, means).map { x, m in
                    let mean = m.own + (m.other - m.own) * t
                    // One frame alone: the noise around the signal itself, cut at black where the mean is lifted.
                    return count == 1
                        ? Self.expectation(
                            x + mean - m.sample.mean, sigma: clipped.noise.variance(x).squareRoot(),
                            clips: clipped.clips, stabiliser: stabiliser)
                        : Self.expectation(
                            mean, sigma: (m.sample.variance / count).squareRoot(), clips: clipped.clips,
                            stabiliser: stabiliser)
                }
                tables += Self.inverted(expected, signals: signals, top: Double(top))
            }
            // Between the last and the one above there is no difference.
            tables += Array(tables.suffix(Self.size))
        }
        self.tables = tables
    }

    /// The signal at even steps of the expected value.
    private static func inverted(_ expected: [Double], signals: [Double], top: Double) -> [Float] {
        var table = [Float](repeating: 0, count: size)
        var k = 0
        for i in 0..<size {
            let value = top * Double(i) / Double(size - 1)
            while k < signals.count - 2 && expected[k + 1] < value { k += 1 }
            let span = max(expected[k + 1] - expected[k], 1e-9)
            let t = min(max((value - expected[k]) / span, 0), 1)
            table[i] = Float(signals[k] + t * (signals[k + 1] - signals[k]))
        }
        return table
    }

    /// E[f(mean + sigma z)], z standard normal, cut at black where `clips`: a sum over the density.
    private static func expectation(_ mean: Double, sigma: Double, clips: Bool, stabiliser: Stabiliser) -> Double {
        // Far above black f is all but straight over a sigma: a short sum will do.
        let steps = mean > 4 * sigma ? 8 : 32
        var sum = 0.0
        var total = 0.0
        for i in 0...steps {
            let z = -4 + 8 * Double(i) / Double(steps)
            let density = exp(-0.5 * z * z)
            let value = mean + sigma * z
            sum += density * Double(stabiliser(Float(clips ? max(value, 0) : value)))
            total += density
        }
        return sum / total
    }

    /// How pixels stand between the tables, for `count` variances (one frame = 1); alike in all channels.
    package func levels(_ variances: Row<Float>, count: Int, into levels: FrameLevels) {
        frameLevels(
            variances, last: counts - 1, size: Self.size, count: count, offsets: levels.offsets, rises: levels.rises)
    }

    /// The same for a row of `width` pixels, two of which share a variance.
    package func levels(blocks variances: Row<Float>, width: Int, into levels: FrameLevels) {
        let half = (width + 1) / 2
        frameLevels(
            variances, last: counts - 1, size: Self.size, count: half, offsets: levels.blockOffsets,
            rises: levels.blockRises)
        doubleRow(Row(levels.blockRises), count: width, into: levels.rises)
        for x in 0..<width / 2 {
            levels.offsets[2 * x] = levels.blockOffsets[x]
            levels.offsets[2 * x + 1] = levels.blockOffsets[x]
        }
        if width % 2 == 1 { levels.offsets[width - 1] = levels.blockOffsets[half - 1] }
    }

    /// Signals of `count` stabilised values, in place: each the denoised mean of as many frames as `levels` tells, of which
    /// `shares` had other noise (nil: none).
    package func apply(
        _ row: MutableRow<Float>, levels: FrameLevels, shares otherShares: Row<Float>?, count: Int
    ) {
        tables.withRow { start in
            guard let otherShares, shares > 1 else {
                unbiasRow(
                    start, size: Self.size, top: top, offsets: Row(levels.offsets), rises: Row(levels.rises),
                    count: count,
                    row: row)
                return
            }
            for x in 0..<count {
                let position = min(max(row[x], 0), top) * (Float(Self.size - 1) / top)
                let k = min(Int(Int32(position)), Self.size - 2)
                let t = position - Float(k)
                let s = min(max(otherShares[x], 0), 1) * Float(shares - 1)
                let lower = min(Int(s), shares - 2)
                /// The signal at the table position, for a share.
                @inline(__always)
                func signal(_ share: Int) -> Float {
                    let a = start + share * (counts + 1) * Self.size + Int(levels.offsets[x]) + k
                    let b = a + Self.size
                    let first = a[0] + (a[1] - a[0]) * t
                    let second = b[0] + (b[1] - b[0]) * t
                    return first + (second - first) * levels.rises[x]
                }
                let a = signal(lower)
                row[x] = a + (signal(lower + 1) - a) * (s - Float(lower))
            }
        }
    }
}

/// What ``UnbiasedInverse/levels(_:count:into:)`` tells of a row, for one thread.
package final class FrameLevels {
    let offsets, blockOffsets: MutableRow<Int32>
    let rises, blockRises: MutableRow<Float>
    private let numbers: Room<Int32>
    private let floats: Floats

    /// Room for `count` pixels.
    package init(_ count: Int) {
        (numbers, floats) = (Room(count + (count + 1) / 2), Floats(count + (count + 1) / 2))
        (offsets, blockOffsets) = (numbers.base, numbers.base + count)
        (rises, blockRises) = (floats.base, floats.base + count)
    }
}
