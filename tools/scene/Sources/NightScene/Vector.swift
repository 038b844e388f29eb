#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A point, a direction (metres; x right, y up, z into the picture) or a linear colour (red, green, blue).
typealias Vector = SIMD3<Float>

extension SIMD3 where Scalar == Float {
    var length: Float { dot(self, self).squareRoot() }
    var unit: Vector { self / Swift.max(length, 1e-20) }
}

@inline(__always) func dot(_ a: Vector, _ b: Vector) -> Float { a.x * b.x + a.y * b.y + a.z * b.z }

@inline(__always) func mix(_ a: Vector, _ b: Vector, _ t: Float) -> Vector { a + (b - a) * t }

@inline(__always) func mix(_ a: Float, _ b: Float, _ t: Float) -> Float { a + (b - a) * t }

/// 0 below `low`, 1 above `high`, a smooth step between.
@inline(__always) func smooth(_ low: Float, _ high: Float, _ x: Float) -> Float {
    let t = min(max((x - low) / (high - low), 0), 1)
    return t * t * (3 - 2 * t)
}

/// `v` mirrored at a surface of unit normal `n`; `v` points towards the surface.
@inline(__always) func mirrored(_ v: Vector, _ n: Vector) -> Vector { v - n * (2 * dot(v, n)) }
