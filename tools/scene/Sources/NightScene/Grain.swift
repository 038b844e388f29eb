/// Repeatable randomness for textures: the same place gives the same value, on every machine.
enum Grain {
    /// 0 ..< 1 for a cell of an endless grid.
    @inline(__always) static func cell(_ x: Int, _ y: Int, _ salt: UInt32) -> Float {
        var h = UInt32(truncatingIfNeeded: x) &* 0x9E37_79B1
        h ^= UInt32(truncatingIfNeeded: y) &* 0x85EB_CA77
        h ^= salt &* 0xC2B2_AE3D
        h = (h ^ (h >> 15)) &* 0x2C1B_3C6D
        h = (h ^ (h >> 12)) &* 0x297A_2D39
        h ^= h >> 15
        return Float(h >> 8) * 0x1p-24
    }

    /// Smooth noise, 0 to 1, one bump a unit.
    static func smoothNoise(_ x: Float, _ y: Float, _ salt: UInt32) -> Float {
        let fx = floorOf(x), fy = floorOf(y)
        let ix = Int(fx), iy = Int(fy)
        let u = smooth(0, 1, x - fx), v = smooth(0, 1, y - fy)
        return mix(
            mix(cell(ix, iy, salt), cell(ix + 1, iy, salt), u),
            mix(cell(ix, iy + 1, salt), cell(ix + 1, iy + 1, salt), u), v)
    }

    /// Sum of `octaves` of smooth noise, each twice as fine and half as strong; 0 to 1.
    static func cloud(_ x: Float, _ y: Float, octaves: Int, _ salt: UInt32) -> Float {
        var sum: Float = 0, weight: Float = 0.5, total: Float = 0
        var (px, py) = (x, y)
        for octave in 0..<octaves {
            sum += weight * smoothNoise(px, py, salt &+ UInt32(octave) &* 17)
            total += weight
            weight *= 0.5
            (px, py) = (px * 2.03 + 1.7, py * 2.03 - 3.1)
        }
        return sum / total
    }

    /// Distances to the nearest and the next of points scattered one a unit cell, and the nearest's own number 0 to 1.
    static func scatter(_ x: Float, _ y: Float, _ salt: UInt32) -> (near: Float, next: Float, id: Float) {
        let ix = Int(floorOf(x)), iy = Int(floorOf(y))
        var near: Float = 9, next: Float = 9, id: Float = 0
        for cy in iy - 1...iy + 1 {
            for cx in ix - 1...ix + 1 {
                let dx = Float(cx) + cell(cx, cy, salt) - x
                let dy = Float(cy) + cell(cx, cy, salt &+ 1) - y
                let d = dx * dx + dy * dy
                if d < near {
                    (next, near, id) = (near, d, cell(cx, cy, salt &+ 2))
                } else if d < next {
                    next = d
                }
            }
        }
        return (near.squareRoot(), next.squareRoot(), id)
    }

    @inline(__always) static func floorOf(_ x: Float) -> Float {
        let t = Float(Int(x))
        return t > x ? t - 1 : t
    }
}
