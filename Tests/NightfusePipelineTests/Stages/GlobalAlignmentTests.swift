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

    /// A scene whose mean light is `signal` times the read noise.
    private func burst(signal: Double, contrast: Double = 1, width: Int = 240, height: Int = 180) -> TestBurst {
        let read = 0.01
        func scene(_ level: Double) -> TestScene {
            TestScene(seed: 4, level: level, contrast: contrast, width: width, height: height)
        }
        var mean = 0.0
        for y in stride(from: 0, to: height, by: 9) {
            for x in stride(from: 0, to: width, by: 9) { mean += scene(1).light(Double(x), Double(y)).1 }
        }
        mean /= Double(((width + 8) / 9) * ((height + 8) / 9))
        return TestBurst(
            width: width, height: height, scene: scene(signal * read / mean), noise: NoiseModel(shot: 1e-4, read: read))
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
        let burst = burst(signal: 0.3, contrast: 1.6, width: 560, height: 420)
        let truth = burst.motion(x: x, y: y, roll: roll, tiltX: tiltX, tiltY: tiltY)
        let error = try medianError(burst, truth)
        #expect(error < 0.35, "\(error)")
    }

    /// The error where a box of a tenth of the picture, in its middle, moves by (9, -4) beside the camera's motion.
    private func errorBesideMover(_ x: Double, _ y: Double, roll: Double = 0, light: Double) throws -> Double {
        let mover = TestBurst.Mover(
            scene: TestScene(seed: 77, level: 0.13 * light, width: 70, height: 62), x: 90, y: 60, width: 70, height: 62)
        let burst = burst(signal: 15)
        return try medianError(burst, burst.motion(x: x, y: y, roll: roll), mover: mover)
    }

    @Test(arguments: [(0, 0, 0), (0.5, -0.25, 0), (3.0, 2.0, 1.0)], [1, 2.0])
    func aMoverOfATenthOfThePictureDoesNotPull(motion: (x: Double, y: Double, roll: Double), light: Double) throws {
        let error = try errorBesideMover(motion.x, motion.y, roll: motion.roll, light: light)
        #expect(error < 0.1, "\(error)")
    }

    @Test(arguments: [(-36.0, 12.0), (20.3, -17.6)], [1, 2.0])
    func norDoesItWhereTheCameraMovedFar(motion: (x: Double, y: Double), light: Double) throws {
        let error = try errorBesideMover(motion.x, motion.y, light: light)
        #expect(error < 0.1, "\(error)")
    }
}
