internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A few stars where the sky is clear.
struct Stars {
    let seed: UInt32

    func scatter(over painting: Painting) {
        let view = painting.view
        let size = max(0.75, 0.8 * Float(view.width) / 1600) * Float(View.fine) * 0.5
        for number in 0..<420 {
            let azimuth = (Grain.cell(number, 1, seed &+ 500) - 0.5) * 1.6
            let height = 0.12 + 0.75 * Grain.cell(number, 2, seed &+ 500)
            let d = Vector(sin(azimuth) * cos(height), sin(height), cos(azimuth) * cos(height))
            guard painting.street.meet(Ray(origin: View.eye, direction: d)) == nil,
                let at = view.project(View.eye + d * 100)
            else { continue }
            // Each magnitude is 2.5 times rarer than the next fainter one.
            let rank = Grain.cell(number, 3, seed &+ 500)
            let strength = 0.012 / max(rank, 0.03)
            let heat = Grain.cell(number, 4, seed &+ 500)
            let tint = mix(Vector(1, 0.82, 0.66), Vector(0.75, 0.86, 1), heat)
            draw(painting, at.x, at.y, size, tint * strength)
        }
    }

    private func draw(_ painting: Painting, _ x: Float, _ y: Float, _ size: Float, _ light: Vector) {
        let reach = Int(3 * size) + 1
        for py in Int(y) - reach...Int(y) + reach where py >= 0 && py < painting.view.paintedHeight {
            for px in Int(x) - reach...Int(x) + reach where px >= 0 && px < painting.view.paintedWidth {
                let dx = Float(px) + 0.5 - x, dy = Float(py) + 0.5 - y
                let w = exp(-(dx * dx + dy * dy) / (2 * size * size))
                painting.set(px, py, painting.light(px, py) + light * w)
            }
        }
    }
}
