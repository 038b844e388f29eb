internal import CShuffles
package import NightfuseCore

// Rows of blocks of 2 x 2 pixels; the kernels of the same names say what they do.

package func poolMismatch(
    _ a: (Row<Float>, Row<Float>), _ b: (Row<Float>, Row<Float>), width: Int,
    line: MutableRow<Float>, squares: MutableRow<Float>, means: MutableRow<Float>
) {
    let (square, mean) = (line, line + width + 1)
    let (a0, a1, b0, b1) = (a.0, a.1, b.0, b.1)
    for x in 0..<width {
        let (d0, d1) = (a0[x] - b0[x], a1[x] - b1[x])
        square[x] = d0 * d0 + d1 * d1
    }
    for x in 0..<width { mean[x] = ((a0[x] + b0[x]) + (a1[x] + b1[x])) * 0.5 }
    square[width] = square[width - 1]
    mean[width] = mean[width - 1]
    let half = (width + 1) / 2
    for x in 0..<half { squares[x] = square[2 * x] + square[2 * x + 1] }
    for x in 0..<half { means[x] = mean[2 * x] + mean[2 * x + 1] }
}

package func poolRow(
    _ a: (Row<Float>, Row<Float>), width: Int, line: MutableRow<Float>,
    into out: MutableRow<Float>
) {
    let (a0, a1) = (a.0, a.1)
    for x in 0..<width { line[x] = a0[x] + a1[x] }
    line[width] = line[width - 1]
    for x in 0..<(width + 1) / 2 { out[x] = line[2 * x] + line[2 * x + 1] }
}

/// Three neighbouring rows.
package typealias Rows = (above: Row<Float>, here: Row<Float>, below: Row<Float>)

package func addMisfitRow(
    squares: Rows, means: Rows, count: Int, own curve: CurveArguments, other: CurveArguments?, gain: Float,
    slack2: Float, share: Float, line: MutableRow<Float>, into out: (misfit: MutableRow<Float>, bare: MutableRow<Float>)
) {
    let stride = count + 2
    let (square, mean, across) = (line + 1, line + stride + 1, line + 2 * stride + 1)
    let (middle, expected, more) = (line + 3 * stride, line + 4 * stride, line + 5 * stride)
    let (misfit, bare) = out
    sumOfThree(squares, count, into: square)
    sumOfThree(means, count, into: mean)
    let (above, below) = (means.above, means.below)
    for x in 0..<count { across[x] = below[x] - above[x] }
    across[-1] = across[0]
    across[count] = across[count - 1]
    for x in 0..<count { middle[x] = ((mean[x - 1] + mean[x + 1]) + mean[x]) * (1.0 / 36) }
    variances(curve, Row(middle), count: count, into: expected)
    if let other {
        variances(other, Row(middle), count: count, into: more)
        for x in 0..<count { expected[x] += gain * more[x] }
    } else {
        for x in 0..<count { expected[x] *= 1 + gain }
    }
    // Slopes a pixel: sums over six pixels on either side, four pixels apart, each block of twice two rows or columns.
    let slope: Float = 1.0 / (12 * 4)
    for x in 0..<count {
        let gx = (mean[x + 1] - mean[x - 1]) * slope
        let gy = ((across[x - 1] + across[x + 1]) + across[x]) * slope
        let found = ((square[x - 1] + square[x + 1]) + square[x]) * (share / 36)
        let noise = expected[x] + 1e-12
        misfit[x] += found / (noise + slack2 * (gx * gx + gy * gy))
        bare[x] += found / noise
    }
}

/// The sum of three rows, its ends repeated one to the left and right.
@inline(__always)
private func sumOfThree(_ rows: Rows, _ count: Int, into out: MutableRow<Float>) {
    let (a, b, c) = (rows.above, rows.here, rows.below)
    for x in 0..<count { out[x] = (a[x] + c[x]) + b[x] }
    out[-1] = out[0]
    out[count] = out[count - 1]
}

package func meanOfBlocks(
    _ rows: Rows, count: Int, line: MutableRow<Float>, into out: MutableRow<Float>
) {
    let sum = line + 1
    sumOfThree(rows, count, into: sum)
    for x in 0..<count { out[x] = ((sum[x - 1] + sum[x + 1]) + sum[x]) * (1.0 / 36) }
}

package func variances(
    _ curve: CurveArguments, _ means: Row<Float>, count: Int, into out: MutableRow<Float>
) {
    let (t, reach, shot, readSquared) = (curve.table, curve.reach, curve.shot, curve.readSquared)
    let scale = Float(curve.count - 1) / reach
    let last = Float(curve.count - 2)
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let m = nfk_greater(load(means + x), V())
        let p = nfk_lesser(m, V(repeating: reach)) * scale
        let k = nfk_truncated(nfk_lesser(p, V(repeating: last)))
        let found = lookUp(t, k)
        let inside = found.first + (found.second - found.first) * (p - nfk_as_floats(k))
        store((shot * m + readSquared).replacing(with: inside, where: m .< reach), out + x)
    }
    for i in vectors..<count {
        let m = max(means[i], 0)
        let p = min(m, reach) * scale
        let k = Int(Int32(min(p, last)))
        let inside = t[k] + (t[k + 1] - t[k]) * (p - Float(k))
        out[i] = m < reach ? inside : shot * m + readSquared
    }
}

private typealias V = SIMD8<Float>
