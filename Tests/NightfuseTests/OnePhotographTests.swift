import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

/// One photograph, darkened by three stops in linear light, under a sensor's noise, in eight bits.
@Suite("One photograph alone")
struct OnePhotographTests {
    /// Of a day's photograph at an eighth of its light.
    private static func darkened(seed: UInt64) -> TestBurst {
        TestBurst(
            width: 240, height: 180,
            scene: TestScene(seed: seed, level: 0.18 / 8, contrast: 0.9, width: 240, height: 180),
            noise: NoiseModel(shot: 6e-4, read: 9e-4))
    }

    private func eightBits(_ picture: Picture) throws -> Picture {
        let planes = try picture.planes.map { plane in
            let coarse = try Plane<UInt16>(width: plane.width, height: plane.height)
            for y in 0..<plane.height {
                for x in 0..<plane.width { coarse[x, y] = UInt16((Int(plane[x, y]) + 128) / 257) }
            }
            return coarse
        }
        return Picture(planes: planes, maxCode: 255, bits: 8, name: picture.name, format: "PNG")
    }

    @Test(arguments: [UInt64(70), 71, 72])
    func liftedLightIsCleanerThanAPlainGainAndKeepsItsColours(seed: UInt64) throws {
        let burst = Self.darkened(seed: seed)
        let dark = try eightBits(burst.frame(seed: seed))
        let day = try burst.frame(TestBurst.Shot.lit(8), seed: nil)
        var options = Fusing.options()
        options.brightnessEV = 3
        let lifted = try Fusing.fuse([dark], options).picture
        options.strength = 0
        let plain = try Fusing.fuse([dark], options).picture
        #expect(try Fusing.psnr(lifted, day) > Fusing.psnr(plain, day) + 6)
        let error = Self.chromaError(lifted, day)
        #expect(error < 2, "\(error)")
        #expect(error < 0.35 * Self.chromaError(plain, day))
    }

    /// Mean distance in a* and b*.
    private static func chromaError(_ a: Picture, _ b: Picture) -> Double {
        var sum = 0.0
        for y in 0..<a.height {
            for x in 0..<a.width {
                let (p, q) = (lab(a, x, y), lab(b, x, y))
                sum += ((p.a - q.a) * (p.a - q.a) + (p.b - q.b) * (p.b - q.b)).squareRoot()
            }
        }
        return sum / Double(a.width * a.height)
    }

    /// CIE a* and b* of a pixel under D65.
    private static func lab(_ picture: Picture, _ x: Int, _ y: Int) -> (a: Double, b: Double) {
        let rgb = picture.planes.map {
            TransferFunction.sRGB.linear(Double($0[x, y]) / Double(picture.maxCode))
        }
        let xyz = ColourSpace.sRGB.toXYZ * rgb
        let white = ColourSpace.sRGB.toXYZ * [1, 1, 1]
        let f = (0..<3).map { i -> Double in
            let t = xyz[i] / white[i]
            return t > 216.0 / 24389 ? cubeRoot(t) : (24389.0 / 27 * t + 16) / 116
        }
        return (500 * (f[0] - f[1]), 200 * (f[1] - f[2]))
    }

    /// By Newton's method, from above.
    private static func cubeRoot(_ t: Double) -> Double {
        var r = 1.0
        for _ in 0..<20 { r -= (r * r * r - t) / (3 * r * r) }
        return r
    }
}

extension TestBurst.Shot {
    /// A shot with more light on the same scene.
    fileprivate static func lit(_ exposure: Double) -> TestBurst.Shot {
        var shot = TestBurst.Shot()
        shot.exposure = exposure
        return shot
    }
}
