/// Squared differences and means of two pictures, each summed over blocks of 2 x 2 pixels.
///
/// - Parameters:
///   - a, b: two rows each of the pictures, `width` samples.
///   - line: room for `2 * (width + 1)` values.
///   - squares, means: one value for each pair of columns, the last column of an odd width counted twice:
///     the sum of (a - b)^2, and of (a + b) / 2.
///
/// Any finite values. Some ten operations a pixel.
public func poolMismatch(
    _ a: (UnsafePointer<Float>, UnsafePointer<Float>), _ b: (UnsafePointer<Float>, UnsafePointer<Float>), width: Int,
    line: UnsafeMutablePointer<Float>, squares: UnsafeMutablePointer<Float>, means: UnsafeMutablePointer<Float>
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

/// A row summed over blocks of 2 x 2 pixels; as ``poolMismatch(_:_:width:line:squares:means:)``.
public func poolRow(
    _ a: (UnsafePointer<Float>, UnsafePointer<Float>), width: Int, line: UnsafeMutablePointer<Float>,
    into out: UnsafeMutablePointer<Float>
) {
    let (a0, a1) = (a.0, a.1)
    for x in 0..<width { line[x] = a0[x] + a1[x] }
    line[width] = line[width - 1]
    for x in 0..<(width + 1) / 2 { out[x] = line[2 * x] + line[2 * x + 1] }
}

/// Three neighbouring rows of blocks.
public struct BlockRows {
    public var above, here, below: UnsafePointer<Float>
    public init(above: UnsafePointer<Float>, here: UnsafePointer<Float>, below: UnsafePointer<Float>) {
        (self.above, self.here, self.below) = (above, here, below)
    }
}

/// How a difference is to be judged.
public struct MismatchModel {
    /// Variance of a sample of either picture by its mean, the second times `gain`; nil: as the first.
    public var own: VarianceCurve
    public var other: VarianceCurve?
    public var gain: Float
    /// Alignment error that is left, in pixels, squared.
    public var slack2: Float
    public init(own: VarianceCurve, other: VarianceCurve?, gain: Float, slack2: Float) {
        (self.own, self.other, self.gain, self.slack2) = (own, other, gain, slack2)
    }
}

/// Mean squared difference over 3 x 3 blocks (6 x 6 pixels), over what noise and slack explain, times `share`, added to
/// `out`.
///
/// - Parameters:
///   - squares, means: sums over blocks of 2 x 2 pixels; edges repeat.
///   - line: room for `6 * (count + 2)` values.
public func addMisfitRow(
    squares: BlockRows, means: BlockRows, count: Int, model: MismatchModel, share: Float,
    line: UnsafeMutablePointer<Float>, into out: UnsafeMutablePointer<Float>
) {
    let stride = count + 2
    let (square, mean, across) = (line + 1, line + stride + 1, line + 2 * stride + 1)
    let (middle, own, other) = (line + 3 * stride, line + 4 * stride, line + 5 * stride)
    sumOfThree(squares, count, into: square)
    sumOfThree(means, count, into: mean)
    let (above, below) = (means.above, means.below)
    for x in 0..<count { across[x] = below[x] - above[x] }
    across[-1] = across[0]
    across[count] = across[count - 1]
    for x in 0..<count { middle[x] = ((mean[x - 1] + mean[x + 1]) + mean[x]) * (1.0 / 36) }
    model.own.apply(middle, count: count, into: own)
    let (gain, slack2) = (model.gain, model.slack2)
    if let curve = model.other {
        curve.apply(middle, count: count, into: other)
        for x in 0..<count { own[x] += gain * other[x] }
    } else {
        for x in 0..<count { own[x] *= 1 + gain }
    }
    // Slopes a pixel: sums over six pixels on either side, four pixels apart, each block of twice two rows or columns.
    let slope: Float = 1.0 / (12 * 4)
    for x in 0..<count {
        let gx = (mean[x + 1] - mean[x - 1]) * slope
        let gy = ((across[x - 1] + across[x + 1]) + across[x]) * slope
        let expected = own[x] + slack2 * (gx * gx + gy * gy) + 1e-12
        let found = (square[x - 1] + square[x + 1]) + square[x]
        out[x] += found * (share / 36) / expected
    }
}

/// The sum of three rows, its ends repeated one to the left and right.
@inline(__always)
private func sumOfThree(_ rows: BlockRows, _ count: Int, into out: UnsafeMutablePointer<Float>) {
    let (a, b, c) = (rows.above, rows.here, rows.below)
    for x in 0..<count { out[x] = (a[x] + c[x]) + b[x] }
    out[-1] = out[0]
    out[count] = out[count - 1]
}

/// Mean over 3 x 3 blocks of 2 x 2 pixels; edges repeat. `line` has room for `count + 2` values.
public func meanOfBlocks(
    _ rows: BlockRows, count: Int, line: UnsafeMutablePointer<Float>, into out: UnsafeMutablePointer<Float>
) {
    let sum = line + 1
    sumOfThree(rows, count, into: sum)
    for x in 0..<count { out[x] = ((sum[x - 1] + sum[x + 1]) + sum[x]) * (1.0 / 36) }
}

/// Each of `count / 2` values, rounded up, written twice.
public func doubleRow(_ input: UnsafePointer<Float>, count: Int, into out: UnsafeMutablePointer<Float>) {
    for x in 0..<count / 2 {
        out[2 * x] = input[x]
        out[2 * x + 1] = input[x]
    }
    if count % 2 == 1 { out[count - 1] = input[count / 2] }
}
