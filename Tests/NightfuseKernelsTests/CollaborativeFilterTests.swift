import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Collaborative filter")
struct CollaborativeFilterTests {
    private static let white = [[Float]](repeating: [Float](repeating: 1, count: 64), count: 3)

    private func noise(_ width: Int, _ height: Int, mean: Float = 5, seed: UInt64 = 1) throws -> [Plane<Float>] {
        var random = SeededRandom(seed: seed)
        return try (0..<3).map { _ in
            let plane = try Plane<Float>(width: width, height: height)
            for y in 0..<height { for x in 0..<width { plane[x, y] = mean + Float(random.normal()) } }
            return plane
        }
    }

    /// One pass, sums divided by weights; padding of the results is marked.
    private func run(
        _ filter: CollaborativeFilter, _ noisy: [Plane<Float>], pilot: [Plane<Float>]? = nil, variance: Float = 1
    ) throws -> [Plane<Float>] {
        let (w, h) = (noisy[0].width, noisy[0].height)
        let guide = try Plane<Float>(width: w, height: h)
        try smoothBinomial(pilot?[0] ?? noisy[0], into: guide, workers: Workers(threads: 2))
        let variances = try Plane<Float>(width: w, height: h)
        variances.fill(variance)
        let sums = try (0..<3).map { _ in try PaintedPlane.marked(w, h) }
        let weights = try PaintedPlane.marked(w, h)
        for plane in sums + [weights] { plane.fill(0) }
        filter.run(
            .init(
                noisy: noisy, pilot: pilot, guide: guide, guideNoise: pilot == nil ? 9.0 / 64 : 0, variance: variances,
                sums: sums, weights: weights))
        for plane in sums + [weights] { #expect(PaintedPlane.marksStand(plane)) }
        var covered = true
        for y in 0..<h {
            for x in 0..<w {
                covered = covered && weights[x, y] > 0
                for plane in sums { plane[x, y] /= weights[x, y] }
            }
        }
        #expect(covered, "some pixel is in no patch")
        return sums
    }

    private func variance(_ plane: Plane<Float>, _ truth: Float) -> Double {
        var sum = 0.0
        for y in 0..<plane.height {
            for x in 0..<plane.width { sum += Double((plane[x, y] - truth) * (plane[x, y] - truth)) }
        }
        return sum / Double(plane.width * plane.height)
    }

    @Test(arguments: [(8, 8), (9, 11), (8, 33), (17, 8), (13, 64), (33, 95)], [1, 8])
    func aFlatPictureStaysFlat(size: (Int, Int), group: Int) throws {
        var filter = CollaborativeFilter(spectrum: Self.white)
        filter.group = group
        let flat = try (0..<3).map { c in
            let plane = try PaintedPlane.random(size.0, size.1, seed: 1)
            plane.fill(Float(c + 1) * 10)
            return plane
        }
        let first = try run(filter, flat)
        let second = try run(filter, flat, pilot: first)
        for c in 0..<3 {
            let value = Double(c + 1) * 10
            #expect(PaintedPlane.largestError(first[c]) { _, _ in value } < 1e-4 * value)
            // The second pass draws even a patch's mean towards zero, by its noise over its power: 1 / (64 value).
            #expect(PaintedPlane.largestError(second[c]) { _, _ in value } < 1.2 / (64 * value))
        }
    }

    /// Bands are 48 rows high: where 1 to 7 rows are left, no patch begins in the last band.
    @Test(arguments: [49, 50, 51, 53, 54, 55, 56, 57, 97])
    func everyRowIsFilteredWhateverTheHeight(height: Int) throws {
        let out = try run(CollaborativeFilter(spectrum: Self.white), try noise(16, height))
        #expect(variance(out[0], 5) < 0.5)
    }

    @Test(arguments: [8, 16])
    func noiseOfAFlatPictureFallsTenfoldInVariance(group: Int) throws {
        var filter = CollaborativeFilter(spectrum: Self.white)
        filter.group = group
        let noisy = try noise(96, 80)
        let first = try run(filter, noisy)
        let second = try run(filter, noisy, pilot: first)
        for c in 0..<3 {
            #expect(variance(first[c], 5) < 0.1)
            #expect(variance(second[c], 5) < 0.1)
        }
    }

    /// Patches of two halves of the picture, one after the other, are all patches.
    @Test func rowsAndColumnsMayBeRunApart() throws {
        var filter = CollaborativeFilter(spectrum: Self.white)
        filter.group = 1
        let noisy = try noise(61, 43)
        let whole = try run(filter, noisy)
        let guide = try Plane<Float>(width: 61, height: 43)
        let variances = try Plane<Float>(width: 61, height: 43)
        variances.fill(1)
        let sums = try (0..<3).map { _ in try Plane<Float>(width: 61, height: 43) }
        let weights = try Plane<Float>(width: 61, height: 43)
        for rows in [0..<18, 18..<43] {
            for columns in [0..<33, 33..<61] {
                filter.run(
                    .init(
                        noisy: noisy, pilot: nil, guide: guide, guideNoise: 0, variance: variances, sums: sums,
                        weights: weights), rows: rows, columns: columns)
            }
        }
        for c in 0..<3 {
            let error = PaintedPlane.largestError(sums[c]) { Double(whole[c][$0, $1] * weights[$0, $1]) }
            #expect(error < 1e-3)
        }
    }

    @Test(arguments: [(8, 8), (9, 11), (11, 9), (31, 33)])
    func smallPicturesLoseNoiseToo(width: Int, height: Int) throws {
        let out = try run(CollaborativeFilter(spectrum: Self.white), try noise(width, height))
        for c in 0..<3 { #expect(variance(out[c], 5) < 0.5) }
    }

    @Test func whereNoNoiseIsExpectedNothingIsTaken() throws {
        let noisy = try noise(40, 40)
        let out = try run(CollaborativeFilter(spectrum: Self.white), noisy, variance: 1e-8)
        for c in 0..<3 {
            #expect(PaintedPlane.largestError(out[c]) { Double(noisy[c][$0, $1]) } < 1e-3)
        }
    }

    @Test func eachChannelHasItsOwnSpectrum() throws {
        let noisy = try noise(64, 64)
        var spectrum = Self.white
        spectrum[1] = [Float](repeating: 1e-8, count: 64)
        let out = try run(CollaborativeFilter(spectrum: spectrum), noisy)
        #expect(variance(out[0], 5) < 0.1 && variance(out[2], 5) < 0.1)
        #expect(PaintedPlane.largestError(out[1]) { Double(noisy[1][$0, $1]) } < 1e-3)
    }

    /// With noise said to be fine only, what is taken away is fine.
    @Test func onlyFrequenciesWithNoiseAreTouched() throws {
        let noisy = try noise(64, 64)
        let fine = (0..<64).map { Float($0 / 8 + $0 % 8 >= 6 ? 1 : 1e-8) }
        let out = try run(CollaborativeFilter(spectrum: [fine, fine, fine]), noisy)
        var (coarse, all) = (0.0, 0.0)
        for by in 0..<8 {
            for bx in 0..<8 {
                let taken = (0..<64).map { k in
                    let (x, y) = (bx * 8 + k % 8, by * 8 + k / 8)
                    return noisy[0][x, y] - out[0][x, y]
                }
                for (k, v) in dct8x8(taken).enumerated() {
                    all += Double(v * v)
                    if k / 8 + k % 8 < 3 { coarse += Double(v * v) }
                }
            }
        }
        #expect(all > 0.2 * 64 * 64)
        #expect(coarse < 0.03 * all)
    }

    @Test func anEdgeFarAboveTheNoiseStays() throws {
        let noisy = try noise(64, 64)
        for plane in noisy { for y in 0..<64 { for x in 32..<64 { plane[x, y] += 40 } } }
        let first = try run(CollaborativeFilter(spectrum: Self.white), noisy)
        let out = try run(CollaborativeFilter(spectrum: Self.white), noisy, pilot: first)
        for c in 0..<3 {
            var rise = 0.0
            for y in 0..<64 { rise += Double(out[c][32, y] - out[c][31, y]) / 64 }
            #expect(abs(rise - 40) < 1)
        }
    }
}
