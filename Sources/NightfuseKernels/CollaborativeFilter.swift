public import NightfuseCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Collaborative filtering of groups of similar 8 x 8 patches (Dabov et al., "Image denoising by sparse 3-D
/// transform-domain collaborative filtering", 2007), for three decorrelated channels whose noise has a known strength
/// at every pixel and a known spectrum.
///
/// The first pass cuts small coefficients; the second, told a pilot, weighs each coefficient by pilot^2 / (pilot^2 +
/// noise). Groups are found on the first channel and shared by all three.
public struct CollaborativeFilter: Sendable {
    /// Distance between reference patches, 1 to 8 pixels.
    public var step = 4
    /// Search reach to every side, in pixels.
    public var radius = 7
    /// Patches in a group at most: a power of two up to 16.
    public var group = 8
    /// Cut of the first pass, in standard deviations; 2.7 in the paper.
    public var cut: Float = 2.7
    /// Patches farther than this many noise variances a pixel (beyond what noise alone gives) stay out of a group.
    public var similarity: Float = 1.5
    /// Relative noise power of every DCT coefficient, three channels of 64, white = 1.
    public var spectrum: [[Float]]

    public init(spectrum: [[Float]]) { self.spectrum = spectrum }

    /// What a pass reads and writes; planes of one size, at least 8 x 8.
    public struct Planes: Sendable {
        public var noisy: [Plane<Float>]
        /// Nil in the first pass.
        public var pilot: [Plane<Float>]?
        /// What patches are compared on: a smoothed first channel, or the pilot's.
        public var guide: Plane<Float>
        /// Noise variance of a pixel of `guide` left after smoothing, relative to `variance`.
        public var guideNoise: Float
        /// Noise variance at every pixel.
        public var variance: Plane<Float>
        /// Weighted sums, three planes, and weights: added to.
        public var sums: [Plane<Float>]
        public var weights: Plane<Float>

        public init(
            noisy: [Plane<Float>], pilot: [Plane<Float>]?, guide: Plane<Float>, guideNoise: Float,
            variance: Plane<Float>, sums: [Plane<Float>], weights: Plane<Float>
        ) {
            self.noisy = noisy
            self.pilot = pilot
            self.guide = guide
            self.guideNoise = guideNoise
            self.variance = variance
            self.sums = sums
            self.weights = weights
        }
    }

    /// Runs all reference patches.
    public func run(_ planes: Planes) {
        run(planes, rows: 0..<planes.guide.height, columns: 0..<planes.guide.width)
    }

    /// Runs the reference patches that start in `rows` and `columns`: at multiples of ``step``, and flush with the far
    /// edges. On one thread, in reading order.
    public func run(_ planes: Planes, rows: Range<Int>, columns: Range<Int>) {
        let scratch = GroupScratch(group: group, filter: self, planes)
        let (lastX, lastY) = (planes.guide.width - 8, planes.guide.height - 8)
        func starts(_ range: Range<Int>, _ last: Int) -> [Int] {
            let first = (range.lowerBound + step - 1) / step * step
            var all = Array(stride(from: first, to: min(range.upperBound, last + 1), by: step))
            if range.contains(last) && last % step != 0 { all.append(last) }
            return all
        }
        let xs = starts(columns, lastX)
        for y in starts(rows, lastY) { for x in xs { filterGroup(x, y, scratch) } }
    }

    // MARK: One group

    private func filterGroup(_ x: Int, _ y: Int, _ scratch: GroupScratch) {
        let own = patchVariance(scratch, x, y)
        let found = group == 1 ? 1 : match(x, y, variance: own, scratch)
        var variance = own
        if found > 1 {
            for k in 1..<found { variance += patchVariance(scratch, scratch.xs[k], scratch.ys[k]) }
            variance /= Float(found)
        } else {
            scratch.xs[0] = x
            scratch.ys[0] = y
        }
        let stride = scratch.stride
        let inverseCount = 1 / Float(found)
        var kept: Float = 0
        for channel in 0..<3 {
            let noisy = scratch.patches + channel * scratch.capacity * 8
            for k in 0..<found {
                forward(scratch.noisy(channel) + scratch.ys[k] * stride + scratch.xs[k], stride, noisy + k * 8)
            }
            walshHadamard(noisy, found)
            let relative = scratch.spectrum + channel * 8
            if let pilots = scratch.pilot(channel) {
                let pilot = scratch.pilotPatches
                for k in 0..<found { forward(pilots + scratch.ys[k] * stride + scratch.xs[k], stride, pilot + k * 8) }
                walshHadamard(pilot, found)
                kept += wiener(noisy, pilot, found, relative, variance, scale: inverseCount)
            } else {
                kept += threshold(noisy, found, relative, variance, scale: inverseCount)
            }
            walshHadamard(noisy, found)
        }
        // Inverse of the group's leftover noise: sparser groups count more.
        let weight = 1 / (max(variance, 1e-6) * (kept * (1.0 / 3) + 0.5))
        for k in 0..<found {
            let at = scratch.ys[k] * stride + scratch.xs[k]
            for channel in 0..<3 {
                let patch = scratch.patches + (channel * scratch.capacity + k) * 8
                inverse(patch)
                let sums = scratch.sums(channel) + at
                for r in 0..<8 {
                    let out = UnsafeMutableRawPointer(sums + r * stride)
                    let old = out.loadUnaligned(as: SIMD8<Float>.self)
                    out.storeBytes(of: old + patch[r] * (scratch.window[r] * weight), as: SIMD8<Float>.self)
                }
            }
            for r in 0..<8 {
                let out = UnsafeMutableRawPointer(scratch.weights + at + r * stride)
                let old = out.loadUnaligned(as: SIMD8<Float>.self)
                out.storeBytes(of: old + scratch.window[r] * weight, as: SIMD8<Float>.self)
            }
        }
    }

    /// Variance over a patch, from four of its pixels.
    @inline(__always)
    private func patchVariance(_ scratch: GroupScratch, _ x: Int, _ y: Int) -> Float {
        let a = scratch.variance + (y + 1) * scratch.stride + x
        let b = scratch.variance + (y + 6) * scratch.stride + x
        return ((a[1] + a[6]) + (b[1] + b[6])) * 0.25
    }

    /// Finds the patches most like the one at (x, y), itself first; gives their number, a power of two.
    private func match(_ x: Int, _ y: Int, variance: Float, _ scratch: GroupScratch) -> Int {
        scratch.xs[0] = x
        scratch.ys[0] = y
        let guide = scratch.planes.guide
        let stride = guide.stride
        let own = guide.base + y * stride + x
        typealias V = SIMD8<Float>
        var mine = (V(), V(), V(), V(), V(), V(), V(), V())
        withUnsafeMutableBytes(of: &mine) { raw in
            for r in 0..<8 {
                raw.storeBytes(
                    of: UnsafeRawPointer(own + r * stride).loadUnaligned(as: V.self), toByteOffset: r * 32, as: V.self)
            }
        }
        // Two noisy copies of one patch differ by twice the guide's noise.
        let limit = 64 * variance * (2 * scratch.planes.guideNoise + similarity)
        var count = 1
        var worst = limit
        let distances = scratch.distances
        let x0 = max(x - radius, 0)
        let x1 = min(x + radius, guide.width - 8)
        for py in max(y - radius, 0)...min(y + radius, guide.height - 8) {
            var p = UnsafeRawPointer(guide.base + py * stride + x0)
            let bytes = stride * 4
            for px in x0...x1 {
                defer { p += 4 }
                let d0 = p.loadUnaligned(as: V.self) - mine.0
                let d1 = p.loadUnaligned(fromByteOffset: bytes, as: V.self) - mine.1
                let d2 = p.loadUnaligned(fromByteOffset: 2 * bytes, as: V.self) - mine.2
                let d3 = p.loadUnaligned(fromByteOffset: 3 * bytes, as: V.self) - mine.3
                var sum = d0 * d0 + d1 * d1
                sum += d2 * d2
                sum += d3 * d3
                let d4 = p.loadUnaligned(fromByteOffset: 4 * bytes, as: V.self) - mine.4
                let d5 = p.loadUnaligned(fromByteOffset: 5 * bytes, as: V.self) - mine.5
                let d6 = p.loadUnaligned(fromByteOffset: 6 * bytes, as: V.self) - mine.6
                let d7 = p.loadUnaligned(fromByteOffset: 7 * bytes, as: V.self) - mine.7
                sum += d4 * d4
                sum += d5 * d5
                sum += d6 * d6
                sum += d7 * d7
                let quads = sum.lowHalf + sum.highHalf
                let distance = (quads[0] + quads[2]) + (quads[1] + quads[3])
                if distance >= worst || (px == x && py == y) { continue }
                // Insert in order; the patch itself stays first.
                var at = min(count, group - 1)
                while at > 1 && distances[at - 1] > distance {
                    distances[at] = distances[at - 1]
                    scratch.xs[at] = scratch.xs[at - 1]
                    scratch.ys[at] = scratch.ys[at - 1]
                    at -= 1
                }
                distances[at] = distance
                scratch.xs[at] = px
                scratch.ys[at] = py
                count = min(count + 1, group)
                if count == group { worst = min(limit, distances[group - 1]) }
            }
        }
        var power = 1
        while power * 2 <= count { power *= 2 }
        return power
    }

    /// First pass: coefficients below `cut` standard deviations vanish. Gives the mean share kept a patch x patches.
    private func threshold(
        _ data: UnsafeMutablePointer<SIMD8<Float>>, _ count: Int, _ relative: UnsafePointer<SIMD8<Float>>,
        _ variance: Float,
        scale: Float
    ) -> Float {
        let limit = cut * cut * variance
        var kept = SIMD8<Float>()
        // The group transform is unscaled: coefficients carry a factor sqrt(count), undone by `scale` at the end.
        let factor = limit * Float(count)
        for k in 0..<count {
            for r in 0..<8 {
                let value = data[k * 8 + r]
                let s = relative[r]
                var keep = value * value .> s * factor
                if k == 0 && r == 0 { keep[0] = true }
                let one = SIMD8<Float>().replacing(with: 1, where: keep)
                kept += one
                data[k * 8 + r] = value * one * scale
            }
        }
        return kept.sum()
    }

    /// Second pass: the empirical Wiener filter. Gives the sum of squared weights.
    private func wiener(
        _ data: UnsafeMutablePointer<SIMD8<Float>>, _ pilot: UnsafeMutablePointer<SIMD8<Float>>, _ count: Int,
        _ relative: UnsafePointer<SIMD8<Float>>, _ variance: Float, scale: Float
    ) -> Float {
        var kept = SIMD8<Float>()
        let factor = variance * Float(count)
        for k in 0..<count {
            for r in 0..<8 {
                let p = pilot[k * 8 + r]
                let power = p * p
                let s = relative[r]
                let weight = power / (power + s * factor + 1e-12)
                kept += weight * weight
                data[k * 8 + r] = data[k * 8 + r] * weight * scale
            }
        }
        return kept.sum()
    }
}

/// Kaiser window of parameter 2, as in the paper, so that patch borders do not show.
private let kaiser: [SIMD8<Float>] = {
    func bessel(_ x: Double) -> Double {
        var sum = 1.0
        var term = 1.0
        for k in 1..<20 {
            term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
            sum += term
        }
        return sum
    }
    let w = (0..<8).map { n -> Float in
        let t = 2 * Double(n) / 7 - 1
        return Float(bessel(2 * (1 - t * t).squareRoot()) / bessel(2))
    }
    return (0..<8).map { r in SIMD8<Float>((0..<8).map { w[$0] * w[r] }) }
}()

/// Where a run's planes are, and buffers for one group at a time. All planes have one stride.
private final class GroupScratch {
    let planes: CollaborativeFilter.Planes
    let stride: Int
    let capacity: Int
    let patches, pilotPatches: UnsafeMutablePointer<SIMD8<Float>>
    /// Eight vectors a channel, and the window's rows.
    let spectrum, window: UnsafeMutablePointer<SIMD8<Float>>
    let xs, ys: UnsafeMutablePointer<Int>
    let distances: UnsafeMutablePointer<Float>
    let variance, weights: UnsafeMutablePointer<Float>
    private let noisyPlanes,
        sumPlanes: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)
    private let pilotPlanes: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)?

    init(group: Int, filter: CollaborativeFilter, _ planes: CollaborativeFilter.Planes) {
        self.planes = planes
        stride = planes.guide.stride
        let all = planes.noisy + planes.sums + (planes.pilot ?? []) + [planes.variance, planes.weights]
        precondition(all.allSatisfy { $0.stride == planes.guide.stride && $0.height == planes.guide.height })
        capacity = group
        patches = .allocate(capacity: 3 * group * 8)
        pilotPatches = .allocate(capacity: group * 8)
        spectrum = .allocate(capacity: 24)
        window = .allocate(capacity: 8)
        for c in 0..<3 {
            // Patches are kept turned: a vector is a horizontal frequency, its lanes are vertical ones.
            for i in 0..<8 {
                spectrum[c * 8 + i] = SIMD8<Float>((0..<8).map { filter.spectrum[c][$0 * 8 + i] })
            }
        }
        for r in 0..<8 { window[r] = kaiser[r] }
        xs = .allocate(capacity: group)
        ys = .allocate(capacity: group)
        distances = .allocate(capacity: group)
        variance = planes.variance.base
        weights = planes.weights.base
        noisyPlanes = (planes.noisy[0].base, planes.noisy[1].base, planes.noisy[2].base)
        sumPlanes = (planes.sums[0].base, planes.sums[1].base, planes.sums[2].base)
        pilotPlanes = planes.pilot.map { ($0[0].base, $0[1].base, $0[2].base) }
    }

    @inline(__always)
    func noisy(_ c: Int) -> UnsafeMutablePointer<Float> {
        c == 0 ? noisyPlanes.0 : c == 1 ? noisyPlanes.1 : noisyPlanes.2
    }
    @inline(__always)
    func sums(_ c: Int) -> UnsafeMutablePointer<Float> { c == 0 ? sumPlanes.0 : c == 1 ? sumPlanes.1 : sumPlanes.2 }
    @inline(__always)
    func pilot(_ c: Int) -> UnsafeMutablePointer<Float>? {
        guard let pilotPlanes else { return nil }
        return c == 0 ? pilotPlanes.0 : c == 1 ? pilotPlanes.1 : pilotPlanes.2
    }

    deinit {
        patches.deallocate()
        pilotPatches.deallocate()
        spectrum.deallocate()
        window.deallocate()
        xs.deallocate()
        ys.deallocate()
        distances.deallocate()
    }
}

