#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the camera stands, how it looks, and how big its frames are.
///
/// The scene is painted once, at `fine` samples a pixel each way and with a margin around the frame; a turned
/// camera then sees a homography of it, exactly.
public struct View: Sendable {
    /// Size of a frame, pixels.
    public let width: Int
    public let height: Int
    /// Focal length, pixels of the frame.
    public let focal: Double

    static let eye = Vector(0.85, 1.62, 0)
    static let fine = 2
    /// Turn to the left and up, radians: the bookshop is to be seen, and the sky.
    private static let yaw: Float = -0.085
    private static let pitch: Float = 0.075

    /// - Parameters:
    ///   - width, height: pixels of a frame, at least 16 each way.
    public init(width: Int, height: Int) {
        precondition(width >= 16 && height >= 16)
        self.width = width
        self.height = height
        // A phone's main lens: 26 mm on 36 mm film, along the longer side of a 4:3 frame.
        focal = 0.76 * Double(max(width, height * 4 / 3))
    }

    /// Margin around the frame in the painting, pixels of the frame.
    var margin: Int { max(4, width / 24) }
    var paintedWidth: Int { (width + 2 * margin) * Self.fine }
    var paintedHeight: Int { (height + 2 * margin) * Self.fine }

    /// The direction seen at a point of the painting (samples; the first sample's centre at 0.5).
    func direction(_ x: Float, _ y: Float) -> Vector {
        let f = Float(focal) * Float(Self.fine)
        let d = Vector(
            (x - Float(paintedWidth) / 2) / f, -(y - Float(paintedHeight) / 2) / f, 1)
        let (cp, sp) = (cos(Self.pitch), sin(Self.pitch))
        let a = Vector(d.x, d.y * cp + d.z * sp, d.z * cp - d.y * sp)
        let (cy, sy) = (cos(Self.yaw), sin(Self.yaw))
        return Vector(a.x * cy + a.z * sy, a.y, a.z * cy - a.x * sy).unit
    }

    /// Where a point of the world falls in the painting, and its depth; nil behind the camera.
    func project(_ p: Vector) -> (x: Float, y: Float, depth: Float)? {
        let v = p - Self.eye
        let (cy, sy) = (cos(Self.yaw), sin(Self.yaw))
        let a = Vector(v.x * cy - v.z * sy, v.y, v.z * cy + v.x * sy)
        let (cp, sp) = (cos(Self.pitch), sin(Self.pitch))
        let d = Vector(a.x, a.y * cp - a.z * sp, a.z * cp + a.y * sp)
        guard d.z > 0.1 else { return nil }
        let f = Float(focal) * Float(Self.fine)
        return (Float(paintedWidth) / 2 + d.x / d.z * f, Float(paintedHeight) / 2 - d.y / d.z * f, d.z)
    }
}
