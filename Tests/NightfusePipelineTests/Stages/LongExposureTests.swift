import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

/// Three frames of the base exposure, and one four times as long.
@Suite("Long exposures")
struct LongExposureTests {
    private let workers = Workers(threads: 2)

    /// Mean squared errors against the scene, in what 4 x 4 pixels have in common and in what sets them apart.
    private struct Errors {
        var coarse: Double
        var fine: Double
    }

    private func merged(shake: Double, long: Bool, threads: Int = 2) throws -> (Errors, [Float], weight: Double) {
        let burst = TestBurst.night(seed: 21)
        let noise = NoiseEstimation(
            channels: [burst.noise, burst.noise, burst.noise])
        let fusion = try Fusion(
            reference: FrameData(picture: try burst.frame(seed: 1)), partners: [], known: noise,
            workers: Workers(threads: threads))
        for k in 1...2 {
            _ = try fusion.add(
                FrameData(
                    picture: try burst.frame(TestBurst.shifted(0.4 * Double(k), -0.7 * Double(k)), seed: UInt64(1 + k)))
            )
        }
        var weight = 0.0
        if long {
            var shot = TestBurst.shifted(1.3, 0.6)
            shot.exposure = 4
            shot.shake = shake
            weight = try fusion.add(FrameData(picture: try burst.frame(shot, seed: 9))).weight
        }
        let image = try fusion.finish(strength: 0, mode: .fast).image
        let truth = FrameData(picture: try burst.frame(seed: nil))
        var errors = Errors(coarse: 0, fine: 0)
        var values: [Float] = []
        var line = [Float](repeating: 0, count: burst.width)
        var difference = [[Double]](repeating: [], count: burst.height)
        for y in 0..<burst.height {
            line.withMutableRow { line in
                truth.linearRow(channel: 1, y: y, from: 0, count: burst.width, into: line)
            }
            let row = image.planes[1].row(y)
            for x in 0..<burst.width { values.append(row[x]) }
            difference[y] = (0..<burst.width).map { Double(row[$0] - line[$0]) }
        }
        for y in stride(from: 8, to: burst.height - 12, by: 4) {
            for x in stride(from: 8, to: burst.width - 12, by: 4) {
                let block = (0..<16).map { difference[y + $0 / 4][x + $0 % 4] }
                let mean = block.reduce(0, +) / 16
                errors.coarse += mean * mean
                errors.fine += block.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 16
            }
        }
        return (errors, values, weight)
    }

    @Test(arguments: [0, 1.5, 3])
    func aLongExposureTakesNoiseOffCoarseShapesHoweverItIsBlurred(shake: Double) throws {
        let (with, without) = (try merged(shake: shake, long: true), try merged(shake: shake, long: false))
        #expect(with.0.coarse < 0.75 * without.0.coarse)
        #expect(with.weight > 0.5)
    }

    @Test(arguments: [1.5, 3])
    func itsBlurDoesNotSmearFineOnes(shake: Double) throws {
        let (with, without) = (try merged(shake: shake, long: true), try merged(shake: shake, long: false))
        #expect(with.0.fine < without.0.fine)
    }

    @Test func theResultIsTheSameOnAnyNumberOfThreads() throws {
        let (one, many) = (
            try merged(shake: 1.5, long: true, threads: 1), try merged(shake: 1.5, long: true, threads: 4)
        )
        #expect(one.1 == many.1)
    }
}
