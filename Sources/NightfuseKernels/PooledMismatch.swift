public import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

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
    _ a: (Row<Float>, Row<Float>), _ b: (Row<Float>, Row<Float>), width: Int,
    line: MutableRow<Float>, squares: MutableRow<Float>, means: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.poolMismatch(a, b, width: width, line: line, squares: squares, means: means)
        }
    #endif
    NightfuseLoops.poolMismatch(a, b, width: width, line: line, squares: squares, means: means)
}

/// A row summed over blocks of 2 x 2 pixels; as ``poolMismatch(_:_:width:line:squares:means:)``.
public func poolRow(
    _ a: (Row<Float>, Row<Float>), width: Int, line: MutableRow<Float>,
    into out: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.poolRow(a, width: width, line: line, into: out) }
    #endif
    NightfuseLoops.poolRow(a, width: width, line: line, into: out)
}

/// Three neighbouring rows of blocks.
public struct BlockRows {
    public var above, here, below: Row<Float>
    public init(above: Row<Float>, here: Row<Float>, below: Row<Float>) {
        (self.above, self.here, self.below) = (above, here, below)
    }
    var tuple: NightfuseLoops.Rows { (above, here, below) }
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
/// `out.misfit`; over what noise alone explains, to `out.bare`.
///
/// - Parameters:
///   - squares, means: sums over blocks of 2 x 2 pixels; edges repeat.
///   - line: room for `6 * (count + 2)` values.
public func addMisfitRow(
    squares: BlockRows, means: BlockRows, count: Int, model: MismatchModel, share: Float,
    line: MutableRow<Float>, into out: (misfit: MutableRow<Float>, bare: MutableRow<Float>)
) {
    model.own.withArguments { own in
        func run(_ other: CurveArguments?) {
            let (squares, means) = (squares.tuple, means.tuple)
            #if arch(x86_64)
                if KernelLevel.isV3 {
                    return NightfuseLoopsV3.addMisfitRow(
                        squares: squares, means: means, count: count, own: own, other: other, gain: model.gain,
                        slack2: model.slack2, share: share, line: line, into: out)
                }
            #endif
            NightfuseLoops.addMisfitRow(
                squares: squares, means: means, count: count, own: own, other: other, gain: model.gain,
                slack2: model.slack2, share: share, line: line, into: out)
        }
        if let other = model.other { other.withArguments { run($0) } } else { run(nil) }
    }
}

/// Mean over 3 x 3 blocks of 2 x 2 pixels; edges repeat. `line` has room for `count + 2` values.
public func meanOfBlocks(
    _ rows: BlockRows, count: Int, line: MutableRow<Float>, into out: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.meanOfBlocks(rows.tuple, count: count, line: line, into: out) }
    #endif
    NightfuseLoops.meanOfBlocks(rows.tuple, count: count, line: line, into: out)
}

/// Each of `count / 2` values, rounded up, written twice.
public func doubleRow(_ input: Row<Float>, count: Int, into out: MutableRow<Float>) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.doubleRow(input, count: count, into: out) }
    #endif
    NightfuseLoops.doubleRow(input, count: count, into: out)
}
