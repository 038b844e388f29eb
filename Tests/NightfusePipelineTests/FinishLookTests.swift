import NightfuseCore
import NightfuseKernels
import NightfusePipeline
import NightfuseTestSupport
import Testing

private func finished(_ image: LinearImage, _ options: FinishOptions) throws -> LinearImage {
    try finish(
        try FinishScenes.copy(image), colour: .sRGB, exposureProduct: nil, residualNoise: nil, options: options,
        workers: Workers(threads: 2))
}

@Suite("Plain looks and brighten")
struct FinishLookTests {
    @Test func noneScalesLightAndClipsAtWhite() throws {
        let image = try FinishScenes.image(19, 3) { x, y in (Double(x) / 20, -0.1, 0.3) }
        let result = try finished(image, FinishOptions(look: .none, brightnessEV: 1))
        for x in 0..<19 {
            #expect(abs(result.planes[0][x, 1] - min(Float(x) / 10, 1)) < 1e-6)
            #expect(result.planes[1][x, 1] == 0)
            #expect(abs(result.planes[2][x, 1] - 0.6) < 1e-6)
        }
    }

    @Test func naturalMakesWarmWhiteNeutralAndKeepsBrightness() throws {
        var random = SeededRandom(seed: 9)
        let image = try FinishScenes.image(160, 120) { _, _ in
            let v = 0.05 + 0.3 * random.uniform()
            return (v, v * 0.7, v * 0.42)
        }
        let result = try finished(image, FinishOptions(look: .natural))
        for x in stride(from: 0, to: 160, by: 7) {
            let rgb = (0..<3).map { result.planes[$0][x, 60] }
            #expect(rgb[0] / rgb[2] < 1.25 && rgb[0] / rgb[2] > 0.85)
            #expect(abs(FinishScenes.luma(result, x, 60) / FinishScenes.luma(image, x, 60) - 1) < 0.03)
        }
    }

    @Test func naturalRollsLampsOffInOrderWithTheirHue() throws {
        let image = try FinishScenes.image(200, 100) { x, y in
            let v = y < 4 ? 0.05 + 2.4 * Double(x) / 200 : 0.1
            return y < 4 ? (v, v * 0.6, v * 0.2) : (v, v, v)
        }
        let result = try finished(image, FinishOptions(look: .natural))
        for x in 1..<200 {
            let (here, before) = (result.planes[0][x, 1], result.planes[0][x - 1, 1])
            #expect(here >= before && here <= 1)
        }
        #expect(result.planes[0][150, 1] < 0.999)
        #expect(result.planes[0][199, 1] > result.planes[1][199, 1] * 1.15)
        #expect(abs(FinishScenes.luma(result, 20, 60) - 0.1) < 0.003)
    }

