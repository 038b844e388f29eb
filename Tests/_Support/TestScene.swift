#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Linear light that is known at every point, not on pixels only: sums of cosines, and rectangles with edges as soft as
/// a lens leaves them, so that any warp of it can be rendered without resampling.
public struct TestScene: Sendable {
    private struct Wave {
        var x, y, phase, height: Double
    }

    private struct Box {
        var left, top, right, bottom, height: Double
    }

    private let level: Double
    private let waves: [Wave]
    private let boxes: [Box]
    private let tints: [Wave]

    /// - Parameters:
    ///   - level: geometric mean of the light, 1 = full scale.
    ///   - contrast: 0 (one tone) to 1 (about 1 : 30 between dark and light).
    ///   - fineness: height of the waves of 5 to 12 pixels against that of the slow ones, 0 to 1.
    ///   - width, height: where the boxes are strewn; a quarter as far again on every side is strewn too.
    public init(
        seed: UInt64, level: Double, contrast: Double = 1, fineness: Double = 0.4, width: Int, height: Int
    ) {
        var random = SeededRandom(seed: seed &* 977 &+ 3)
        func wave(_ length: Double, _ height: Double) -> Wave {
            let angle = random.uniform() * 2 * .pi
            let k = 2 * Double.pi / length
            return Wave(x: k * cos(angle), y: k * sin(angle), phase: random.uniform() * 2 * .pi, height: height)
        }
        self.level = level
        var waves = (0..<6).map { _ in wave(30 + random.uniform() * 90, contrast * 0.25) }
        waves += (0..<6).map { _ in wave(5 + random.uniform() * 7, contrast * fineness * 0.25) }
        self.waves = waves
        let (w, h) = (Double(width), Double(height))
        boxes = (0..<14).map { _ in
            let (x, y) = ((random.uniform() * 1.5 - 0.25) * w, (random.uniform() * 1.5 - 0.25) * h)
            let (a, b) = ((0.05 + random.uniform() * 0.15) * w, (0.05 + random.uniform() * 0.15) * w)
            let sign: Double = random.uniform() < 0.5 ? -1 : 1
            return Box(
                left: x - a, top: y - b, right: x + a, bottom: y + b,
                height: sign * contrast * (0.3 + random.uniform() * 0.6))
        }
        tints = (0..<2).map { _ in wave(40 + random.uniform() * 80, contrast * 0.3) }
    }

    /// Light of red, green and blue at a point.
    public func light(_ x: Double, _ y: Double) -> (Double, Double, Double) {
        var sum = 0.0
        for w in waves { sum += w.height * cos(w.x * x + w.y * y + w.phase) }
        for b in boxes where x > b.left - 6 && x < b.right + 6 && y > b.top - 6 && y < b.bottom + 6 {
            sum +=
                b.height * Self.step(x - b.left) * Self.step(b.right - x) * Self.step(y - b.top)
                * Self.step(b.bottom - y)
        }
        let green = level * exp(sum)
        let red = tints[0].height * cos(tints[0].x * x + tints[0].y * y + tints[0].phase)
        let blue = tints[1].height * cos(tints[1].x * x + tints[1].y * y + tints[1].phase)
        return (green * exp(red), green, green * exp(blue))
    }

    /// An edge that rises from a tenth to nine tenths in 2.5 pixels.
    private static func step(_ distance: Double) -> Double { 1 / (1 + exp(-1.75 * distance)) }
}
