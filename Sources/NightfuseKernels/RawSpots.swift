public import NightfuseCore

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
public func brightSpots(
    _ row: Row<Float>, above: Row<Float>, below: Row<Float>, count: Int,
    shot: (Float, Float), read: (Float, Float), found: (Int) -> Void
) {
    typealias V = SIMD8<Float>
    @inline(__always) func larger(_ a: V, _ b: V) -> V { a.replacing(with: b, where: b .> a) }
    let shots = V(shot.0, shot.1, shot.0, shot.1, shot.0, shot.1, shot.0, shot.1)
    let reads = V(read.0, read.1, read.0, read.1, read.0, read.1, read.0, read.1)
    var x = 0
    while x < count {
        let largest = larger(larger(load(row + x - 2), load(row + x + 2)), larger(load(above + x), load(below + x)))
        let over = larger(load(row + x) - largest, V())
        let stands = over * over .> shots * larger(largest, V()) + reads
        if any(stands) { for k in 0..<min(8, count - x) where stands[k] { found(x + k) } }
        x += 8
    }
}