    @Test("The kernel agrees with the reference", arguments: [1, 7, 8, 9, 16, 33])
    func kernelAgrees(width: Int) throws {
        var random = SeededRandom(seed: UInt64(width))
        let image = try FinishScenes.image(width, 5) { _, _ in
            let v = random.uniform() < 0.3 ? 0.01 : 1.6
            return (v * random.uniform() - 0.002, v * random.uniform(), v * random.uniform())
        }
        for most in [Float?.none, 0.7] {
            let slope = try Plane<Float>(width: 1, height: 1)
            let offset = try Plane<Float>(width: 1, height: 1)
            let sigma = try Plane<Float>(width: 1, height: 1)
            slope.fill(-0.3)
            offset.fill(0.4)
            sigma.fill(0.004)
            var s = LookSettings()
            s.toSRGB = [0.9, 0.1, 0, 0.02, 0.97, 0.01, 0, 0.1, 0.9]
            s.fromSRGB = [1.1, -0.1, 0, 0, 1, 0, 0, -0.1, 1.1]
            (s.redGain, s.blueGain, s.mostOfCast) = (0.7, 1.9, most)
            (s.black, s.logFloor, s.white, s.chromaSigmas) = (0.002, 0.001, 1.8, 1)
            s.maps = LookMaps(factor: 8, slope: slope, offset: offset, sigma: sigma)
            let result = try FinishScenes.copy(image)
            applyLook(result.planes, s, rows: 0..<5)
            for y in 0..<5 {
                for x in 0..<width {
                    let expected = lookReference(
                        (0..<3).map { Double(image.planes[$0][x, y]) }, s, slope: Double(Float(-0.3)),
                        offset: Double(Float(0.4)), sigma: Double(Float(0.004)))
                    for c in 0..<3 { #expect(abs(Double(result.planes[c][x, y]) - expected[c]) < 2e-4) }
                }
            }
        }
    }

    @Test("Small maps spread linearly between block middles", arguments: [1, 2, 3, 4, 7])
    func spread(factor: Int) throws {
        let plane = try Plane<Float>(width: 6, height: 4)
        for y in 0..<4 { for x in 0..<6 { plane[x, y] = Float(3 * x - 2 * y) } }
        let width = 6 * factor - factor / 2
        var row = [Float](repeating: .nan, count: width)
        var column = [Float](repeating: 0, count: 6)
        for y in 0..<4 * factor {
            column.withMutableRow { column in
                row.withMutableRow { row in
                    spreadRow(plane, y: y, factor: factor, width: width, column: column, into: row)
                }
            }
            for x in 0..<width {
                let u = min(max((Float(x) + 0.5) / Float(factor) - 0.5, 0), 5)
                let v = min(max((Float(y) + 0.5) / Float(factor) - 0.5, 0), 3)
                #expect(abs(row[x] - (3 * u - 2 * v)) < 1e-4)
            }
        }
    }

    @Test("The logarithm of tone is good to a hundred-thousandth of a stop")
    func logarithm() {
        for i in 0..<400 {
            let light = Float(1) / 4096 + Float(i) * 0.005
            let stops = toneLog2(light, light, light, black: 0, floor: 1e-6)
            var s = LookSettings()
            s.logFloor = 1e-6
            // 2^stops by the kernel's own exponential would hide an error of both: compare squares instead.
            let twice = toneLog2(light * 2, light * 2, light * 2, black: 0, floor: 2e-6)
            #expect(abs(twice - stops - 1) < 1e-5)
            #expect((light > 1) == (stops > 0) || abs(light - 1) < 1e-5)
        }
        #expect(abs(toneLog2(3, 3, 3, black: 0, floor: 1e-9) - 1.5849625) < 1e-5)
        #expect(abs(toneLog2(0.1, 0.1, 0.1, black: 0, floor: 1e-9) + 3.3219281) < 1e-5)
    }

    @Test("Brighten raises dark photographs", arguments: [0.7, 0.3, 0.1])
    func brightenRaises(scale: Double) throws {
        var random = SeededRandom(seed: 2)
        let image = try FinishScenes.image(180, 120) { x, y in
            let v = 0.02 + 0.16 * Double(x / 20 * 20) / 180 * (0.7 + 0.3 * random.uniform())
            return (v * scale, v * scale * 0.8, y > 60 ? v * scale : v * scale * 0.5)
        }
        let workers = Workers(threads: 2)
        let amount = try brightenAmount(for: image, colour: .sRGB, workers: workers)
        #expect(amount > 0.1 && amount <= 1)
        let result = try finished(image, FinishOptions(brighten: amount))
        let mean = FinishScenes.codedMean(result)
        #expect(mean > 0.2 && mean < 0.4)
        // Colours are kept: the ratio of channels is what it was.
        for x in stride(from: 3, to: 180, by: 11) {
            let before = image.planes[1][x, 90] / image.planes[0][x, 90]
            #expect(abs(result.planes[1][x, 90] / result.planes[0][x, 90] - before) < 0.02)
        }
        let more = FinishScenes.codedMean(try finished(image, FinishOptions(brighten: 1)))
        #expect(more > mean)
    }

    @Test func brightenLeavesABrightPictureAlone() throws {
        let image = try FinishScenes.image(90, 60) { x, y in
            let v = 0.1 + 0.5 * Double(x + y) / 150
            return (v, v, v)
        }
        let amount = try brightenAmount(for: image, colour: .sRGB, workers: Workers(threads: 1))
        #expect(amount == 0)
        let result = try finished(image, FinishOptions(brighten: amount))
        for x in 0..<90 { #expect(abs(result.planes[1][x, 30] - image.planes[1][x, 30]) < 1e-4) }
    }
}
