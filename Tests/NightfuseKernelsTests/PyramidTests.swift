import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Pyramid kernels")
struct PyramidTests {
    private let workers = Workers(threads: 2)

    private func clamped(_ plane: Plane<Float>, _ x: Int, _ y: Int) -> Double {
        Double(plane[min(max(x, 0), plane.width - 1), min(max(y, 0), plane.height - 1)])
    }

    /// Sum of products with a separable filter whose first tap stands `start` samples before (x, y).
    private func filtered(_ plane: Plane<Float>, _ x: Int, _ y: Int, taps: [Double], start: Int) -> Double {
        var sum = 0.0
        for (j, b) in taps.enumerated() {
            for (i, a) in taps.enumerated() { sum += a * b * clamped(plane, x + i - start, y + j - start) }
        }
        return sum
    }

    @Test(arguments: InterestingSizes.pairs)
    func halvingIsTheSumOverFourByFourSamples(width: Int, height: Int) throws {
        let input = try PaintedPlane.random(width, height, seed: UInt64(width * 100 + height))
        let output = try PaintedPlane.marked((width + 1) / 2, (height + 1) / 2)
        try downsampleBinomial(input, into: output, workers: workers)
        let taps = [1.0 / 8, 3.0 / 8, 3.0 / 8, 1.0 / 8]
        #expect(PaintedPlane.largestError(output) { filtered(input, 2 * $0, 2 * $1, taps: taps, start: 1) } < 1e-6)
        #expect(PaintedPlane.marksStand(output))
    }

    @Test(arguments: InterestingSizes.pairs)
    func smoothingIsTheSumOverThreeByThreeSamples(width: Int, height: Int) throws {
        let input = try PaintedPlane.random(width, height, seed: UInt64(width * 100 + height))
        let output = try PaintedPlane.marked(width, height)
        try smoothBinomial(input, into: output, workers: workers)
        #expect(
            PaintedPlane.largestError(output) { filtered(input, $0, $1, taps: [0.25, 0.5, 0.25], start: 1) } < 1e-6)
        #expect(PaintedPlane.marksStand(output))
    }

    @Test(arguments: InterestingSizes.pairs)
    func slopesAreHalfTheDifferenceOfNeighbours(width: Int, height: Int) throws {
        let input = try PaintedPlane.random(width, height, seed: UInt64(width * 100 + height))
        let (gx, gy) = (try PaintedPlane.marked(width, height), try PaintedPlane.marked(width, height))
        try gradients(input, x: gx, y: gy, workers: workers)
        #expect(PaintedPlane.largestError(gx) { (clamped(input, $0 + 1, $1) - clamped(input, $0 - 1, $1)) / 2 } < 1e-6)
        #expect(PaintedPlane.largestError(gy) { (clamped(input, $0, $1 + 1) - clamped(input, $0, $1 - 1)) / 2 } < 1e-6)
        #expect(PaintedPlane.marksStand(gx) && PaintedPlane.marksStand(gy))
    }

    @Test func threadsDoNotChangeABit() throws {
        let input = try PaintedPlane.random(61, 200, seed: 5)
        let half = try (1...5).map { threads in
            let out = try Plane<Float>(width: 31, height: 100)
            try downsampleBinomial(input, into: out, workers: Workers(threads: threads))
            return out
        }
        for other in half.dropFirst() { #expect(PaintedPlane.areEqual(half[0], other)) }
    }

    @Test func whiteNoiseLeavesWithTheVarianceThatIsPromised() throws {
        var random = SeededRandom(seed: 9)
        let input = try Plane<Float>(width: 400, height: 300)
        for y in 0..<300 { for x in 0..<400 { input[x, y] = Float(random.normal()) } }
        func variance(_ plane: Plane<Float>) -> Double {
            var sum = 0.0
            for y in 2..<(plane.height - 2) {
                for x in 2..<(plane.width - 2) { sum += Double(plane[x, y]) * Double(plane[x, y]) }
            }
            return sum / Double((plane.width - 4) * (plane.height - 4))
        }
        let half = try Plane<Float>(width: 200, height: 150)
        try downsampleBinomial(input, into: half, workers: workers)
        #expect(abs(variance(half) / (25.0 / 256) - 1) < 0.05)
        let smooth = try Plane<Float>(width: 400, height: 300)
        try smoothBinomial(input, into: smooth, workers: workers)
        #expect(abs(variance(smooth) / (9.0 / 64) - 1) < 0.05)
    }

    @Test func cancellationStopsAKernel() throws {
        let cancellation = Cancellation()
        cancellation.cancel()
        let plane = try Plane<Float>(width: 8, height: 8)
        #expect(throws: NightfuseError.cancelled) {
            try smoothBinomial(
                plane, into: try Plane(width: 8, height: 8), workers: Workers(threads: 2, cancellation: cancellation))
        }
    }

    @Test(arguments: [2, 7, 8, 9, 16, 17, 33])
    func aRowAtTwiceTheSizeIsLinearInBetween(count: Int) throws {
        let half = (count + 1) / 2
        let rows = try PaintedPlane.random(half, 2, seed: UInt64(count))
        let out = try PaintedPlane.marked(count, 1)
        out.fill(1)
        var line = [Float](repeating: 0, count: half + 2)
        line.withMutableRow {
            addUpsampledRow(near: rows.row(0), far: rows.row(1), count: count, line: $0, to: out.mutableRow(0))
        }
        let error = PaintedPlane.largestError(out) { x, _ in
            let u = (Double(x) + 0.5) / 2 - 0.5
            let (k, t) = (Int(u.rounded(.down)), u - u.rounded(.down))
            func at(_ i: Int) -> Double { 0.75 * clamped(rows, i, 0) + 0.25 * clamped(rows, i, 1) }
            return 1 + at(k) * (1 - t) + at(k + 1) * t
        }
        #expect(error < 1e-5)
        #expect(PaintedPlane.marksStand(out))
    }
}
