import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Global alignment")
struct GlobalAlignmentTests {
    /// What the frame is made of: pixels of shift, degrees of roll, radians of the camera's turn.
    static let motions: [(x: Double, y: Double, roll: Double, tiltX: Double, tiltY: Double)] = [
        (0, 0, 0, 0, 0), (0.5, -0.25, 0, 0, 0), (-36, 12, 0, 0, 0), (20.3, -17.6, 0, 0, 0), (3, 2, 1, 0, 0),
        (-8.4, 5, -1, 0.02, 0.01), (0, 0, 0, 0.06, -0.04), (11, -7, 0.5, -0.03, 0.03),
    ]

    private func burst(signal: Double, width: Int = 240, height: Int = 180) -> TestBurst {
        let read = 0.01
        return TestBurst(
            width: width, height: height,
            scene: TestScene(seed: 4, level: signal * read, width: width, height: height),
            noise: NoiseModel(shot: 1e-4, read: read))
    }

    private func medianError(_ burst: TestBurst, _ truth: Matrix3, mover: TestBurst.Mover? = nil) throws -> Double {
        var (first, second) = (TestBurst.Shot(), TestBurst.Shot(truth))
        if let mover {
            first.mover = mover
            second.mover = mover
            second.mover?.x += 9
            second.mover?.y -= 4
        }
        let bench = try StageBench(
            burst.frame(first, seed: 1), burst.frame(second, seed: 2), noise: burst.noise)
        let errors = StageBench.errors(try bench.fit().field, truth: truth)
        return errors[errors.count / 2]
    }

    @Test(arguments: motions)
    func motionIsFoundToATenthOfAPixelInGoodLight(
        x: Double, y: Double, roll: Double, tiltX: Double, tiltY: Double
    ) throws {
        let burst = burst(signal: 15)
        let truth = burst.motion(x: x, y: y, roll: roll, tiltX: tiltX, tiltY: tiltY)
        let error = try medianError(burst, truth)
        #expect(error < 0.1, "\(error)")
    }

    @Test(arguments: motions)
    func motionIsFoundToAThirdOfAPixelWherePixelsAreMostlyNoise(
        x: Double, y: Double, roll: Double, tiltX: Double, tiltY: Double
    ) throws {
        let burst = burst(signal: 0.3, width: 480, height: 360)
        let truth = burst.motion(x: x, y: y, roll: roll, tiltX: tiltX, tiltY: tiltY)
        let error = try medianError(burst, truth)
        #expect(error < 0.35, "\(error)")
    }

    @Test(arguments: motions[0...4])
    func aMoverOfATenthOfThePictureDoesNotPull(
        x: Double, y: Double, roll: Double, tiltX: Double, tiltY: Double
    ) throws {
        let burst = burst(signal: 15)
        let truth = burst.motion(x: x, y: y, roll: roll, tiltX: tiltX, tiltY: tiltY)
        let mover = TestBurst.Mover(
            scene: TestScene(seed: 77, level: 0.25, width: 70, height: 62), x: 90, y: 60, width: 70, height: 62)
        let error = try medianError(burst, truth, mover: mover)
        #expect(error < 0.1, "\(error)")
    }
}
