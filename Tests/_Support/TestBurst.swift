public import NightfuseCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Renders frames of a scene as a camera without a mosaic gives them: 16-bit codes of linear light with white shot and
/// read noise, clipped at black and white.
public struct TestBurst: Sendable {
    public var width: Int
    public var height: Int
    public var scene: TestScene
    public var noise: NoiseModel
    /// Curve and primaries that the codes are of.
    public var colour = ColourSpace.sRGB

    public init(width: Int, height: Int, scene: TestScene, noise: NoiseModel) {
        (self.width, self.height, self.scene, self.noise) = (width, height, scene, noise)
    }

    /// A 160 x 120 night scene of mean light 0.05 under strong noise: pixels have about three times their noise.
    public static func night(seed: UInt64, width: Int = 160, height: Int = 120, level: Double = 0.05) -> TestBurst {
        TestBurst(
            width: width, height: height,
            scene: TestScene(seed: seed, level: level, width: width, height: height),
            noise: NoiseModel(shot: 3e-3, read: 8e-3))
    }

    /// Something in front of the scene: a box with a texture of its own that goes where it goes.
    public struct Mover: Sendable {
        public var scene: TestScene
        /// Where its left upper corner lies in the scene's coordinates, and its size.
        public var x, y, width, height: Double
        public init(scene: TestScene, x: Double, y: Double, width: Double, height: Double) {
            (self.scene, self.x, self.y, self.width, self.height) = (scene, x, y, width, height)
        }
    }

    /// How one frame is taken.
    public struct Shot: Sendable {
        /// From the scene's pixels to this frame's, homogeneous.
        public var toFrame = Matrix3.identity
        /// Pixels to the right that the frame's last row is displaced by, growing with the square of the row.
        public var bend = 0.0
        /// Light against the burst's; noise is that of the same sensor at the same gain.
        public var exposure = 1.0
        public var mover: Mover?
        /// Radius of blur along x, in pixels: the mean of seven renderings.
        public var shake = 0.0
        public var info = CaptureInfo()
        public init(_ toFrame: Matrix3 = .identity) { self.toFrame = toFrame }
    }

    /// A shot displaced by (x, y) pixels.
    public static func shifted(_ x: Double, _ y: Double) -> Shot { Shot(Matrix3([1, 0, x, 0, 1, y, 0, 0, 1])) }

    /// Pixels of the scene to pixels of a frame: turned about the picture's middle (degrees, clockwise as seen), then
    /// displaced; `tiltX`, `tiltY` are the camera's turn in radians, with a focal length of the picture's width.
    public func motion(
        x: Double = 0, y: Double = 0, roll: Double = 0, tiltX: Double = 0, tiltY: Double = 0
    ) -> Matrix3 {
        let (cx, cy) = (Double(width - 1) / 2, Double(height - 1) / 2)
        let f = Double(width)
        let (c, s) = (cos(roll * .pi / 180), sin(roll * .pi / 180))
        let centre = Matrix3([1, 0, -cx, 0, 1, -cy, 0, 0, 1])
        let back = Matrix3([1, 0, cx + x, 0, 1, cy + y, 0, 0, 1])
        let turn = Matrix3([c, -s, 0, s, c, 0, 0, 0, 1])
        let pan = Matrix3([cos(tiltX), 0, f * sin(tiltX), 0, 1, 0, -sin(tiltX) / f, 0, cos(tiltX)])
        let nod = Matrix3([1, 0, 0, 0, cos(tiltY), f * sin(tiltY), 0, -sin(tiltY) / f, cos(tiltY)])
        return back * (pan * (nod * (turn * centre)))
    }

    /// Where a point of the scene lies in a frame.
    public static func position(_ x: Double, _ y: Double, by m: Matrix3) -> (x: Double, y: Double) {
        let q = m * [x, y, 1]
        return (q[0] / q[2], q[1] / q[2])
    }

    /// A frame; with `seed` nil without noise.
    public func frame(_ shot: Shot = Shot(), seed: UInt64?, name: String = "frame") throws -> Picture {
        let planes = try (0..<3).map { _ in try Plane<UInt16>(width: width, height: height) }
        let inverse = shot.toFrame.inverse ?? .identity
        var random = SeededRandom(seed: seed ?? 0)
        let coding = Coding(colour.transfer)
        let fromScene = Self.toPrimaries(colour)
        let last = Double(max(height - 1, 1))
        for y in 0..<height {
            let bend = shot.bend * Double(y * y) / (last * last)
            for x in 0..<width {
                var light = [0.0, 0.0, 0.0]
                let steps = shot.shake == 0 ? 1 : 7
                for step in 0..<steps {
                    let blur = steps == 1 ? 0 : (Double(step) / 3 - 1) * shot.shake
                    let p = Self.position(Double(x) - bend - blur, Double(y), by: inverse)
                    let l = point(p.x, p.y, shot.mover)
                    light[0] += l.0 * shot.exposure / Double(steps)
                    light[1] += l.1 * shot.exposure / Double(steps)
                    light[2] += l.2 * shot.exposure / Double(steps)
                }
                if let fromScene { light = fromScene * light }
                for c in 0..<3 {
                    var value = light[c]
                    if seed != nil { value += noise.variance(value).squareRoot() * random.normal() }
                    planes[c][x, y] = coding.code(value)
                }
            }
        }
        return Picture(
            planes: planes, maxCode: 65535, bits: 16, name: name, colour: colour, info: shot.info, format: "PNG")
    }

    private func point(_ x: Double, _ y: Double, _ mover: Mover?) -> (Double, Double, Double) {
        if let mover {
            let (u, v) = (x - mover.x, y - mover.y)
            if u >= 0, v >= 0, u < mover.width, v < mover.height { return mover.scene.light(u, v) }
        }
        return scene.light(x, y)
    }

    /// From the scene's primaries, sRGB's, to those of a colour space; nil where they are the same.
    private static func toPrimaries(_ colour: ColourSpace) -> Matrix3? {
        colour.toXYZ == ColourSpace.sRGB.toXYZ ? nil : colour.toXYZ.inverse.map { $0 * ColourSpace.sRGB.toXYZ }
    }

    /// Linear light to 16-bit codes by a table even in the square root, to a twentieth of a code on average.
    private struct Coding {
        private let table: [Double]
        init(_ transfer: TransferFunction) {
            table = (0...8192).map { transfer.coded(Double($0 * $0) / (8192 * 8192)) * 65535 }
        }
        func code(_ value: Double) -> UInt16 {
            let position = min(max(value, 0), 1).squareRoot() * 8192
            let i = min(Int(position), 8191)
            return UInt16(table[i] + (table[i + 1] - table[i]) * (position - Double(i)) + 0.5)
        }
    }
}
