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

/// Sharpness that a camera's demosaic took, given back to the merged and denoised luma.
///
/// Interpolation is a blur. Over frames that lie on the mosaic in ever other ways its false detail averages out, and what
/// is left is the picture, blurred by the interpolation's mean response; the merge has noise so low that this can be
/// undone. It is undone only where the frames' noise shows that they are a plain demosaic's: by the ``MosaicTrace`` and
/// by fine noise that is weaker than coarse (the noise went through the same interpolation). So pictures without a mosaic,
/// those of cameras that denoise and sharpen, and those of demosaics that keep fine noise stay as they are.
package struct DemosaicBlur: Sendable {
    /// How much of the blur is undone, 0 to 1.
    package let strength: Float

    package init(reference: FrameData, noise: NoiseEstimation) {
        guard !reference.isGrey, reference.clippedAtBlack, Self.redness(noise) > 0 else {
            strength = 0
            return
        }
        let green = Stabiliser(ClippedNoise(noise: noise.channels[1], clips: true))
        strength = Self.redness(noise) * MosaicTrace(frame: reference, stabiliser: green).strength
    }

    /// 1 where luma's noise at 5/16 of a cycle a pixel has at most half the power of coarse noise, 0 from three quarters on:
    /// bilinear interpolation leaves a third, and with a JPEG's rounding up to 0.45 was seen.
    private static func redness(_ noise: NoiseEstimation) -> Float {
        let luma = noise.spectrum[0]
        let ratio = (luma[5] + luma[40]) / max(luma[1] + luma[8], 1e-6)
        return min(max((0.75 - ratio) / 0.25, 0), 1)
    }

    /// Undoes the blur of stabilised luma, in place.
    package func undo(_ luma: Plane<Float>, workers: Workers) throws(NightfuseError) {
        guard strength > 0 else { return }
        try LimitedFilter(taps: Self.taps(strength: strength)).apply(luma, workers: workers)
    }

    /// Mean response of bilinear interpolation to luma of `fx`, `fy` cycles a pixel. Green: itself at every second pixel, and
    /// the mean of its four neighbours; red and blue: at every fourth.
    package static func response(_ fx: Double, _ fy: Double) -> Double {
        let (cx, cy) = (cos(2 * Double.pi * fx), cos(2 * Double.pi * fy))
        let green = 0.5 + 0.25 * (cx + cy)
        let redAndBlue = 0.25 * (1 + cx) * (1 + cy)
        // Green's share of luma (Rec. 601, as JPEG has it).
        return 0.587 * green + 0.413 * redAndBlue
    }

    /// The inverse, damped where what the interpolation feigned is no longer small against what it passed: a twentieth of
    /// the power at a quarter of a cycle a pixel, rising with the cube of frequency. Fitted to photographs with known truth;
    /// half and twice the damping lose 0.1 dB and less.
    package static func inverse(_ fx: Double, _ fy: Double) -> Double {
        let response = response(fx, fy)
        let octave = (fx * fx + fy * fy).squareRoot() / 0.25
        return response / (response * response + 0.05 * octave * octave * octave)
    }

    /// The inverse as taps: a quadrant of 9 x 9 whose sum over all is 1.
    package static func taps(strength: Float) -> [Float] {
        let (n, side) = (32, LimitedFilter.reach + 1)
        var taps = [Double](repeating: 0, count: side * side)
        for v in 0..<n {
            for u in 0..<n {
                let (fx, fy) = (Double(u) / Double(n) - 0.5, Double(v) / Double(n) - 0.5)
                let gain = inverse(fx, fy) / Double(n * n)
                for y in 0..<side {
                    for x in 0..<side {
                        taps[y * side + x] += gain * cos(2 * .pi * fx * Double(x)) * cos(2 * .pi * fy * Double(y))
                    }
                }
            }
        }
        let sum = taps.indices.reduce(0.0) { sum, i in
            sum + taps[i] * (i % side == 0 ? 1 : 2) * (i / side == 0 ? 1 : 2)
        }
        return taps.indices.map { i in
            let whole = Float(taps[i] / sum)
            return i == 0 ? 1 + strength * (whole - 1) : strength * whole
        }
    }
}
