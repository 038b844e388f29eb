import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Limited filter")
struct LimitedFilterTests {
    private let workers = Workers(threads: 2)

    /// Sharpens, and sums to 1: the middle tap 2.8, its four neighbours and a few far ones negative.
    private static let sharpening: [Float] = {
        var taps = [Float](repeating: 0, count: 25)
        (taps[0], taps[1], taps[5], taps[6]) = (2.8, -0.3, -0.3, -0.1)
        (taps[14], taps[22]) = (-0.02, -0.03)
        return taps
    }()

    private func clamped(_ plane: Plane<Float>, _ x: Int, _ y: Int) -> Float {
        plane[min(max(x, 0), plane.width - 1), min(max(y, 0), plane.height - 1)]
    }

    /// `choose` over the 3 x 3 samples around every sample.
    private func aroundThree(_ plane: Plane<Float>, _ choose: ([Float]) -> Float) throws -> Plane<Float> {
        let result = try Plane<Float>(width: plane.width, height: plane.height)
        for y in 0..<plane.height {
            for x in 0..<plane.width {
                result[x, y] = choose((0..<9).map { clamped(plane, x + $0 % 3 - 1, y + $0 / 3 - 1) })
            }
        }
        return result
    }

    @Test(arguments: InterestingSizes.pairs)
    func itIsTheSumOverNineByNineWithinWhatStandsAround(width: Int, height: Int) throws {
        let plane = try PaintedPlane.random(width, height, seed: UInt64(width * 100 + height))
        let input = try plane.copy()
        try LimitedFilter(taps: Self.sharpening).apply(plane, workers: workers)
        let (least, most): (([Float]) -> Float, ([Float]) -> Float) = ({ $0.min() ?? 0 }, { $0.max() ?? 0 })
        let opened = try aroundThree(try aroundThree(input, least), most)
        let closed = try aroundThree(try aroundThree(input, most), least)
        let (low, high) = (try input.copy(), try input.copy())
        for y in 0..<height {
            for x in 0..<width {
                low[x, y] -= 0.5 * (closed[x, y] - input[x, y])
                high[x, y] += 0.5 * (input[x, y] - opened[x, y])
            }
        }
        let (lowest, highest) = (try aroundThree(low, least), try aroundThree(high, most))
        #expect(
            PaintedPlane.largestError(plane) { x, y in
                var sum: Float = 0
                for j in -4...4 {
                    for i in -4...4 { sum += Self.sharpening[abs(j) * 5 + abs(i)] * clamped(input, x + i, y + j) }
                }
                return Double(min(max(sum, lowest[x, y]), highest[x, y]))
            } < 1e-5)
    }

    @Test func aStepIsSharpenedAndDoesNotOvershoot() throws {
        let plane = try Plane<Float>(width: 40, height: 30)
        // A soft step from 1 to 5.
        for y in 0..<30 { for x in 0..<40 { plane[x, y] = x < 19 ? 1 : x == 19 ? 2 : x == 20 ? 4 : 5 } }
        try LimitedFilter(taps: Self.sharpening).apply(plane, workers: workers)
        for x in 0..<40 { #expect(plane[x, 15] >= 1 && plane[x, 15] <= 5) }
        #expect(plane[19, 15] < 1.5 && plane[20, 15] > 4.5)
    }

    @Test func aLineIsRaisedAboveWhatItWas() throws {
        let plane = try Plane<Float>(width: 40, height: 30)
        for y in 0..<30 { for x in 0..<40 { plane[x, y] = x == 20 ? 2 : 1 } }
        try LimitedFilter(taps: Self.sharpening).apply(plane, workers: workers)
        #expect(abs(plane[20, 15] - 2.5) < 1e-5)
    }
}