// MARK: Transforms

/// DCT of eight vectors, element-wise along the eight.
@inline(__always)
private func dctVertical(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    let (c1, c2, c3, c4): (Float, Float, Float, Float) = (0.490392640, 0.461939766, 0.415734806, 0.353553391)
    let (c5, c6, c7): (Float, Float, Float) = (0.277785117, 0.191341716, 0.097545161)
    let s0 = v[0] + v[7]
    let s1 = v[1] + v[6]
    let s2 = v[2] + v[5]
    let s3 = v[3] + v[4]
    let d0 = v[0] - v[7]
    let d1 = v[1] - v[6]
    let d2 = v[2] - v[5]
    let d3 = v[3] - v[4]
    let e0 = s0 + s3
    let e1 = s1 + s2
    let f0 = s0 - s3
    let f1 = s1 - s2
    v[0] = (e0 + e1) * c4
    v[4] = (e0 - e1) * c4
    v[2] = f0 * c2 + f1 * c6
    v[6] = f0 * c6 - f1 * c2
    v[1] = (d0 * c1 + d1 * c3) + (d2 * c5 + d3 * c7)
    v[3] = (d0 * c3 - d1 * c7) - (d2 * c1 + d3 * c5)
    v[5] = (d0 * c5 - d1 * c1) + (d2 * c7 + d3 * c3)
    v[7] = (d0 * c7 - d1 * c5) + (d2 * c3 - d3 * c1)
}

