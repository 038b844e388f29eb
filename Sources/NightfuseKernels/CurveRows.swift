package import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Values of a variance-stabilising curve for `count` means, each times `scale`; any finite values.
///
/// A root and a pair of neighbours in the table for each. `out` may be `input`.
package func stabiliseRow(
    _ curve: StabiliserArguments, _ input: Row<Float>, scale: Float, count: Int,
    into out: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.stabiliseRow(curve, input, scale: scale, count: count, into: out)
        }
    #endif
    NightfuseLoops.stabiliseRow(curve, input, scale: scale, count: count, into: out)
}

/// Where tables for 1, 2, 4, ... frames are entered for the frames (one over the variance, 1 and more) that pixels have.
///
/// - Parameters:
///   - last: number of the last table.
///   - size: entries of a table.
///   - offsets: the first entry of the table below; `rises`: the share of the way to the one above, 0 to 1.
package func frameLevels(
    _ variances: Row<Float>, last: Int, size: Int, count: Int, offsets: MutableRow<Int32>,
    rises: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.frameLevels(
                variances, last: last, size: size, count: count, offsets: offsets, rises: rises)
        }
    #endif
    NightfuseLoops.frameLevels(variances, last: last, size: size, count: count, offsets: offsets, rises: rises)
}

/// A row of values through tables with entries at even steps from 0 to `top`, linear between entries and between tables, in
/// place; ``frameLevels(_:last:size:count:offsets:rises:)`` says where. Values are held to 0 ... `top`.
///
/// - Parameter tables: one more than is ever entered: the table above the last is read, whatever is in it counts by a
///   share of the way there.
package func unbiasRow(
    _ tables: Row<Float>, size: Int, top: Float, offsets: Row<Int32>, rises: Row<Float>,
    count: Int, row: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.unbiasRow(
                tables, size: size, top: top, offsets: offsets, rises: rises, count: count, row: row)
        }
    #endif
    NightfuseLoops.unbiasRow(tables, size: size, top: top, offsets: offsets, rises: rises, count: count, row: row)
}

/// Adds a row of blocks to their weights: u = trust, 0 where a pixel of the block lies outside, a = ratio x u; to `weight`
/// a, to `weight2` a u, to `other` a. `trust` becomes u and `ratio` a.
///
/// - Returns: the sum of u.
package func addBlockWeights(_ arguments: BlockWeightArguments) -> Float {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.addBlockWeights(arguments) }
    #endif
    return NightfuseLoops.addBlockWeights(arguments)
}
