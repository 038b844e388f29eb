import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

/// Whole fusions of scenes whose truth is known.
@Suite("Fusion quality")
struct FusionQualityTests {
    private let burst = TestBurst.night(seed: 60)

    @Test func eightFramesOfAStillSceneAreAllMerged() throws {
        let frames = try Fusing.handHeld(burst, count: 8)
        let truth = try burst.frame(seed: nil)
        let result = try Fusing.fuse(frames)
        #expect(result.effectiveFrames.mean >= 7, "\(result.effectiveFrames.mean)")
        #expect(try Fusing.psnr(result.picture, truth) > Fusing.psnr(frames[0], truth) + 9)
        // The denoiser adds to the merge, and the merge to the denoiser.
        let merged = try Fusing.fuse(frames, Fusing.options(strength: 0)).picture
        let single = try Fusing.fuse([frames[0]]).picture
        let both = try Fusing.psnr(result.picture, truth)
        #expect(try both > Fusing.psnr(merged, truth) && both > Fusing.psnr(single, truth) + 2)
    }

    @Test func measuredNoiseIsTheFrames() throws {
        let result = try Fusing.fuse(try Fusing.handHeld(burst, count: 3))
        #expect(abs(result.noise.variance(0.05) / burst.noise.variance(0.05) - 1) < 0.2)
    }

    /// PSNR of six frames, rendered by `shot`.
    private func psnr(_ shot: (Int) -> TestBurst.Shot) throws -> Double {
        let frames = try (0..<6).map { try burst.frame(shot($0), seed: UInt64(200 + $0), name: "\($0)") }
        return try Fusing.psnr(try Fusing.fuse(frames).picture, try burst.frame(shot(0), seed: nil))
    }

    @Test(arguments: [1.0, 2, 4, 6])
    func aNearLayerThatShiftsApartCostsLessThanADecibel(shift: Double) throws {
        let near = TestBurst.Mover(
            scene: TestScene(seed: 61, level: 0.08, width: 60, height: 50), x: 50, y: 30, width: 60, height: 50)
        let rigid = try psnr { index in
            var shot = Fusing.shake(burst, index)
            shot.mover = near
            return shot
        }
        let parted = try psnr { index in
            var shot = Fusing.shake(burst, index)
            shot.mover = near
            shot.mover?.x += shift * Double(index) / 5
            return shot
        }
        #expect(parted > rigid - 1, "\(parted) against \(rigid)")
    }

    @Test(arguments: [-3.0, 3])
    func aRollingShutterCostsLessThanADecibel(bend: Double) throws {
        let rigid = try psnr { Fusing.shake(burst, $0) }
        let bent = try psnr { index in
            var shot = Fusing.shake(burst, index)
            shot.bend = index == 0 ? 0 : bend * (index % 2 == 0 ? 1 : 0.5)
            return shot
        }
        #expect(bent > rigid - 1, "\(bent) against \(rigid)")
    }

    @Test func aMoverIsNotSmeared() throws {
        let frames = try (0..<5).map { index in
            var shot = Fusing.shake(burst, index)
            shot.mover = TestBurst.Mover(
                scene: TestScene(seed: 62, level: 0.2, width: 24, height: 40), x: 40 + 14 * Double(index), y: 40,
                width: 24, height: 40)
            return (shot, try burst.frame(shot, seed: UInt64(300 + index)))
        }
        let truth = try burst.frame(frames[0].0, seed: nil)
        let result = try Fusing.fuse(frames.map(\.1)).picture
        #expect(try Fusing.psnr(result, truth) > Fusing.psnr(frames[0].1, truth) + 5)
        // Where the mover stands in the reference, against one frame's noise.
        #expect(try squares(result, truth) < 0.5 * squares(frames[0].1, truth))
    }

    /// Mean squared error of green over the reference's mover.
    private func squares(_ picture: Picture, _ truth: Picture) throws -> Double {
        var sum = 0.0
        for y in 42..<78 {
            for x in 42..<62 {
                let d = Double(picture.planes[1][x, y]) - Double(truth.planes[1][x, y])
                sum += d * d
            }
        }
        return sum / (36 * 20)
    }

    @Test func mapsShowWhereTheMoverWas() throws {
        var shot = TestBurst.Shot()
        shot.mover = TestBurst.Mover(
            scene: TestScene(seed: 63, level: 0.25, width: 40, height: 40), x: 60, y: 40, width: 40, height: 40)
        var options = Fusing.options()
        options.maps = true
        let frames = [try burst.frame(seed: 1), try burst.frame(shot, seed: 2), try burst.frame(shot, seed: 3)]
        let result = try Fusing.fuse(frames, options)
        let motion = try #require(result.motionMap)
        let effective = try #require(result.effectiveFrameMap)
        #expect(motion[80, 60] > 200 && motion[20, 20] < 80)
        #expect(effective[80, 60] < 300 && effective[20, 20] > 600)
    }
}
