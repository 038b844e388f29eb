internal import CShuffles

/// The sum of eight lanes, in a fixed order.
@inline(__always)
func laneSum(_ v: SIMD8<Float>) -> Float {
    let quads = v.lowHalf + v.highHalf
    return (quads[0] + quads[2]) + (quads[1] + quads[3])
}

@inline(__always)
func load(_ p: UnsafePointer<Float>) -> SIMD8<Float> { UnsafeRawPointer(p).loadUnaligned(as: SIMD8<Float>.self) }

@inline(__always)
func store(_ v: SIMD8<Float>, _ p: UnsafeMutablePointer<Float>) {
    UnsafeMutableRawPointer(p).storeBytes(of: v, as: SIMD8<Float>.self)
}

/// The largest integer not above `x`, for |x| below 2^30.
@inline(__always)
func floorInt(_ x: Float) -> Int {
    let truncated = Int(Int32(x))
    return Float(truncated) > x ? truncated - 1 : truncated
}

/// Entries `k` of a table, and those after them.
@inline(__always)
func lookUp(_ table: UnsafePointer<Float>, _ k: SIMD8<Int32>) -> (first: SIMD8<Float>, second: SIMD8<Float>) {
    var (first, second) = (SIMD8<Float>(), SIMD8<Float>())
    nfk_look_up(table, k, &first, &second)
    return (first, second)
}