/// The inverse of ``dctVertical``.
@inline(__always)
private func inverseVertical(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    let (c1, c2, c3, c4): (Float, Float, Float, Float) = (0.490392640, 0.461939766, 0.415734806, 0.353553391)
    let (c5, c6, c7): (Float, Float, Float) = (0.277785117, 0.191341716, 0.097545161)
    let e0 = (v[0] + v[4]) * c4
    let e1 = (v[0] - v[4]) * c4
    let f0 = v[2] * c2 + v[6] * c6
    let f1 = v[2] * c6 - v[6] * c2
    let s0 = e0 + f0
    let s3 = e0 - f0
    let s1 = e1 + f1
    let s2 = e1 - f1
    let d0 = (v[1] * c1 + v[3] * c3) + (v[5] * c5 + v[7] * c7)
    let d1 = (v[1] * c3 - v[3] * c7) - (v[5] * c1 + v[7] * c5)
    let d2 = (v[1] * c5 - v[3] * c1) + (v[5] * c7 + v[7] * c3)
    let d3 = (v[1] * c7 - v[3] * c5) + (v[5] * c3 - v[7] * c1)
    v[0] = s0 + d0
    v[7] = s0 - d0
    v[1] = s1 + d1
    v[6] = s1 - d1
    v[2] = s2 + d2
    v[5] = s2 - d2
    v[3] = s3 + d3
    v[4] = s3 - d3
}

