internal import NightfuseCore

/// Eight samples at once: two SSE or NEON registers, one AVX register.
typealias Lanes = SIMD8<Float>

/// The smaller of each pair; `b` where `a` is not a number.
@inline(__always)
func lesser(_ a: Lanes, _ b: Lanes) -> Lanes { b.replacing(with: a, where: a .< b) }

/// The larger of each pair; `b` where `a` is not a number.
@inline(__always)
func greater(_ a: Lanes, _ b: Lanes) -> Lanes { b.replacing(with: a, where: a .> b) }

/// `x` held to 0 ... 1; 0 where it is not a number.
@inline(__always)
func unit(_ x: Lanes) -> Lanes { lesser(greater(x, Lanes(repeating: 0)), Lanes(repeating: 1)) }

/// Base-2 logarithm of normal positive numbers, within 1e-5.
///
/// The exponent is read from the bits; log2 of the mantissa by a polynomial of degree 6 in m - 1, fitted here for the
/// least largest error (2.3e-6) under the condition that it meets the neighbouring octaves at 0 and 1.
@inline(__always)
func log2Lanes(_ x: Lanes) -> Lanes {
    let bits = bits(of: x)
    // 2^23 + n as a Float has n in its low mantissa bits: an integer becomes a Float without a conversion.
    let exponent =
        floats(of: (bits &>> 23) | SIMD8(repeating: 0x4B00_0000)) - Float(8_388_608 + 127)
    let m = floats(of: (bits & SIMD8(repeating: 0x007F_FFFF)) | SIMD8(repeating: 0x3F80_0000)) - 1
    var p = m * -0.02583871 + 0.12178957
    p = p * m - 0.27789588
    p = p * m + 0.45754431
    p = p * m - 0.71814415
    p = p * m + 1.44254486
    return exponent + p * m
}

/// 2 to the power of `x`, which is held to -120 ... 120; within 2e-7 of the result.
///
/// Rounding to a whole number by adding 1.5 x 2^23; Taylor's polynomial of degree 6 on -0.5 ... 0.5.
@inline(__always)
func exp2Lanes(_ x: Lanes) -> Lanes {
    let held = lesser(greater(x, Lanes(repeating: -120)), Lanes(repeating: 120))
    let biased = held + 12_582_912
    let f = held - (biased - 12_582_912)
    var p = f * 1.540353e-4 + 1.3333558e-3
    p = p * f + 9.6181291e-3
    p = p * f + 5.5504109e-2
    p = p * f + 0.24022651
    p = p * f + 0.69314718
    p = p * f + 1
    let power = (bits(of: biased) &+ 127) &<< 23
    return p * floats(of: power)
}
