internal import CShuffles
internal import NightfuseCore

/// The sum of eight lanes, in a fixed order.
@inline(__always)
func laneSum(_ v: SIMD8<Float>) -> Float {
    let quads = v.lowHalf + v.highHalf
    return (quads[0] + quads[2]) + (quads[1] + quads[3])
}

/// The largest integer not above `x`, for |x| below 2^30.
@inline(__always)
func floorInt(_ x: Float) -> Int {
    let truncated = Int(Int32(x))
    return Float(truncated) > x ? truncated - 1 : truncated
}

/// Entries `k` of a table, and those after them.
@inline(__always)
func lookUp(_ table: Row<Float>, _ k: SIMD8<Int32>) -> (first: SIMD8<Float>, second: SIMD8<Float>) {
    var (first, second) = (SIMD8<Float>(), SIMD8<Float>())
    #if DEBUG || NIGHTFUSE_CHECKED
        let (from, to) = (Int(k.min()), Int(k.max()))
        let start = unsafe (table + from).pointer(to - from + 2) - from
    #else
        let start = unsafe table.pointer(0)
    #endif
    // It reads samples k and k + 1 for each lane, and writes eight floats to each of the two.
    unsafe nfk_look_up(start, k, &first, &second)
    return (first, second)
}
