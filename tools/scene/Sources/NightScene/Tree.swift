internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A plane tree at the right of the picture: trunk, limbs, and leaves lit from the lamp behind them.
struct Tree {
    let seed: UInt32
    private static let foot = Vector(3.5, 0.1, 5.5)
    private static let crown = Vector(3.3, 5.0, 5.6)
    private static let spread = Vector(1.75, 1.5, 1.5)

    func grow(in painting: Painting) {
        limb(painting, Self.foot, Vector(3.45, 2.4, 5.5), 0.15, 0.12)
        limb(painting, Vector(3.45, 2.4, 5.5), Vector(3.35, 4.2, 5.55), 0.12, 0.07)
        for number in 0..<9 {
            let from = mix(Vector(3.45, 2.5, 5.5), Vector(3.35, 4.2, 5.55), Grain.cell(number, 20, seed))
            limb(painting, from, inCrown(number, 21) * 0.75 + Self.crown * 0.25, 0.05, 0.015)
        }
        // Far leaves first, so that near ones cover them.
        let leaves = (0..<5200).map { ($0, inCrown($0, 30)) }.sorted { $0.1.z > $1.1.z }
        for (number, at) in leaves { leaf(painting, number, at) }
    }

    /// A place in the crown: clumps around the ends of twigs.
    private func inCrown(_ number: Int, _ salt: UInt32) -> Vector {
        let clump = number % 70
        func ball(_ n: Int, _ s: UInt32) -> Vector {
            let a = Grain.cell(n, 1, seed &+ s) * 2 * Float.pi, z = Grain.cell(n, 2, seed &+ s) * 2 - 1
            let r = cbrt(Grain.cell(n, 3, seed &+ s)), w = (1 - z * z).squareRoot()
            return Vector(w * cos(a), z, w * sin(a)) * r
        }
        return Self.crown + ball(clump, salt &+ 1) * Self.spread + ball(number, salt &+ 2) * 0.42
    }

    private func light(_ painting: Painting, _ p: Vector, _ n: Vector, through: Float) -> Vector {
        var sum = Vector(0.012, 0.012, 0.015)
        for l in painting.street.lights where l.aim == nil {
            let way = l.position - p
            let square = max(dot(way, way), 0.05)
            let c = dot(n, way) / square.squareRoot()
            sum += l.intensity * ((c > 0 ? c : -c * through) / square / .pi)
        }
        return sum
    }

    private func leaf(_ painting: Painting, _ number: Int, _ p: Vector) {
        guard let at = painting.view.project(p) else { return }
        let angle = Grain.cell(number, 5, seed &+ 33) * 2 * Float.pi
        let normal = Vector(
            Grain.cell(number, 6, seed &+ 33) - 0.5, Grain.cell(number, 7, seed &+ 33) - 0.2,
            Grain.cell(number, 8, seed &+ 33) - 0.5
        ).unit
        let scale = Float(painting.view.focal) * Float(View.fine) / at.depth
        let long = (0.045 + 0.03 * Grain.cell(number, 9, seed &+ 33)) * scale
        let slim = long * (0.3 + 0.35 * abs(normal.z))
        let hue = Grain.cell(number, 10, seed &+ 33)
        let albedo = mix(Vector(0.07, 0.13, 0.03), Vector(0.24, 0.2, 0.05), hue * hue)
        // Leaves deep in the crown are shaded by the others.
        let depth = ((p - Self.crown) / Self.spread).length
        let colour = light(painting, p, normal, through: 0.6) * albedo * (0.25 + 0.75 * min(depth * depth, 1))
        let (c, s) = (cos(angle), sin(angle))
        let reach = Int(long) + 2
        let (cx, cy) = (Int(at.x), Int(at.y))
        for y in max(cy - reach, 0)..<max(min(cy + reach + 1, painting.view.paintedHeight), max(cy - reach, 0)) {
            for x in max(cx - reach, 0)..<max(min(cx + reach + 1, painting.view.paintedWidth), max(cx - reach, 0)) {
                let dx = Float(x) + 0.5 - at.x, dy = Float(y) + 0.5 - at.y
                let u = (dx * c + dy * s) / long, v = (dy * c - dx * s) / slim
                // Pointed at both ends: the half width shrinks along the leaf.
                let half = (1 - u * u)
                guard half > 0 else { continue }
                let cover = min(max((half - abs(v)) * slim, 0), 1)
                guard cover > 0 else { continue }
                let vein = 0.85 + 0.3 * min(abs(v) * 3, 1)
                painting.set(x, y, mix(painting.light(x, y), colour * vein, cover))
                painting.mirroredPart.mutableRow(y)[x] *= 1 - cover
                painting.mirror.mutableRow(y)[x] *= 1 - cover
            }
        }
    }

    /// A limb: a tapering round bar with bark, drawn over what is there.
    private func limb(_ painting: Painting, _ a: Vector, _ b: Vector, _ ra: Float, _ rb: Float) {
        guard let pa = painting.view.project(a), let pb = painting.view.project(b) else { return }
        let scale = Float(painting.view.focal) * Float(View.fine) / pa.depth
        let (dx, dy) = (pb.x - pa.x, pb.y - pa.y)
        let square = max(dx * dx + dy * dy, 1)
        let pad = ra * scale + 2
        let xs =
            Int(
                max(min(pa.x, pb.x) - pad, 0))..<Int(
                max(min(max(pa.x, pb.x) + pad, Float(painting.view.paintedWidth)), max(min(pa.x, pb.x) - pad, 0)))
        let ys =
            Int(
                max(min(pa.y, pb.y) - pad, 0))..<Int(
                max(min(max(pa.y, pb.y) + pad, Float(painting.view.paintedHeight)), max(min(pa.y, pb.y) - pad, 0)))
        let side = Vector(-dy, 0, 0).x / square.squareRoot(), rise = dx / square.squareRoot()
        for y in ys {
            for x in xs {
                let px = Float(x) + 0.5 - pa.x, py = Float(y) + 0.5 - pa.y
                let t = min(max((px * dx + py * dy) / square, 0), 1)
                let off = (px - dx * t) * side + (py - dy * t) * rise
                let ex = px - dx * t, ey = py - dy * t
                let r = mix(ra, rb, t) * scale
                let d = (ex * ex + ey * ey).squareRoot()
                let cover = min(max(r - d + 0.5, 0), 1)
                guard cover > 0 else { continue }
                let u = min(max(off / max(r, 1), -1), 1)
                let p = mix(a, b, t)
                let normal = Vector(u * side, -u * rise, -(1 - u * u).squareRoot())
                let bark = Grain.cloud(u * 3 + Float(x) * 0.02, t * 18, octaves: 4, seed &+ 60)
                let flake = smooth(0.5, 0.56, Grain.cloud(u * 2.2, t * 9, octaves: 3, seed &+ 61))
                let albedo = mix(Vector(0.09, 0.075, 0.055), Vector(0.26, 0.25, 0.2), flake) * (0.5 + bark)
                painting.set(x, y, mix(painting.light(x, y), albedo * light(painting, p, normal, through: 0), cover))
                painting.mirroredPart.mutableRow(y)[x] *= 1 - cover
                painting.mirror.mutableRow(y)[x] *= 1 - cover
            }
        }
    }
}
