/// What a point of the scene looks like before light falls on it.
struct Surface {
    /// Share of light given back in all directions, per colour.
    var albedo: Vector
    /// Light of its own.
    var emission = Vector()
    var normal: Vector
    /// Mirror-like share at normal incidence; 0 for dull stuff.
    var sheen: Float = 0
    /// Spread of the mirrored direction, as a slope; 0 is a still puddle.
    var roughness: Float = 0
    /// Share of the sky's light that arrives, 0 to 1.
    var openness: Float = 0.5
}

extension Street {
    /// Paints the point that a ray has met.
    func surface(_ hit: Hit, _ ray: Ray) -> Surface {
        let p = ray.point(hit.distance)
        guard hit.solid >= 0 else { return ground(p, distance: hit.distance) }
        let n = hit.normal
        switch solids[hit.solid].stuff {
        case .house(let index): return wall(houses[index], p, n, ray.direction)
        case .plain(let colour):
            let grain = 0.75 + 0.5 * Grain.cloud(p.x * 3 + p.z * 2, p.y * 3 + p.z, octaves: 3, seed)
            return Surface(albedo: colour * grain, normal: n, openness: n.y > 0.5 ? 1 : 0.5)
        case .iron: return Surface(albedo: Vector(0.03, 0.034, 0.033), normal: n, sheen: 0.05, roughness: 0.15)
        case .glowing(let light):
            // The lantern's panes: brighter in the middle, where the flame is.
            let core = max(0, -dot(n, ray.direction))
            return Surface(albedo: Vector(), emission: light * (0.25 + 0.75 * core * core), normal: n)
        case .sign(let index): return board(signs[index], p, n)
        case .awning(let a, let b):
            let stripe = Int(Grain.floorOf(p.z / 0.28)) & 1 == 0
            return Surface(albedo: stripe ? a : b, normal: n.y > 0.5 ? Vector(0.3, 0.95, 0) : n, openness: 0.7)
        case .hedge:
            let leaf = Grain.scatter((p.x + p.z) * 17, p.y * 17 + p.z * 3, seed &+ 5)
            let tilt = Vector(leaf.id - 0.5, 0.5 * (0.6 - leaf.near), 0.5 - leaf.id) * 0.9
            return Surface(
                albedo: mix(
                    Vector(0.02, 0.035, 0.012), Vector(0.1, 0.15, 0.045), (1 - leaf.near) * (0.4 + 0.6 * leaf.id)),
                normal: (n + tilt).unit)
        case .tower: return tower(p, n)
        case .wood:
            let slat = Grain.cell(Int(Grain.floorOf(p.y * 9)), Int(Grain.floorOf(p.z * 1.4)), seed &+ 9)
            let seam = abs(p.y * 9 - Grain.floorOf(p.y * 9) - 0.5) > 0.44
            return Surface(albedo: Vector(0.2, 0.12, 0.06) * (seam ? 0.2 : 0.6 + 0.6 * slat), normal: n)
        case .kerb: return Surface(albedo: Vector(0.2, 0.2, 0.19), normal: n)
        }
    }

    /// A hanging sign: a glass tube bent to letters (or a cross) before a dark board, with its own glow on it.
    private func board(_ sign: Sign, _ p: Vector, _ n: Vector) -> Surface {
        guard n.z < -0.5 else { return Surface(albedo: sign.board, normal: n) }
        let x = (p.x - sign.corner.x) / sign.letterHeight, y = (p.y - sign.corner.y) / sign.letterHeight
        let distance: Float
        if sign.cross {
            let (u, v) = (abs(x - 0.5), abs(y - 0.5))
            let ring = max(min(u, v) - 0.16, max(u, v) - 0.42)
            distance = abs(ring + 0.04)
        } else {
            distance = sign.lettering.distance(x, y, far: 0.4)
        }
        let core = 1 - smooth(0.028, 0.05, distance)
        let glow = 0.05 * max(0, 1 - distance / 0.4) * max(0, 1 - distance / 0.4)
        return Surface(
            albedo: sign.board, emission: sign.tube * (core + glow) + Vector(1, 1, 1) * core * 0.5, normal: n)
    }

    private func tower(_ p: Vector, _ n: Vector) -> Surface {
        let course = Grain.floorOf(p.y / 0.5)
        let along = abs(n.x) > 0.5 ? p.z : p.x
        let block = Grain.cell(Int(course), Int(Grain.floorOf(along / 0.9 + (Int(course) & 1 == 0 ? 0 : 0.5))), seed)
        var surface = Surface(albedo: Vector(0.4, 0.34, 0.26) * (0.75 + 0.4 * block), normal: n)
        guard n.z < -0.5 else { return surface }
        // The clock, lit from behind: a pale face, hour marks, two hands at twenty to eleven.
        let x = p.x + 2.4, y = p.y - 17.2
        let r = (x * x + y * y).squareRoot()
        if r < 1.5 {
            surface.emission = Vector(1, 0.9, 0.66) * (0.75 - 0.12 * r)
            let marks = hourMark(x, y, r)
            let hands = min(hand(x, y, -0.86, 0.5, 0.85), hand(x, y, -0.87, -0.5, 1.2))
            if marks || hands < 0.075 || r > 1.4 { surface.emission *= 0.04 }
        } else if abs(x) < 0.5, y < -4, y > -7.5 || (y + 4) * (y + 4) + x * x < 0.25 {
            surface.albedo *= 0.12
        }
        return surface
    }

    private func hourMark(_ x: Float, _ y: Float, _ r: Float) -> Bool {
        guard r > 1.08, r < 1.32 else { return false }
        // Twelve directions: the nearest one's distance, without angles.
        for (cx, cy): (Float, Float) in [(1, 0), (0.866, 0.5), (0.5, 0.866), (0, 1), (-0.5, 0.866), (-0.866, 0.5)]
        where abs(x * cy - y * cx) < 0.06 { return true }
        return false
    }

    /// Distance from (x, y) to a clock hand in direction (dx, dy).
    private func hand(_ x: Float, _ y: Float, _ dx: Float, _ dy: Float, _ length: Float) -> Float {
        let t = min(max(x * dx + y * dy, 0), length)
        let ex = x - dx * t, ey = y - dy * t
        return (ex * ex + ey * ey).squareRoot()
    }
}