/// Turns eight vectors of eight: lane k of vector i becomes lane i of vector k. Three unshuffles of all 64 values, each
/// of which moves every value's place by one bit.
@inline(__always)
private func transpose(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    for _ in 0..<3 {
        let a = SIMD16(lowHalf: v[0], highHalf: v[1])
        let b = SIMD16(lowHalf: v[2], highHalf: v[3])
        let c = SIMD16(lowHalf: v[4], highHalf: v[5])
        let d = SIMD16(lowHalf: v[6], highHalf: v[7])
        v[0] = a.evenHalf
        v[1] = b.evenHalf
        v[2] = c.evenHalf
        v[3] = d.evenHalf
        v[4] = a.oddHalf
        v[5] = b.oddHalf
        v[6] = c.oddHalf
        v[7] = d.oddHalf
    }
}

/// Loads a patch and transforms it; vectors of the result are horizontal frequencies, their lanes vertical ones.
@inline(__always)
private func forward(_ start: UnsafePointer<Float>, _ stride: Int, _ out: UnsafeMutablePointer<SIMD8<Float>>) {
    for r in 0..<8 { out[r] = UnsafeRawPointer(start + r * stride).loadUnaligned(as: SIMD8<Float>.self) }
    dctVertical(out)
    transpose(out)
    dctVertical(out)
}

/// The inverse of ``forward(_:_:_:)``: rows of pixels.
@inline(__always)
private func inverse(_ data: UnsafeMutablePointer<SIMD8<Float>>) {
    inverseVertical(data)
    transpose(data)
    inverseVertical(data)
}

/// Walsh-Hadamard transform over `count` patches (a power of two), unscaled: twice gives `count` times the input.
private func walshHadamard(_ data: UnsafeMutablePointer<SIMD8<Float>>, _ count: Int) {
    var half = 1
    while half < count {
        var start = 0
        while start < count {
            for k in start..<(start + half) {
                for r in 0..<8 {
                    let a = data[k * 8 + r]
                    let b = data[(k + half) * 8 + r]
                    data[k * 8 + r] = a + b
                    data[(k + half) * 8 + r] = a - b
                }
            }
            start += 2 * half
        }
        half *= 2
    }
}
