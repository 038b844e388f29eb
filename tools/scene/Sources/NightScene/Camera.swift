public import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A hand-held camera before the painted street: opens its shutter at a time, for a time. One shot at a time: the
/// walker is drawn into the camera's own copy of the painting.
public final class Camera: Sendable {
    /// How one frame is taken.
    public struct Shot: Sendable {
        /// Seconds since the beginning of the scene.
        public var start: Double
        public var exposureSeconds: Double
        public var iso: Double

        public init(start: Double, exposureSeconds: Double, iso: Double) {
            (self.start, self.exposureSeconds, self.iso) = (start, exposureSeconds, iso)
        }
    }

    /// Exposure time x ISO at which radiance 1 just fills the sensor: 1/15 s at ISO 2500.
    public static let baseProduct = 2500.0 / 15

    /// From the first row's start to the last one's, seconds (a rolling shutter).
    public let readoutSeconds: Double

    private let painting: Painting
    private let shake: HandShake
    private let layer: WalkerLayer
    private let workers: Workers

    public init(
        painting: Painting, shake: HandShake, readoutSeconds: Double = 0.012, workers: Workers
    ) throws(NightfuseError) {
        self.readoutSeconds = readoutSeconds
        self.painting = painting
        self.shake = shake
        self.workers = workers
        layer = try WalkerLayer(painting)
    }

    /// The light that falls on the sensor while the shutter is open: three planes, 1 is full scale at the shot's
    /// exposure and ISO; no noise, not clipped. Hand shake and walk are averaged over `instants` moments.
    public func light(
        _ shot: Shot, width: Int, height: Int, instants: Int = 8
    ) throws(NightfuseError) -> [Plane<Float>] {
        let out = [
            try Plane<Float>(width: width, height: height), try Plane<Float>(width: width, height: height),
            try Plane<Float>(width: width, height: height),
        ]
        let gain = Float(shot.exposureSeconds * shot.iso / Self.baseProduct) / Float(instants)
        for instant in 0..<instants {
            let middle = shot.start + (Double(instant) + 0.5) / Double(instants) * shot.exposureSeconds
            let walker = Walker(at: Float(middle + readoutSeconds / 2))
            try layer.draw(walker, workers: workers)
            try workers.bands(height, grain: 8) { [self] (_, rows) in
                for y in rows {
                    let turn = shake.turn(at: middle + readoutSeconds * Double(y) / Double(height))
                    addRow(y, out, turn, gain)
                }
            }
            layer.clear(walker)
        }
        return out
    }

    /// Adds one row of what the turned camera sees: the painting through a homography, averaged over each pixel.
    private func addRow(_ y: Int, _ out: [Plane<Float>], _ turn: HandShake.Turn, _ gain: Float) {
        let view = painting.view
        let zoom = Double(view.width) / Double(out[0].width)
        let taps = max(2, Int((zoom * Double(View.fine)).rounded(.up)))
        let f = view.focal / zoom
        let h = homography(turn, f)
        let scale = view.focal * Double(View.fine)
        let (cx, cy) = (Double(view.paintedWidth) / 2, Double(view.paintedHeight) / 2)
        let share = gain / Float(taps * taps)
        let (r, g, b) = (out[0].mutableRow(y), out[1].mutableRow(y), out[2].mutableRow(y))
        for j in 0..<taps {
            let v = Double(y) + (Double(j) + 0.5) / Double(taps) - Double(out[0].height) / 2
            for x in 0..<out[0].width {
                for i in 0..<taps {
                    let u = Double(x) + (Double(i) + 0.5) / Double(taps) - Double(out[0].width) / 2
                    let w = 1 / (h.m[6] * u + h.m[7] * v + h.m[8] * f)
                    let sx = (h.m[0] * u + h.m[1] * v + h.m[2] * f) * w * scale + cx - 0.5
                    let sy = (h.m[3] * u + h.m[4] * v + h.m[5] * f) * w * scale + cy - 0.5
                    let light = sample(Float(sx), Float(sy)) * share
                    r[x] += light.x
                    g[x] += light.y
                    b[x] += light.z
                }
            }
        }
    }

    /// Turns a direction (x right, y down, z forward) of the turned camera into the painting's.
    private func homography(_ t: HandShake.Turn, _ f: Double) -> Matrix3 {
        let (cr, sr) = (cos(t.roll), sin(t.roll))
        let (ch, sh) = (cos(t.right), sin(t.right))
        let (cv, sv) = (cos(t.down), sin(t.down))
        let roll = Matrix3([cr, -sr, 0, sr, cr, 0, 0, 0, 1])
        let tilt = Matrix3([1, 0, 0, 0, cv, sv, 0, -sv, cv])
        let pan = Matrix3([ch, 0, sh, 0, 1, 0, -sh, 0, ch])
        return pan * tilt * roll
    }

    @inline(__always)
    private func sample(_ x: Float, _ y: Float) -> Vector {
        let planes = layer.planes
        let px = min(max(x, 0), Float(planes[0].width - 2)), py = min(max(y, 0), Float(planes[0].height - 2))
        let ix = Int(px), iy = Int(py)
        let u = px - Float(ix), v = py - Float(iy)
        let at = iy * planes[0].stride + ix, below = at + planes[0].stride
        @inline(__always) func one(_ p: MutableRow<Float>) -> Float {
            mix(mix(p[at], p[at + 1], u), mix(p[below], p[below + 1], u), v)
        }
        return Vector(one(planes[0].base), one(planes[1].base), one(planes[2].base))
    }
}
