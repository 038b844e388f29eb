public import NightfuseCore

/// The still part of the scene as linear light, seen from where the camera stands; 1 is full scale of the base
/// exposure, lamps reach far above.
public final class Painting: Sendable {
    public let view: View
    let street: Street
    /// Red, green, blue, at `View.fine` samples a pixel, margins included.
    let planes: [Plane<Float>]
    /// Share of light that the ground mirrors at this sample, and the part of its light that is mirrored (0 to 1).
    let mirror: Plane<Float>
    let mirroredPart: Plane<Float>

    /// Paints the street. About 15 microseconds a sample and core.
    public init(view: View, seed: UInt64, workers: Workers) throws(NightfuseError) {
        self.view = view
        let street = Street(seed: seed)
        self.street = street
        let (width, height) = (view.paintedWidth, view.paintedHeight)
        let planes = [
            try Plane<Float>(width: width, height: height), try Plane<Float>(width: width, height: height),
            try Plane<Float>(width: width, height: height),
        ]
        let mirror = try Plane<Float>(width: width, height: height)
        let part = try Plane<Float>(width: width, height: height)
        try workers.bands(height, grain: 4) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let (r, g, b) = (planes[0].mutableRow(y), planes[1].mutableRow(y), planes[2].mutableRow(y))
                let (m, q) = (mirror.mutableRow(y), part.mutableRow(y))
                for x in 0..<width {
                    let d = view.direction(Float(x) + 0.5, Float(y) + 0.5)
                    let seen = street.look(Ray(origin: View.eye, direction: d), salt: (x, y))
                    (r[x], g[x], b[x]) = (seen.light.x, seen.light.y, seen.light.z)
                    m[x] = seen.mirror
                    q[x] = seen.mirror > 0 ? min(seen.mirrored.y / max(seen.light.y, 1e-6), 1) : 0
                }
            }
        }
        self.planes = planes
        self.mirror = mirror
        mirroredPart = part
        Stars(seed: street.seed).scatter(over: self)
        Tree(seed: street.seed).grow(in: self)
        try Lens.scatter(planes, scale: Float(View.fine) * Float(view.width) / 1600, workers: workers)
    }

    func light(_ x: Int, _ y: Int) -> Vector {
        Vector(planes[0].row(y)[x], planes[1].row(y)[x], planes[2].row(y)[x])
    }

    func set(_ x: Int, _ y: Int, _ v: Vector) {
        planes[0].mutableRow(y)[x] = v.x
        planes[1].mutableRow(y)[x] = v.y
        planes[2].mutableRow(y)[x] = v.z
    }
}
