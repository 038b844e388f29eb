internal import CShuffles
package import NightfuseCore

/// A pass of the patch filter; `CollaborativeFilter` of the kernels says what it does.
package func filterPatches(_ a: PatchArguments) {
    let scratch = GroupScratch(group: a.group)
    let pass = PatchPass(a: a)
    let (lastX, lastY) = (a.width - 8, a.height - 8)
    var y = next(a.rows.lowerBound, a.step)
    while y < a.rows.upperBound && y <= lastY {
        pass.row(y, lastX, scratch)
        y += a.step
    }
    // The last patches stand flush with the edge.
    if lastY % a.step != 0 && lastY >= a.rows.lowerBound && lastY < a.rows.upperBound {
        pass.row(lastY, lastX, scratch)
    }
}

/// The first multiple of `step` from `start` on.
@inline(__always)
private func next(_ start: Int, _ step: Int) -> Int { (start + step - 1) / step * step }

private struct PatchPass {
    let a: PatchArguments

    func row(_ y: Int, _ lastX: Int, _ scratch: GroupScratch) {
        var x = next(a.columns.lowerBound, a.step)
        while x < a.columns.upperBound && x <= lastX {
            filterGroup(x, y, scratch)
            x += a.step
        }
        if lastX % a.step != 0 && lastX >= a.columns.lowerBound && lastX < a.columns.upperBound {
            filterGroup(lastX, y, scratch)
        }
    }

    @inline(__always)
    private func plane(
        _ planes: (UnsafePointer<Float>, UnsafePointer<Float>, UnsafePointer<Float>), _ channel: Int
    ) -> UnsafePointer<Float> { channel == 0 ? planes.0 : channel == 1 ? planes.1 : planes.2 }

    private func filterGroup(_ x: Int, _ y: Int, _ scratch: GroupScratch) {
        let own = patchVariance(x, y)
        let found = a.group == 1 ? 1 : match(x, y, variance: own, scratch)
        var variance = own
        if found > 1 {
            for k in 1..<found { variance += patchVariance(scratch.xs[k], scratch.ys[k]) }
            variance /= Float(found)
        } else {
            scratch.xs[0] = x
            scratch.ys[0] = y
        }
        let stride = a.stride
        let inverseCount = 1 / Float(found)
        var kept: Float = 0
        for channel in 0..<3 {
            let noisy = scratch.patches + channel * scratch.capacity * 8
            for k in 0..<found {
                forward(plane(a.noisy, channel) + scratch.ys[k] * stride + scratch.xs[k], stride, noisy + k * 8)
            }
            walshHadamard(noisy, found)
            let relative = a.spectrum + channel * 8
            if let planes = a.pilot {
                let pilots = plane(planes, channel)
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
                let sums = (channel == 0 ? a.sums.0 : channel == 1 ? a.sums.1 : a.sums.2) + at
                for r in 0..<8 {
                    let out = UnsafeMutableRawPointer(sums + r * stride)
                    let old = out.loadUnaligned(as: SIMD8<Float>.self)
                    out.storeBytes(of: nfk_multiply_add(patch[r], a.window[r] * weight, old), as: SIMD8<Float>.self)
                }
            }
            for r in 0..<8 {
                let out = UnsafeMutableRawPointer(a.weights + at + r * stride)
                let old = out.loadUnaligned(as: SIMD8<Float>.self)
                out.storeBytes(of: old + a.window[r] * weight, as: SIMD8<Float>.self)
            }
        }
    }

    /// Variance over a patch, from four of its pixels.
    @inline(__always)
    private func patchVariance(_ x: Int, _ y: Int) -> Float {
        let upper = a.variance + (y + 1) * a.stride + x
        let lower = a.variance + (y + 6) * a.stride + x
        return ((upper[1] + upper[6]) + (lower[1] + lower[6])) * 0.25
    }

    /// Finds the patches most like the one at (x, y), itself first; gives their number, a power of two.
    private func match(_ x: Int, _ y: Int, variance: Float, _ scratch: GroupScratch) -> Int {
        scratch.xs[0] = x
        scratch.ys[0] = y
        let (guide, stride) = (a.guide, a.stride)
        let own = guide + y * stride + x
        typealias V = SIMD8<Float>
        var mine = (V(), V(), V(), V(), V(), V(), V(), V())
        withUnsafeMutableBytes(of: &mine) { raw in
            for r in 0..<8 {
                raw.storeBytes(
                    of: UnsafeRawPointer(own + r * stride).loadUnaligned(as: V.self), toByteOffset: r * 32, as: V.self)
            }
        }
        // Two noisy copies of one patch differ by twice the guide's noise.
        let limit = 64 * variance * (2 * a.guideNoise + a.similarity)
        var count = 1
        var worst = limit
        let distances = scratch.distances
        let x0 = max(x - a.radius, 0)
        let x1 = min(x + a.radius, a.width - 8)
        for py in max(y - a.radius, 0)...min(y + a.radius, a.height - 8) {
            var p = UnsafeRawPointer(guide + py * stride + x0)
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
                var at = min(count, a.group - 1)
                while at > 1 && distances[at - 1] > distance {
                    distances[at] = distances[at - 1]
                    scratch.xs[at] = scratch.xs[at - 1]
                    scratch.ys[at] = scratch.ys[at - 1]
                    at -= 1
                }
                distances[at] = distance
                scratch.xs[at] = px
                scratch.ys[at] = py
                count = min(count + 1, a.group)
                if count == a.group { worst = min(limit, distances[a.group - 1]) }
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
        let limit = a.cut * a.cut * variance
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
        return laneSum(kept)
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
        return laneSum(kept)
    }
}

/// Buffers for one group at a time.
private final class GroupScratch {
    let capacity: Int
    let patches, pilotPatches: UnsafeMutablePointer<SIMD8<Float>>
    let xs, ys: UnsafeMutablePointer<Int>
    let distances: UnsafeMutablePointer<Float>

