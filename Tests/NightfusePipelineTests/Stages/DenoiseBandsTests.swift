import NightfuseCore
import NightfuseKernels
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Denoising in bands and tiles")
struct DenoiseBandsTests {
    private static let white = [[Float]](repeating: [Float](repeating: 1, count: 64), count: 3)

    private func noisy(_ width: Int, _ height: Int) throws -> [Plane<Float>] {
        var random = SeededRandom(seed: 5)
        return try (0..<3).map { c in
            let plane = try Plane<Float>(width: width, height: height)
            for y in 0..<height {
                for x in 0..<width {
                    // Edges, a slope, and noise.
                    let scene = (x / 40 + y / 56 + c) % 2 == 0 ? 6.0 : 0.02 * Double(x)
                    plane[x, y] = Float(scene + random.normal())
                }
            }
            return plane
        }
    }

    private func plain(_ filter: CollaborativeFilter, _ planes: [Plane<Float>]) throws -> [Plane<Float>] {
        let (w, h) = (planes[0].width, planes[0].height)
        func plane(_ value: Float) throws -> Plane<Float> {
            let plane = try Plane<Float>(width: w, height: h)
            plane.fill(value)
            return plane
        }
        var pilot: [Plane<Float>]?
        for pass in 0..<2 {
            var filter = filter
            if pass == 0 { filter.group = 1 }
            let guide = try plane(0)
            try smoothBinomial(planes[0], into: guide, workers: Workers(threads: 2))
            let (sums, weights) = ([try plane(0), try plane(0), try plane(0)], try plane(0))
            filter.run(
                .init(
                    noisy: planes, pilot: pilot, guide: pilot?[0] ?? guide, guideNoise: pilot == nil ? 9.0 / 64 : 0,
                    variance: try plane(1), sums: sums, weights: weights))
            for c in 0..<3 { for y in 0..<h { for x in 0..<w { sums[c][x, y] /= weights[x, y] } } }
            pilot = sums
        }
        return pilot ?? []
    }

    /// More than two bands and two tiles, and ends that are narrower than what tiles see around themselves.
    @Test(arguments: [(1, 4), (8, 3)], [(500, 397), (484, 195), (61, 203)])
    func tilesLeaveNoSeams(group: (Int, Int), size: (Int, Int)) throws {
        var filter = CollaborativeFilter(spectrum: Self.white)
        (filter.group, filter.step) = group
        let planes = try noisy(size.0, size.1)
        let truth = try plain(filter, planes)
        let variance = try Plane<Float>(width: size.0, height: size.1)
        variance.fill(1)
        try DenoiseBands(planes, variance: variance, filter: filter).run(Workers(threads: 2))
        for c in 0..<3 {
            // Sums are formed in another order; noise has standard deviation 1.
            #expect(PaintedPlane.largestError(planes[c]) { Double(truth[c][$0, $1]) } < 2e-3)
        }
    }

    @Test func threadsDoNotChangeABit() throws {
        let filter = CollaborativeFilter(spectrum: Self.white)
        let results = try [1, 2, 5].map { threads in
            let planes = try noisy(500, 600)
            let variance = try Plane<Float>(width: 500, height: 600)
            variance.fill(1)
            try DenoiseBands(planes, variance: variance, filter: filter).run(Workers(threads: threads))
            return planes
        }
        for c in 0..<3 {
            #expect(PaintedPlane.areEqual(results[0][c], results[1][c]))
            #expect(PaintedPlane.areEqual(results[0][c], results[2][c]))
        }
    }
}
