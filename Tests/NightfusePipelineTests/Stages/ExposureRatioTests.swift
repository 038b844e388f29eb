import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Exposure ratio")
struct ExposureRatioTests {
    private let workers = Workers(threads: 2)

    @Test(arguments: [0.25, 0.5, 1, 1.37, 2, 4.0])
    func lightAloneTellsTheRatio(exposure: Double) throws {
        var burst = TestBurst.night(seed: 2, width: 240, height: 180, level: 0.06)
        burst.noise = NoiseModel(shot: 1e-3, read: 3e-3)
        var shot = TestBurst.shifted(5.4, -3.2)
        shot.exposure = exposure
        let bench = try StageBench(
            burst.frame(seed: 1), burst.frame(shot, seed: 2), noise: burst.noise, ratio: Float(exposure))
        let (a, b) = (
            try blockLight(bench.reference, workers: workers), try blockLight(bench.frame, workers: workers)
        )
        let floor = Float(3 * burst.noise.read)
        let rank = try #require(ExposureRatio.byRank(a, b, floor: floor))
        #expect(abs(rank / exposure - 1) < 0.1)
        let measured = try #require(
            ExposureRatio.aligned(
                ExposureRatio.pairs(a, b, field: try bench.fit().field, expected: rank, floor: floor), blackError: 0))
        #expect(abs(measured.ratio / exposure - 1) < 0.02, "\(measured.ratio)")
    }

    /// Most light about as strong as the read noise, so that clipping at black lifts the shorter exposure's means.
    @Test(arguments: [0.5, 1, 2, 4.0])
    func lightUnderTheNoiseTellsTheRatioOnceClippingIsUndone(exposure: Double) throws {
        var burst = TestBurst.night(seed: 3, width: 320, height: 240, level: 0.08)
        burst.noise = NoiseModel(shot: 1e-2, read: 0.03)
        var shot = TestBurst.shifted(2.4, -1.2)
        shot.exposure = exposure
        let (reference, frame) = (
            FrameData(picture: try burst.frame(seed: 1)), FrameData(picture: try burst.frame(shot, seed: 2))
        )
        let black = BlackLift([ClippedNoise](repeating: ClippedNoise(noise: burst.noise, clips: true), count: 3))
        func rank(undoing lift: BlackLift?) throws -> Double? {
            let (a, b) = (try blockLight(reference, workers: workers), try blockLight(frame, workers: workers))
            lift?.undo(a)
            lift?.undo(b)
            return ExposureRatio.byRank(a, b, floor: Float(0.5 * burst.noise.read))
        }
        let measured = try #require(try rank(undoing: black))
        #expect(abs(measured / exposure - 1) < 0.1, "\(measured)")
        guard exposure != 1 else { return }
        let lifted = try #require(try rank(undoing: nil))
        #expect(abs(lifted / exposure - 1) > 2 * abs(measured / exposure - 1), "\(lifted) against \(measured)")
    }

    @Test func darknessTellsNothing() throws {
        let black = try Plane<Float>(width: 20, height: 20)
        #expect(ExposureRatio.byRank(black, black, floor: 0.01) == nil)
    }

    @Test func clippedBlocksAreMarked() throws {
        let burst = TestBurst.night(seed: 1, width: 20, height: 12, level: 4)
        let light = try blockLight(FrameData(picture: try burst.frame(seed: nil)), workers: workers)
        #expect(light.width == 3 && light.height == 2)
        #expect(light[0, 0] == -.infinity)
    }
}
