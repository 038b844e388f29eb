internal import NightfuseCore

internal import CMetering

/// What a block of two frames says about the shift between them: sums over its samples of the difference
/// d = current - other and of the gradients c' and t' of the two (central differences, codes a sample).
///
/// The displacement u of the current frame's content satisfies H u = b. Both frames are noisy; the noise in H would pull u
/// towards zero if H were made of squares of one gradient. H is made of products of one frame's gradient with the other's,
/// whose noises are independent, and has no such bias. What noise there is in the gradients is known from their difference.
struct BlockSums {
    var n: Float = 0
    /// -(sum g d), g the mean of both gradients, with the block's mean of d taken out (a change of brightness is no shift).
    var bx: Float = 0
    var by: Float = 0
    var hxx: Float = 0
    var hxy: Float = 0
    var hyy: Float = 0
    /// Sum of d^2, mean taken out.
    var dd: Float = 0
    /// Sum of |c' - t'|^2: eight times the noise in the squares of one component of g.
    var kk: Float = 0

    /// Sums over `width` x `height` samples (`width` a multiple of 4). Reads one sample around either block.
    ///
    /// Cost: about 1 ns a sample.
    static func measure(
        current: Row<Float>, currentStride: Int, other: Row<Float>, otherStride: Int, width: Int,
        height: Int
    ) -> BlockSums {
        // From one sample before the block's first to one after its last, around which there is a border.
        let (currentReach, otherReach) = ((height - 1) * currentStride, (height - 1) * otherStride)
        let s = unsafe nfk_measure_block(
            current.pointer(currentReach + width + 1), currentStride, other.pointer(otherReach + width + 1),
            otherStride,
            width, height)
        let n = Float(width * height)
        let meanD = s.d / n
        // The kernel's gradients are twice those a sample, and g is the mean of two.
        let gx = s.gx * 0.25
        let gy = s.gy * 0.25
        return BlockSums(
            n: n, bx: meanD * gx - s.gxd * 0.25, by: meanD * gy - s.gyd * 0.25, hxx: s.xx * 0.25 - gx * gx / n,
            hxy: s.xy * 0.125 - gx * gy / n, hyy: s.yy * 0.25 - gy * gy / n, dd: max(s.dd - meanD * meanD * n, 0),
            kk: s.kk * 0.25)
    }

    static func += (a: inout BlockSums, b: BlockSums) {
        a.n += b.n
        a.bx += b.bx
        a.by += b.by
        a.hxx += b.hxx
        a.hxy += b.hxy
        a.hyy += b.hyy
        a.dd += b.dd
        a.kk += b.kk
    }

    /// Makes H that of one mean gradient, noise and all: steps that are too short rather than too long where the two
    /// frames are far apart, so that their gradients do not agree.
    mutating func damp() {
        hxx += gradientNoise
        hyy += gradientNoise
    }

    /// u^T H u.
    @inline(__always)
    func curved(_ u: SIMD2<Float>) -> Float { hxx * u.x * u.x + 2 * hxy * u.x * u.y + hyy * u.y * u.y }

    /// What would be left of ``dd`` if the displacement were `u`.
    @inline(__always)
    func difference(at u: SIMD2<Float>) -> Float { max(dd - 2 * (bx * u.x + by * u.y) + curved(u), 0) }

    /// Noise in the squares of one component of g, summed over the block.
    var gradientNoise: Float { kk * 0.125 }

    /// (b - H u)^T Cov^-1 (b - H u), chi-squared with 2 degrees of freedom where the displacement is `u` and d has the
    /// variance `sigma2`.
    func misfit(ux: Float, uy: Float, sigma2: Float) -> Float {
        let rx = bx - hxx * ux - hxy * uy
        let ry = by - hxy * ux - hyy * uy
        let noise = gradientNoise
        let xx = max(hxx, 0) + noise
        let yy = max(hyy, 0) + noise
        let det = max(xx * yy - hxy * hxy, 0.05 * xx * yy + 1e-6)
        return max((yy * rx * rx - 2 * hxy * rx * ry + xx * ry * ry) / (det * sigma2), 0)
    }
}
