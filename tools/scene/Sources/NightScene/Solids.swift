/// A half line: where it starts and the unit direction in which it runs.
struct Ray {
    var origin: Vector
    var direction: Vector

    @inline(__always) func point(_ t: Float) -> Vector { origin + direction * t }
}

/// Where a ray meets a solid first.
struct Hit {
    var distance: Float
    /// Index into ``Street/solids``, or -1 for the ground.
    var solid: Int
    var normal: Vector
}

/// What a solid is made of; ``Street`` turns it into colours at a point.
enum Stuff: Sendable {
    /// A house; the index is into ``Street/houses``.
    case house(Int)
    /// One colour all over.
    case plain(Vector)
    /// Dark painted metal with a slight sheen.
    case iron
    /// Gives off light of one radiance.
    case glowing(Vector)
    /// A sign; the index is into ``Street/signs``.
    case sign(Int)
    /// Striped cloth.
    case awning(Vector, Vector)
    /// Clipped box-tree: leaves seen close together.
    case hedge
    /// The clock's tower.
    case tower
    /// Wood: slats.
    case wood
    /// A kerb: hewn stone.
    case kerb
}

/// A solid of one of three shapes that a ray can be tested against in a few operations.
struct Solid: Sendable {
    enum Shape: Sendable {
        case box(Vector, Vector)
        /// A round post that stands upright: x and z of its axis, y from and to.
        case post(x: Float, z: Float, from: Float, to: Float, radius: Float)
        case ball(Vector, Float)
    }

    var shape: Shape
    var stuff: Stuff
    /// Whether it can throw a shadow that anyone would miss.
    var throwsShadow = true

    /// Distance along the ray to the first point of the surface beyond `nearest`, or nil.
    @inline(__always)
    func meet(_ ray: Ray, _ inverse: Vector, from nearest: Float, to farthest: Float) -> Float? {
        switch shape {
        case .box(let low, let high):
            let a = (low - ray.origin) * inverse
            let b = (high - ray.origin) * inverse
            let near = a.replacing(with: b, where: b .< a)
            let far = b.replacing(with: a, where: b .< a)
            let enter = max(max(near.x, near.y), near.z)
            let leave = min(min(far.x, far.y), far.z)
            guard enter <= leave, enter > nearest, enter < farthest else { return nil }
            return enter
        case .post(let x, let z, let from, let to, let radius):
            let ox = ray.origin.x - x, oz = ray.origin.z - z
            let (dx, dz) = (ray.direction.x, ray.direction.z)
            let a = dx * dx + dz * dz
            let b = ox * dx + oz * dz
            let c = ox * ox + oz * oz - radius * radius
            let q = b * b - a * c
            guard q > 0, a > 1e-9 else { return nil }
            let t = (-b - q.squareRoot()) / a
            guard t > nearest, t < farthest else { return nil }
            let y = ray.origin.y + t * ray.direction.y
            return y >= from && y <= to ? t : nil
        case .ball(let centre, let radius):
            let o = ray.origin - centre
            let b = dot(o, ray.direction)
            let q = b * b - dot(o, o) + radius * radius
            guard q > 0 else { return nil }
            let t = -b - q.squareRoot()
            return t > nearest && t < farthest ? t : nil
        }
    }

    /// Unit normal at a point of the surface.
    func normal(at p: Vector) -> Vector {
        switch shape {
        case .box(let low, let high):
            let half = (high - low) * 0.5
            let r = (p - low - half) / half
            let m = max(abs(r.x), abs(r.y), abs(r.z))
            if abs(r.x) == m { return Vector(r.x > 0 ? 1 : -1, 0, 0) }
            if abs(r.y) == m { return Vector(0, r.y > 0 ? 1 : -1, 0) }
            return Vector(0, 0, r.z > 0 ? 1 : -1)
        case .post(let x, let z, _, _, _): return Vector(p.x - x, 0, p.z - z).unit
        case .ball(let centre, _): return (p - centre).unit
        }
    }
}
