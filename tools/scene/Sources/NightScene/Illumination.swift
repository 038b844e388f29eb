#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension Street {
    /// Radiance of the sky's glow on an open surface; deep shadows have nothing else.
    private static let ambient = Vector(0.017, 0.0165, 0.021)
    /// A light that adds less than this to the irradiance is left out.
    private static let faint: Float = 4e-4

    /// What a surface looks like from `view` (the unit direction in which the eye's ray runs).
    ///
    /// - Parameter shadows: false for what is only seen mirrored.
    func lit(_ s: Surface, at p: Vector, view: Vector, shadows: Bool) -> Vector {
        var matte = Vector()
        var gloss = Vector()
        let facing = max(-dot(view, s.normal), 0.02)
        let spread = max(s.roughness, 0.028)
        for light in lights {
            let way = light.position - p
            let square = max(dot(way, way), 0.02)
            let strength = light.intensity / square
            guard strength.max() > Self.faint else { continue }
            let to = way / square.squareRoot()
            var share = max(dot(s.normal, to), 0)
            if let aim = light.aim { share *= max(-dot(aim, to), 0) }
            guard share > 1e-4 else { continue }
            if shadows, share * strength.max() > 8 * Self.faint, isShaded(p + s.normal * 0.01, light.position) {
                continue
            }
            matte += strength * share
            if s.sheen > 0 {
                // Facets of Gaussian slopes (Beckmann): lamps draw streaks on the wet ground.
                let half = (to - view).unit
                let c = max(dot(half, s.normal), 0.05)
                let slope = (1 - c * c) / (c * c) / (2 * spread * spread)
                guard slope < 12 else { continue }
                let facets = exp(-slope) / (2 * .pi * spread * spread * c * c * c * c)
                let mirror = fresnel(s.sheen, max(dot(half, to), 0))
                gloss += strength * (facets * mirror * min(share / facing, 1) * 0.25)
            }
        }
        let bounce = Self.ambient * s.openness
        return s.emission + s.albedo * (matte * (1 / Float.pi) + bounce) + gloss
    }

    /// Share of light mirrored at an angle whose cosine is `c` (Schlick's fit).
    @inline(__always) func fresnel(_ straight: Float, _ c: Float) -> Float {
        let m = 1 - min(max(c, 0), 1)
        let m2 = m * m
        return straight + (1 - straight) * m2 * m2 * m
    }

    /// The sky: glow of the town near the horizon, blue-black above, thin torn clouds.
    func sky(_ d: Vector) -> Vector {
        let up = max(d.y, 0)
        let base = mix(Vector(0.030, 0.024, 0.023), Vector(0.0042, 0.0056, 0.0105), smooth(0, 0.5, up))
        let reach = 1 / max(up, 0.06)
        let cloud = Grain.cloud(d.x * reach * 1.3 + 5, d.z * reach * 0.5, octaves: 5, seed &+ 77)
        let torn = smooth(0.5, 0.78, cloud) * (0.35 + 0.65 * smooth(0.05, 0.35, up))
        return base + Vector(0.0135, 0.0105, 0.0098) * torn
    }

    /// Light that lamps scatter into the ray from damp air, over `distance` metres.
    func air(_ ray: Ray, _ distance: Float) -> Vector {
        let density: Float = 0.0042
        var sum = Vector()
        for light in lights where light.inAir {
            let way = light.position - ray.origin
            let along = dot(way, ray.direction)
            let off = max(dot(way, way) - along * along, 0.0144).squareRoot()
            // The integral of 1 / r^2 along the ray, in closed form.
            let integral = (atan((distance - along) / off) + atan(along / off)) / off
            sum += light.intensity * (density * integral / (4 * .pi))
        }
        return sum
    }

    /// What a mirrored ray sees; lamps themselves are left to ``lit(_:at:view:shadows:)``'s facets, which draw them
    /// without sparkle.
    func mirroredLight(_ ray: Ray) -> Vector {
        guard let hit = meet(ray) else { return sky(ray.direction) }
        if case .glowing = Self.stuff(solids, hit) { return Vector() }
        var s = surface(hit, ray)
        if case .sign(let index) = Self.stuff(solids, hit) { s.emission = signs[index].tube * 0.16 }
        return lit(s, at: ray.point(hit.distance), view: ray.direction, shadows: false)
    }

    private static func stuff(_ solids: [Solid], _ hit: Hit) -> Stuff {
        hit.solid >= 0 ? solids[hit.solid].stuff : .kerb
    }

    /// One ray of the eye: radiance, and how much of it is mirrored (for what walks through the mirror image later).
    func look(_ ray: Ray, salt: (Int, Int)) -> (light: Vector, mirror: Float, mirrored: Vector) {
        guard let hit = meet(ray) else { return (sky(ray.direction) + air(ray, 120), 0, Vector()) }
        let p = ray.point(hit.distance)
        let s = surface(hit, ray)
        var light = lit(s, at: p, view: ray.direction, shadows: true)
        var share: Float = 0
        var image = Vector()
        if s.sheen > 0 {
            let samples = s.normal.y > 0.5 ? 6 : 2
            let turn = Grain.cell(salt.0, salt.1, 901), lift = Grain.cell(salt.0, salt.1, 902)
            for sample in 0..<samples {
                // Slopes spread evenly over the Gaussian: radius by rank, angle by the golden section.
                let rank = (Float(sample) + lift) / Float(samples)
                let radius = s.roughness * (-2 * log(max(1 - rank, 0.02))).squareRoot()
                let angle = (turn + Float(sample) * 0.618034) * 2 * Float.pi
                let tilt = Vector(radius * cos(angle), 0, radius * sin(angle))
                let facet = s.normal.y > 0.5 ? (s.normal + tilt).unit : (s.normal + Vector(0, tilt.x, tilt.z)).unit
                var d = mirrored(ray.direction, facet)
                if dot(d, s.normal) < 0.01 { d = (d + s.normal * (0.02 - dot(d, s.normal))).unit }
                let f = fresnel(s.sheen, -dot(ray.direction, facet))
                share += f / Float(samples)
                image += mirroredLight(Ray(origin: p + s.normal * 0.004, direction: d)) * (f / Float(samples))
            }
        }
        light += image
        return (light + air(ray, hit.distance), hit.solid < 0 ? share : 0, hit.solid < 0 ? image : Vector())
    }
}
