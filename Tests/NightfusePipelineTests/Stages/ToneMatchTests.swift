import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Tone matching")
struct ToneMatchTests {
    private let workers = Workers(threads: 2)

    private func burst(seed: UInt64) -> TestBurst {
        // A camera's pictures are large: most of their blocks are flat.
        TestBurst(
            width: 400, height: 304,
            scene: TestScene(seed: seed, level: 0.06, fineness: 0.03, width: 400, height: 304),
            noise: NoiseModel(shot: 4e-4, read: 2e-3))
    }

    private func outcome(_ reference: Picture, _ frame: Picture) throws -> Fusion.Outcome {
        try Fusion(reference: FrameData(picture: reference), partners: [], workers: workers)
            .add(FrameData(picture: frame))
    }

    private func frame(_ burst: TestBurst, exposure: Double, seed: UInt64, tone: CameraTone? = nil) throws -> Picture {
        var shot = TestBurst.shifted(2.3, -1.6)
        shot.exposure = exposure
        let picture = try burst.frame(shot, seed: seed)
        return try tone?.applied(to: picture) ?? picture
    }

    @Test(arguments: [0.5, 2, 4])
    func aToneCurveIsFound(exposure: Double) throws {
        let (burst, tone) = (burst(seed: 1), CameraTone())
        let reference = try tone.applied(to: try burst.frame(seed: 1))
        let found = try outcome(reference, try frame(burst, exposure: exposure, seed: 2, tone: tone))
        let (isToned, weight) = (found.isToned, found.weight)
        #expect(isToned)
        #expect(weight > 0.3, "\(weight)")
    }

    /// Nothing is then another than without the stage.
    @Test(arguments: [0.25, 0.5, 1, 2, 4, 8])
    func lightInProportionIsLeftAlone(exposure: Double) throws {
        let burst = burst(seed: 2)
        let isToned = try outcome(try burst.frame(seed: 1), try frame(burst, exposure: exposure, seed: 2)).isToned
        #expect(!isToned)
    }

    @Test func equalExposuresWithAToneCurveAreLeftAlone() throws {
        let (burst, tone) = (burst(seed: 3), CameraTone())
        let reference = try tone.applied(to: try burst.frame(seed: 1))
        let isToned = try outcome(reference, try frame(burst, exposure: 1, seed: 2, tone: tone)).isToned
        #expect(!isToned)
    }

    @Test(arguments: [UInt64(40), 41, 42, 43])
    func anotherSceneIsNotBentIntoThisOne(seed: UInt64) throws {
        let tone = CameraTone()
        let reference = try tone.applied(to: try burst(seed: 4).frame(seed: 1))
        let other = try tone.applied(to: try burst(seed: seed).frame(seed: 2))
        let found = try outcome(reference, other)
        let (isToned, weight) = (found.isToned, found.weight)
        #expect(!isToned)
        #expect(weight < 0.25, "\(weight)")
    }
}
