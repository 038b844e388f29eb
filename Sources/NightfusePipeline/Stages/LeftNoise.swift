package import NightfuseCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Merge {
    /// Mean response of the frames merged by frequency, squared, for each of 8 x 8 DCT coefficients (both senses of a
    /// slant count alike); nil where there are none.
    private var meanResponse2: [Float]? {
        let total = coarseBlurs.reduce(0) { $0 + $1.weight }
        guard total > 0 else { return nil }
        return (0..<64).map { i in
            let (fy, fx) = (Double(i / 8) / 16, Double(i % 8) / 16)
            let sum = coarseBlurs.reduce(0.0) { sum, item in
                let (a, b) = (item.blur.response(fx, fy), item.blur.response(fx, -fy))
                return sum + item.weight * (a * a + b * b) / 2
            }
            return Float(sum / total)
        }
    }

    /// Share of the base frames' noise variance that is left, by how many times more weight coarse shapes have: sixteenths
    /// of the weight's logarithm to base 2.
    package func leftNoiseTable() -> [Float] {
        guard let response = meanResponse2 else { return [] }
        return (0..<256).map { i in
            let gain = powf(2, Float(i) / 16) - 1
            return response.reduce(0) { $0 + 1 / (1 + gain * $1) } / 64
        }
    }

    /// Lowers a row of blocks' noise variances (base frames = 1 / their number) by what frames merged by frequency took off.
    package func lowerVariance(_ row: MutableRow<Float>, block: Int, table: [Float]) {
        guard let coarse = coarseWeight, !table.isEmpty else { return }
        let (upper, lower) = (coarse.row(2 * block), coarse.row(min(2 * block + 1, height - 1)))
        for x in 0..<weight.width {
            let (a, b) = (2 * x, min(2 * x + 1, width - 1))
            let gain = ((upper[a] + upper[b]) + (lower[a] + lower[b])) * 0.25 * row[x]
            row[x] *= table[min(Int(log2f(1 + max(gain, 0)) * 16), table.count - 1)]
        }
    }

    /// The noise spectrum of one frame, bent to what is left when coarse shapes have been seen longer.
    package func leftSpectrum(_ spectrum: [[Float]]) -> [[Float]] {
        guard let response = meanResponse2, let coarse = coarseWeight else { return spectrum }
        var (sum, count) = (Float(0), Float(0))
        for y in stride(from: 0, to: height, by: 4) {
            let (extra, weight, weight2) = (coarse.row(y), self.weight.row(y / 2), self.weight2.row(y / 2))
            for x in 0..<width {
                sum += log2f(1 + extra[x] * weight2[x / 2] / (weight[x / 2] * weight[x / 2]))
                count += 1
            }
        }
        let gain = powf(2, sum / max(count, 1)) - 1
        let shape = response.map { 1 / (1 + gain * $0) }
        let mean = shape.reduce(0, +) / 64
        return spectrum.map { table in zip(table, shape).map { $0 * $1 / mean } }
    }
}
