import Nightfuse
import NightfuseCore
import NightfuseTestSupport

/// Fuses frames as they are given, and holds pictures against the truth.
enum Fusing {
    static func options(_ look: Look = .none, strength: Double = 1, reference: ReferenceChoice = .index(0))
        -> FusionOptions
    {
        var options = FusionOptions()
        (options.look, options.strength, options.reference) = (look, strength, reference)
        return options
    }

    static func fuse(_ frames: [Picture], _ options: FusionOptions = options(), threads: Int = 2) throws -> FusionResult
    {
        let session = FusionSession(options: options, workers: Workers(threads: threads))
        for frame in frames { try session.add(frame) }
        return try session.finish()
    }

    static func psnr(_ picture: Picture, _ truth: Picture) throws -> Double {
        try PictureComparison(picture, truth: truth, workers: Workers(threads: 2)).psnr
    }

    /// Frames of a still scene as a hand holds the camera: shifts of up to three pixels, noise of their own.
    static func handHeld(_ burst: TestBurst, count: Int, seed: UInt64 = 100) throws -> [Picture] {
        try (0..<count).map { try burst.frame(shake(burst, $0), seed: seed + UInt64($0), name: "frame \($0)") }
    }

    /// The motion of frame `index`; the first has none.
    static func shake(_ burst: TestBurst, _ index: Int) -> TestBurst.Shot {
        let i = Double(index)
        return TestBurst.Shot(
            burst.motion(
                x: index == 0 ? 0 : 1.3 * i.truncatingRemainder(dividingBy: 3) - 1.55,
                y: index == 0 ? 0 : 0.9 * i.truncatingRemainder(dividingBy: 4) - 1.2, roll: 0.05 * i))
    }

    /// A picture of one colour.
    static func flat(_ width: Int, _ height: Int, _ codes: [UInt16], name: String = "flat") throws -> Picture {
        let planes = try codes.map { code in
            let plane = try Plane<UInt16>(width: width, height: height)
            plane.fill(code)
            return plane
        }
        return Picture(planes: planes, maxCode: 65535, bits: 16, name: name)
    }

    static func areEqual(_ a: Picture, _ b: Picture) -> Bool {
        guard a.width == b.width, a.height == b.height, a.planes.count == b.planes.count else { return false }
        for (p, q) in zip(a.planes, b.planes) {
            for y in 0..<a.height { for x in 0..<a.width where p[x, y] != q[x, y] { return false } }
        }
        return true
    }
}
