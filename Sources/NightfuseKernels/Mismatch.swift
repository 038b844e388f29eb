public import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Variance of one sample as a function of its mean, for shot and read noise clipped at black: a table where
/// clipping acts, the straight line beyond.
public struct VarianceCurve: Sendable {
    /// Variances at even steps from mean 0 to `reach`.
    public let table: [Float]
    public let reach: Float
    public let shot: Float
    public let readSquared: Float

    public init(table: [Float], reach: Float, shot: Float, readSquared: Float) {
        precondition(table.count >= 2)
        (self.table, self.reach, self.shot, self.readSquared) = (table, reach, shot, readSquared)
    }

    /// Variances of `count` means; means below 0 count as 0.
    public func apply(_ means: Row<Float>, count: Int, into out: MutableRow<Float>) {
        withArguments { curve in
            #if arch(x86_64)
                if KernelLevel.isV3 { return NightfuseLoopsV3.variances(curve, means, count: count, into: out) }
            #endif
            NightfuseLoops.variances(curve, means, count: count, into: out)
        }
    }

    func withArguments(_ body: (CurveArguments) -> Void) {
        table.withRow {
            body(CurveArguments(table: $0, count: table.count, reach: reach, shot: shot, readSquared: readSquared))
        }
    }
}

/// Running box sums of width 5 along a row: out[x] = sum of in[x - 2 ... x + 2], edges repeat.
public func boxRow5(_ input: Row<Float>, count: Int, into out: MutableRow<Float>) {
    guard count >= 5 else {
        for x in 0..<count {
            var sum: Float = 0
            for d in -2...2 { sum += input[min(max(x + d, 0), count - 1)] }
            out[x] = sum
        }
        return
    }
    for x in 2..<(count - 2) { out[x] = (input[x - 2] + input[x + 2]) + (input[x - 1] + input[x + 1]) + input[x] }
    for x in [0, 1, count - 2, count - 1] {
        var sum: Float = 0
        for d in -2...2 { sum += input[min(max(x + d, 0), count - 1)] }
        out[x] = sum
    }
}

/// Running box sums of width 3 along a row, edges repeat.
public func boxRow3(_ input: Row<Float>, count: Int, into out: MutableRow<Float>) {
    guard count >= 2 else {
        for x in 0..<count { out[x] = 3 * input[x] }
        return
    }
    for x in 1..<(count - 1) { out[x] = (input[x - 1] + input[x + 1]) + input[x] }
    out[0] = 2 * input[0] + input[1]
    out[count - 1] = 2 * input[count - 1] + input[count - 2]
}

/// Squared difference and mean of two rows.
public func differenceRow(
    _ a: Row<Float>, _ b: Row<Float>, count: Int, squared: MutableRow<Float>,
    mean: MutableRow<Float>
) {
    for x in 0..<count {
        let d = a[x] - b[x]
        squared[x] = d * d
        mean[x] = (a[x] + b[x]) * 0.5
    }
}

/// sums += weight x values.
public func accumulateRow(
    _ values: Row<Float>, weight: Row<Float>, count: Int, into sums: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.accumulateRow(values, weight: weight, count: count, into: sums) }
    #endif
    NightfuseLoops.accumulateRow(values, weight: weight, count: count, into: sums)
}

/// out = a - b, and its square added to `squares`.
public func differenceRow(
    _ a: Row<Float>, _ b: Row<Float>, count: Int, into out: MutableRow<Float>,
    addingSquaresTo squares: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.differenceRow(a, b, count: count, into: out, addingSquaresTo: squares)
        }
    #endif
    NightfuseLoops.differenceRow(a, b, count: count, into: out, addingSquaresTo: squares)
}