    init(group: Int) {
        capacity = group
        patches = .allocate(capacity: 3 * group * 8)
        pilotPatches = .allocate(capacity: group * 8)
        xs = .allocate(capacity: group)
        ys = .allocate(capacity: group)
        distances = .allocate(capacity: group)
    }

    deinit {
        patches.deallocate()
        pilotPatches.deallocate()
        xs.deallocate()
        ys.deallocate()
        distances.deallocate()
    }
}

// MARK: Transforms

/// DCT of eight vectors, element-wise along the eight.
@inline(__always)
private func dctVertical(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    let (s0, s1, s2, s3) = (v[0] + v[7], v[1] + v[6], v[2] + v[5], v[3] + v[4])
    let (d0, d1, d2, d3) = (v[0] - v[7], v[1] - v[6], v[2] - v[5], v[3] - v[4])
    let (e0, e1, f0, f1) = (s0 + s3, s1 + s2, s0 - s3, s1 - s2)
    v[0] = (e0 + e1) * c4
    v[4] = (e0 - e1) * c4
    v[2] = two(f0, c2, f1, c6)
    v[6] = two(f0, c6, f1, -c2)
    v[1] = four(d0, c1, d1, c3, d2, c5, d3, c7)
    v[3] = four(d0, c3, d1, -c7, d2, -c1, d3, -c5)
    v[5] = four(d0, c5, d1, -c1, d2, c7, d3, c3)
    v[7] = four(d0, c7, d1, -c5, d2, c3, d3, -c1)
}

/// The inverse of ``dctVertical``.
@inline(__always)
private func inverseVertical(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    let (e0, e1) = ((v[0] + v[4]) * c4, (v[0] - v[4]) * c4)
    let (f0, f1) = (two(v[2], c2, v[6], c6), two(v[2], c6, v[6], -c2))
    let (s0, s3, s1, s2) = (e0 + f0, e0 - f0, e1 + f1, e1 - f1)
    let d0 = four(v[1], c1, v[3], c3, v[5], c5, v[7], c7)
    let d1 = four(v[1], c3, v[3], -c7, v[5], -c1, v[7], -c5)
    let d2 = four(v[1], c5, v[3], -c1, v[5], c7, v[7], c3)
    let d3 = four(v[1], c7, v[3], -c5, v[5], c3, v[7], -c1)
    v[0] = s0 + d0
    v[7] = s0 - d0
    v[1] = s1 + d1
    v[6] = s1 - d1
    v[2] = s2 + d2
    v[5] = s2 - d2
    v[3] = s3 + d3
    v[4] = s3 - d3
}

/// cos(k pi / 16) / 2.
private var c1: Float { 0.490392640 }
private var c2: Float { 0.461939766 }
private var c3: Float { 0.415734806 }
private var c4: Float { 0.353553391 }
private var c5: Float { 0.277785117 }
private var c6: Float { 0.191341716 }
private var c7: Float { 0.097545161 }

/// a x + b y.
@inline(__always)
private func two(_ a: SIMD8<Float>, _ x: Float, _ b: SIMD8<Float>, _ y: Float) -> SIMD8<Float> {
    nfk_multiply_add(a, SIMD8(repeating: x), b * y)
}

/// a x + b y + c z + d w.
@inline(__always)
private func four(
    _ a: SIMD8<Float>, _ x: Float, _ b: SIMD8<Float>, _ y: Float, _ c: SIMD8<Float>, _ z: Float, _ d: SIMD8<Float>,
    _ w: Float
) -> SIMD8<Float> { two(a, x, b, y) + two(c, z, d, w) }

/// Turns eight vectors of eight: lane k of vector i becomes lane i of vector k.
@inline(__always)
private func transpose(_ v: UnsafeMutablePointer<SIMD8<Float>>) {
    nfk_settle(v)
    let (a0, a1) = (nfk_interleave_low(v[0], v[1]), nfk_interleave_high(v[0], v[1]))
    let (a2, a3) = (nfk_interleave_low(v[2], v[3]), nfk_interleave_high(v[2], v[3]))
    let (a4, a5) = (nfk_interleave_low(v[4], v[5]), nfk_interleave_high(v[4], v[5]))
    let (a6, a7) = (nfk_interleave_low(v[6], v[7]), nfk_interleave_high(v[6], v[7]))
    let (b0, b1) = (nfk_pairs_low(a0, a2), nfk_pairs_high(a0, a2))
    let (b2, b3) = (nfk_pairs_low(a1, a3), nfk_pairs_high(a1, a3))
    let (b4, b5) = (nfk_pairs_low(a4, a6), nfk_pairs_high(a4, a6))
    let (b6, b7) = (nfk_pairs_low(a5, a7), nfk_pairs_high(a5, a7))
    v[0] = nfk_halves_low(b0, b4)
    v[1] = nfk_halves_low(b1, b5)
    v[2] = nfk_halves_low(b2, b6)
    v[3] = nfk_halves_low(b3, b7)
    v[4] = nfk_halves_high(b0, b4)
    v[5] = nfk_halves_high(b1, b5)
    v[6] = nfk_halves_high(b2, b6)
    v[7] = nfk_halves_high(b3, b7)
    nfk_settle(v)
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
