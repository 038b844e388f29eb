package import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Finds the samples of a mosaic's row that rise above all four nearest of their colour by more than noise lets them:
/// (sample - largest)^2 > shot x largest + read.
///
/// - Parameters:
///   - row: the row; `above` and `below` those two rows up and down. Two samples before the first and nine after the last
///     must be readable.
///   - shot, read: of even and odd columns; read noise squared, both times the square of how many sigma it takes.
///   - found: called with each column, rising.
///
/// 15 operations a sample, eight at a time.
package func brightSpots(
    _ row: UnsafePointer<Float>, above: UnsafePointer<Float>, below: UnsafePointer<Float>, count: Int,
    shot: (Float, Float), read: (Float, Float), found: (Int) -> Void
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.brightSpots(
                row, above: above, below: below, count: count, shot: shot, read: read, found: found)
        }
    #endif
    NightfuseLoops.brightSpots(row, above: above, below: below, count: count, shot: shot, read: read, found: found)
}

/// How far the samples of a stretch lie above the mean of the nearest two of their column and colour (`same`), and greens above
/// the four beside them in the next rows (`beside`): each difference held to three sigma, in sensor light, weighted by one
/// over its variance; what may be saturated has no weight.
///
/// Any range. The mean of two has half a sample's variance, that of four a quarter. A sample before and one after the stretch
/// must be readable. 60 operations a sample.
package func rowStretch(_ arguments: RowStretchArguments) -> RowStretchSums {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.rowStretch(arguments) }
    #endif
    return NightfuseLoops.rowStretch(arguments)
}

/// Takes `offsets`, of even and odd columns, off the samples below `clip`.
package func lowerRow(
    _ row: UnsafeMutablePointer<Float>, by offsets: (Float, Float), below clip: Float, count: Int
) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.lowerRow(row, by: offsets, below: clip, count: count) }
    #endif
    NightfuseLoops.lowerRow(row, by: offsets, below: clip, count: count)
}
