import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Motion map")
struct MotionMapTests {
    /// Mean trust inside and outside the box that the mover covers in the second frame.
    private func trust(mover: TestBurst.Mover?) throws -> (inside: Double, outside: Double) {
        let burst = TestBurst.night(seed: 6)
        var shot = TestBurst.shifted(2.4, 1.3)
        shot.mover = mover
        let bench = try StageBench(burst.frame(seed: 1), burst.frame(shot, seed: 2), noise: burst.noise)
        let field = try bench.fit().field
        let levels = try bench.global.aligned(bench.luma, field: field, workers: bench.workers).noise
        let map = try MotionMap(
            reference: bench.pyramid, frame: bench.luma, field: field, noise: levels, lift: nil, workers: bench.workers)
        #expect(map.level == 1)
        var sums = (inside: 0.0, outside: 0.0, insideCount: 0.0, outsideCount: 0.0)
        for y in 0..<map.trust.height {
            for x in 0..<map.trust.width {
                let (fx, fy) = (Double(2 * x) + 0.5, Double(2 * y) + 0.5)
                let value = Double(map.trust[x, y])
                if fx > 66, fx < 94, fy > 46, fy < 74 {
                    sums.inside += value
                    sums.insideCount += 1
                } else if fx < 52 || fx > 108 || fy < 32 || fy > 88 {
                    sums.outside += value
                    sums.outsideCount += 1
                }
            }
        }
        return (sums.inside / sums.insideCount, sums.outside / sums.outsideCount)
    }

    @Test func aStillSceneIsTrusted() throws {
        let trust = try trust(mover: nil)
        #expect(trust.inside > 0.95 && trust.outside > 0.95)
    }

    @Test func whatCameIntoTheSceneIsNot() throws {
        let mover = TestBurst.Mover(
            scene: TestScene(seed: 31, level: 0.15, width: 40, height: 40), x: 60, y: 40, width: 40, height: 40)
        let trust = try trust(mover: mover)
        #expect(trust.inside < 0.1, "\(trust.inside)")
        #expect(trust.outside > 0.9, "\(trust.outside)")
    }
}
