#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Someone who crosses the street under an umbrella: round limbs in one upright plane, moved by a walk cycle.
struct Walker: Sendable {
    /// A limb or garment: a round cone from `a` to `b`, in metres before the hips' foot point (x along the way).
    struct Part {
        var a: SIMD2<Float>, b: SIMD2<Float>
        var ra: Float, rb: Float
        var colour: Vector
        /// Cut off below this height: a hem.
        var hem: Float = -1
    }

    /// A point of the figure: how much of the background it hides, its colour and which way it faces.
    struct Touch {
        var cover: Float
        var colour: Vector
        var normal: Vector
    }

    static let speed: Float = 1.25
    private static let stride: Float = 1.42
    private static let coat = Vector(0.52, 0.045, 0.035)
    private static let trousers = Vector(0.03, 0.034, 0.05)
    private static let skin = Vector(0.46, 0.29, 0.2)
    private static let cloth = Vector(0.62, 0.4, 0.07)

    /// Box of the figure around its foot point, metres.
    static let low = SIMD2<Float>(-0.75, -0.02), high = SIMD2<Float>(0.95, 2.4)

    /// Where the foot point is, and the parts from front to back.
    let foot: Vector
    let parts: [Part]

    init(at time: Float) {
        let way = Self.speed * time
        foot = Vector(-1.35 + way, 0, 8.6 - 0.1 * way)
        parts = Self.figure(2 * Float.pi * way / Self.stride)
    }

    private static func figure(_ phase: Float) -> [Part] {
        let bob = 0.022 * cos(2 * phase)
        let hip = SIMD2<Float>(0, 0.9 + bob)
        let shoulder = SIMD2<Float>(0.05, 1.43 + bob)
        func turned(_ angle: Float, _ length: Float) -> SIMD2<Float> {
            SIMD2(sin(angle) * length, -cos(angle) * length)
        }
        func leg(_ phase: Float, _ shade: Float) -> [Part] {
            let thigh = 0.46 * sin(phase) + 0.06
            let bend = 0.12 + 0.62 * max(0, sin(phase + 1.9)) * max(0, sin(phase + 1.9))
            let knee = hip + turned(thigh, 0.42)
            let ankle = knee + turned(thigh - bend, 0.41)
            let toe = ankle + SIMD2(0.17, -0.025 - 0.08 * max(0, sin(phase + 2.4)))
            return [
                Part(
                    a: ankle + SIMD2(-0.04, -0.02), b: toe, ra: 0.055, rb: 0.038,
                    colour: Vector(0.05, 0.03, 0.02) * shade),
                Part(a: hip, b: knee, ra: 0.105, rb: 0.07, colour: trousers * shade),
                Part(a: knee, b: ankle, ra: 0.07, rb: 0.05, colour: trousers * shade),
            ]
        }
        func arm(_ swing: Float, _ fold: Float, _ shade: Float) -> [Part] {
            let elbow = shoulder + turned(swing, 0.29)
            let hand = elbow + turned(swing + fold, 0.25)
            return [
                Part(a: hand, b: hand + turned(swing + fold, 0.06), ra: 0.04, rb: 0.035, colour: skin * shade),
                Part(a: shoulder, b: elbow, ra: 0.075, rb: 0.06, colour: coat * shade * 0.92),
                Part(a: elbow, b: hand, ra: 0.06, rb: 0.047, colour: coat * shade * 0.92),
            ]
        }
        let head = SIMD2<Float>(0.1, 1.64 + bob)
        let sway = 0.05 * sin(phase)
        let holding = SIMD2<Float>(0.3, 1.22 + bob)
        var parts = arm(-0.55 * sin(phase), 0.3, 1)
        // Umbrella: canopy (flat round cone), then its stick and the arm that holds it.
        parts.append(
            Part(a: holding, b: holding + SIMD2(0.02, 0.95), ra: 0.011, rb: 0.009, colour: Vector(0.06, 0.04, 0.03)))
        parts.append(contentsOf: [
            Part(a: head + SIMD2(0.07, -0.02), b: head + SIMD2(0.1, -0.03), ra: 0.02, rb: 0.014, colour: skin),
            Part(
                a: head + SIMD2(-0.015, 0.06), b: head + SIMD2(-0.03, 0.1), ra: 0.112, rb: 0.09,
                colour: Vector(0.09, 0.11, 0.16)),
            Part(a: head, b: head + SIMD2(0.015, -0.07), ra: 0.1, rb: 0.065, colour: skin),
            Part(
                a: SIMD2(0.02, 1.49 + bob), b: SIMD2(0.12, 1.48 + bob), ra: 0.07, rb: 0.065,
                colour: Vector(0.5, 0.47, 0.38)),
            Part(
                a: shoulder + SIMD2(0, -0.03), b: SIMD2(sway - 0.05, 0.42), ra: 0.135, rb: 0.225, colour: coat,
                hem: 0.5 + bob),
        ])
        parts += leg(phase, 1) + leg(phase + .pi, 0.6)
        parts += arm(0.75, 1.5, 0.6)
        return parts
    }

    /// The figure at (x, y) metres from its foot point; `grain` is the size of a sample in metres.
    func touch(_ x: Float, _ y: Float, grain: Float) -> Touch? {
        guard x > Self.low.x, x < Self.high.x, y > Self.low.y, y < Self.high.y else { return nil }
        if let canopy = umbrella(x, y, grain) { return canopy }
        for part in parts {
            let d = part.b - part.a
            let p = SIMD2(x, y) - part.a
            let t = min(max((p.x * d.x + p.y * d.y) / max(d.x * d.x + d.y * d.y, 1e-6), 0), 1)
            let off = p - d * t
            let r = mix(part.ra, part.rb, t)
            let distance = (off.x * off.x + off.y * off.y).squareRoot()
            let cover = min(max(min(r - distance, y - part.hem) / grain + 0.5, 0), 1)
            guard cover > 0 else { continue }
            let round = min(distance / r, 1)
            let side = distance > 1e-5 ? off / distance * round : SIMD2(0, 0)
            let folds = 0.88 + 0.24 * Grain.smoothNoise(x * 21, y * 5, 400)
            return Touch(
                cover: cover, colour: part.colour * folds,
                normal: Vector(side.x, side.y, -max(1 - round * round, 0).squareRoot()))
        }
        return nil
    }

    private func umbrella(_ x: Float, _ y: Float, _ grain: Float) -> Touch? {
        let u = (x - 0.3) / 0.58, v = (y - 1.93) / 0.34
        guard v > -0.2, u * u + v * v < 1.1 else { return nil }
        let edge = (1 - (u * u + v * v).squareRoot()) * 0.34
        // The rim hangs in scallops between eight ribs.
        let rib = u / max(1 - v * v, 0.04).squareRoot() * 2.6
        let phase = rib - Grain.floorOf(rib)
        let rim = (v + 0.02 - 0.32 * phase * (1 - phase)) * 0.34
        let cover = min(max(min(edge, rim) / grain + 0.5, 0), 1)
        guard cover > 0 else { return nil }
        let seam = min(phase, 1 - phase) < 0.035 ? Float(0.55) : 1
        return Touch(
            cover: cover, colour: Self.cloth * seam * (0.82 + 0.36 * phase * (1 - phase) * 2),
            normal: Vector(u * 0.9, max(v, 0.1), -max(1 - u * u, 0.05).squareRoot()).unit)
    }
}
