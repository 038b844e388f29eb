/// Variance of one frame's coded luma (level 0, codes squared) by brightness, learned from the differences between frames
/// once the camera's motion is taken out.
struct NoiseCurve {
    static let bins = 16
    /// Variance at the middle of each bin of 16 codes.
    private var values: SIMD16<Float>
    private var known = false
    /// The brightness of the middle tile.
    private(set) var typicalCode: Float = 32

    /// Before anything is known: 6 codes, a phone's preview at ISO 800.
    init() { values = SIMD16(repeating: 36) }

    @inline(__always)
    func variance(_ code: Float) -> Float {
        let p = min(max(code * (1 / 16) - 0.5, 0), Float(Self.bins - 1) - 0.001)
        let i = Int(p)
        return values[i] + (values[i + 1] - values[i]) * (p - Float(i))
    }

    /// Learns from tiles: their brightness and the mean square of their difference to the reference, divided by
    /// 1 + `referenceShare`. Both arrays are scratch.
    mutating func learn(code: Tiles<Float>, square: Tiles<Float>, count: Int, scratch: Tiles<Float>) {
        guard count >= 4 else { return }
        for i in 0..<count { scratch[i] = code[i] }
        typicalCode = scratch.median(of: count)
        var fresh = SIMD16<Float>(repeating: 0)
        var weight = SIMD16<Float>(repeating: 0)
        for bin in 0..<Self.bins {
            var n = 0
            for i in 0..<count where min(max(Int(code[i] * (1 / 16)), 0), Self.bins - 1) == bin {
                scratch[n] = square[i]
                n += 1
            }
            guard n > 0 else { continue }
            // What moves has more difference than noise makes: the lower part of the tiles speaks for the noise. 0.93: the
            // 40 % quantile of a mean of 256 squares against its mean is within 2 % of 1; tiles differ in brightness too.
            fresh[bin] = scratch.select(n * 2 / 5, of: n)
            weight[bin] = Float(n)
        }
        // Bins with few tiles borrow from their neighbours.
        var smooth = SIMD16<Float>(repeating: 0)
        for bin in 0..<Self.bins {
            var sum: Float = 0
            var total: Float = 0
            for other in 0..<Self.bins where weight[other] > 0 {
                let far = Float(abs(other - bin))
                let w = weight[other] / (1 + far * far * far * 4)
                sum += w * fresh[other]
                total += w
            }
            smooth[bin] = max(sum / total, Self.quantisation)
        }
        // A running mean over about 8 frames.
        values = known ? values + (smooth - values) * 0.125 : smooth
        known = true
    }

    /// Rounding to 8 bits and JPEG's quantisation leave at least this.
    private static let quantisation: Float = 0.1
}
