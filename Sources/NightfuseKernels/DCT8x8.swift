/// Orthonormal DCT-II matrix of size 8: entry (k, n) = c(k) cos(pi (2n + 1) k / 16), rows k.
@usableFromInline let dctMatrix: [Float] = {
    // cos(pi j / 16), j = 0...8, to float precision.
    let c: [Double] = [
        1, 0.980785280403230449, 0.923879532511286756, 0.831469612302545237, 0.707106781186547524,
        0.555570233019602225, 0.382683432365089772, 0.195090322016128268, 0,
    ]
    func cosine(_ j: Int) -> Double {
        let m = j % 32
        if m <= 8 { return c[m] }
        if m <= 16 { return -c[16 - m] }
        if m <= 24 { return -c[m - 16] }
        return c[32 - m]
    }
    return (0..<64).map { i in
        let (k, n) = (i / 8, i % 8)
        return Float(cosine((2 * n + 1) * k) * (k == 0 ? 0.353553390593273762 : 0.5))
    }
}()

/// The 8 x 8 DCT of 64 values, row by row; plain, for estimates and tests.
public func dct8x8(_ values: [Float]) -> [Float] {
    precondition(values.count == 64)
    var half = [Float](repeating: 0, count: 64)
    var out = half
    for y in 0..<8 {
        for k in 0..<8 {
            var sum: Float = 0
            for n in 0..<8 { sum += dctMatrix[k * 8 + n] * values[y * 8 + n] }
            half[y * 8 + k] = sum
        }
    }
    for k in 0..<8 {
        for x in 0..<8 {
            var sum: Float = 0
            for n in 0..<8 { sum += dctMatrix[k * 8 + n] * half[n * 8 + x] }
            out[k * 8 + x] = sum
        }
    }
    return out
}
