internal import NightfuseCore
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

extension FrequencyMerge {
    /// A table of 8 x 8 DCT coefficients between its places, at (x, y) cycles a sample.
    static func power(_ table: [Float], _ x: Double, _ y: Double) -> Float {
        // Coefficient k stands at k / 16 cycles a sample.
        let (u, v) = (min(abs(x) * 16, 7), min(abs(y) * 16, 7))
        let (i, j) = (min(Int(u), 6), min(Int(v), 6))
        let (fx, fy) = (Float(u) - Float(i), Float(v) - Float(j))
        let top = table[j * 8 + i] * (1 - fx) + table[j * 8 + i + 1] * fx
        let bottom = table[j * 8 + 8 + i] * (1 - fx) + table[j * 8 + 8 + i + 1] * fx
        return top * (1 - fy) + bottom * fy
    }

    func fill(
        _ rg: TileFourier, _ b: TileFourier, at: Int, means: (Float, Float, Float),
        from planes: [MutableRow<Float>], y0: Int, height: Int, work: FrequencyWork
    ) {
        let n = Self.tile
        for y in 0..<n {
            let row = at + y * work.stride
            for x in 0..<n {
                let (i, w) = (y * n + x, hannWindow[y] * hannWindow[x])
                rg.re[i] = w * (planes[0][row + x] - means.0)
                rg.im[i] = w * (planes[1][row + x] - means.1)
                b.re[i] = w * (planes[2][row + x] - means.2)
                b.im[i] = 0
            }
        }
    }

    /// Applies the blur to a tile.
    func smear(_ tile: TileFourier) {
        tile.forward()
        for i in 0..<TileFourier.count {
            tile.re[i] *= response[i]
            tile.im[i] *= response[i]
        }
        tile.inverse()
    }

    /// Sums over 5 x 5 of a tile, in place; its edges count once.
    func box5(_ p: MutableRow<Float>, _ temp: MutableRow<Float>) {
        let n = Self.tile
        for y in 0..<n { boxRow5(Row(p + y * n), count: n, into: temp + y * n) }
        for y in 0..<n {
            let r = (-2...2).map { temp + min(max(y + $0, 0), n - 1) * n }
            let out = p + y * n
            for x in 0..<n { out[x] = (r[0][x] + r[4][x]) + (r[1][x] + r[3][x]) + r[2][x] }
        }
    }
}

/// Hann's window of 32 whose half-overlapped copies sum to 1.
let hannWindow: [Float] = (0..<32).map { Float(0.5 - 0.5 * cos(2 * Double.pi * (Double($0) + 0.5) / 32)) }
