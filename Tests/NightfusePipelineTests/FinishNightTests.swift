import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

private func night(
    _ image: LinearImage, colour: ColourSpace = .sRGB, product: Double? = nil, options: FinishOptions = FinishOptions(),
    threads: Int = 2
) throws -> LinearImage {
    try finish(
        try FinishScenes.copy(image), colour: colour, exposureProduct: product, residualNoise: nil, options: options,
        workers: Workers(threads: threads))
}

@Suite("Night look")
struct FinishNightTests {
    @Test("A dark scene ends between the bounds of night, however dark it is", arguments: [1, 0.5, 0.2, 0.05, 0.02])
    func brightness(scale: Double) throws {
        let image = try FinishScenes.street(scale: scale)
        let mean = FinishScenes.codedMean(try night(image))
        #expect(mean > 0.10 && mean < 0.30)
        #expect(mean > FinishScenes.codedMean(image))
    }

    @Test func theCeilingFollowsTheScenesLuminance() throws {
        let image = try FinishScenes.image(96, 64) { x, y in
            let v = 0.02 + 0.3 * Double(x * y) / (96 * 64)
            return (v, v, v)
        }
        // 30 s at ISO 6400 gives a picture as bright as 1/50 s at ISO 100 would by day: it is still night.
        let dark = FinishScenes.codedMean(try night(image, product: 30 * 6400))
        let day = FinishScenes.codedMean(try night(image, product: 2))
        #expect(dark < 0.30)
        #expect(dark > 0.10)
        #expect(day > dark + 0.02)
    }

    @Test func aPictureThatIsNotDarkComesBackAsItWas() throws {
        var random = SeededRandom(seed: 3)
        let image = try FinishScenes.image(120, 80) { x, _ in
            let v = 0.1 + 0.6 * Double(x) / 120 + 0.05 * random.uniform()
            return (v, v * 0.9, v * 0.7)
        }
        let result = try night(image)
        var worst: Float = 0
        for c in 0..<3 {
            for y in 0..<80 {
                for x in 0..<120 { worst = max(worst, abs(result.planes[c][x, y] - image.planes[c][x, y])) }
            }
        }
        #expect(worst < 1e-4)
    }

    @Test func blackSkyStaysBlack() throws {
        let result = try night(try FinishScenes.street())
        var sum = 0.0
        for y in 0..<20 { for x in 0..<100 { sum += FinishScenes.luma(result, x, y) } }
        // Code 10 of 255.
        #expect(sum / 2000 < 0.003)
    }

    @Test func shadowsOpen() throws {
        let image = try FinishScenes.street(scale: 0.3)
        let result = try night(image)
        #expect(FinishScenes.luma(result, 100, 140) > 2 * FinishScenes.luma(image, 100, 140))
    }

    @Test func lampsKeepTheirColour() throws {
        let result = try night(try FinishScenes.street())
        let core = (0..<3).map { result.planes[$0][200, 40] }
        #expect(core[0] > 0.95)
        #expect(core[0] > core[1] * 1.2 && core[1] > core[2] * 1.2)
        let glow = (0..<3).map { result.planes[$0][208, 40] }
        #expect(glow[0] > glow[1] && glow[1] > glow[2])
    }

    @Test func aWhiteClippedLampStaysWhiteUnderWarmLight() throws {
        let image = try FinishScenes.image(120, 80) { x, y in
            if x > 50, x < 60, y > 30, y < 40 { return (1, 1, 1) }
            let v = 0.002 + 0.03 * Double(x) / 120
            return (v, v * 0.6, v * 0.25)
        }
        let result = try night(image)
        let lamp = (0..<3).map { result.planes[$0][55, 35] }
        #expect(lamp.allSatisfy { $0 > 0.93 })
        #expect(abs(lamp[0] - lamp[2]) < 0.01 && abs(lamp[0] - lamp[1]) < 0.01)
    }

    @Test func warmLightTurnsLessWarmAndNothingTurnsBlue() throws {
        let image = try FinishScenes.image(200, 100) { x, y in
            let v = 0.002 + 0.02 * Double(y) / 100
            // Left: lit by a lamp of some 2500 K. Right: neutral.
            return x < 140 ? (v, v * 0.45, v * 0.12) : (v, v, v)
        }
        let result = try night(image)
        let (r, b) = (result.planes[0], result.planes[2])
        let before = image.planes[0][50, 80] / image.planes[2][50, 80]
        #expect(r[50, 80] / b[50, 80] < before * 0.6)
        #expect(r[50, 80] / b[50, 80] > 1.3)
        var blue = 0
        for y in 0..<100 { for x in 0..<200 where b[x, y] > r[x, y] * 1.02 { blue += 1 } }
        #expect(blue == 0)
    }

    @Test(
        "A dark edge against the sky overshoots by less than 2 %",
        arguments: [(0.002, 0.02), (0.0005, 0.008), (0.02, 0.05)])
    func noHalo(dark: Double, sky: Double) throws {
        // Four blocks of the analysis are then twelve pixels.
        let (width, height) = (1600, 600)
        let image = try FinishScenes.image(width, height) { x, y in
            if x < 8, y < 8 { return (1, 1, 1) }
            let v = y > 520 ? dark / 2 : (x > 600 && x < 1000 && y > 150 ? dark : sky)
            return (v, v, v)
        }
        let green = FinishScenes.green(try night(image), row: 300)
        let flat = green[200]
        #expect(flat > Float(sky) * 1.05)
        var (most, least) = (flat, flat)
        for x in 200..<598 { (most, least) = (max(most, green[x]), min(least, green[x])) }
        #expect(most < flat * 1.01)
        #expect(least > flat * 0.99)
        let inside = green[800]
        for x in 603..<998 { #expect(green[x] > inside * 0.98 && green[x] < inside * 1.02) }
    }

    @Test func aSmoothSkyGetsNoSteps() throws {
        let image = try FinishScenes.image(640, 64) { x, _ in
            let v = 0.001 + 0.02 * Double(x) / 640
            return (v, v, v)
        }
        let row = FinishScenes.green(try night(image), row: 30)
        for x in 2..<639 {
            let (before, after) = (row[x] - row[x - 1], row[x + 1] - row[x])
            #expect(before >= 0)
            #expect(abs(after - before) < 2e-4)
        }
    }

    @Test func theSameBitsForAnyNumberOfThreads() throws {
        let image = try FinishScenes.street()
        let (one, four) = (try night(image, threads: 1), try night(image, threads: 4))
        var different = 0
        for c in 0..<3 {
            for y in 0..<160 {
                for x in 0..<240 where one.planes[c][x, y] != four.planes[c][x, y] { different += 1 }
            }
        }
        #expect(different == 0)
    }

    @Test("Other primaries give the same colours", arguments: [Look.night, .natural])
    func primaries(look: Look) throws {
        let image = try FinishScenes.street()
        let options = FinishOptions(look: look)
        let plain = try night(image, options: options)
        let fromXYZ = [FinishScenes.displayP3, FinishScenes.adobeRGB].map { $0.toXYZ.inverse ?? .identity }
        for (space, inverse) in zip([FinishScenes.displayP3, FinishScenes.adobeRGB], fromXYZ) {
            let convert = inverse * ColourSpace.sRGB.toXYZ
            let other = try FinishScenes.image(240, 160) { x, y in
                let v = convert * (0..<3).map { Double(image.planes[$0][x, y]) }
                return (v[0], v[1], v[2])
            }
            let result = try night(other, colour: space, options: options)
            var worst = 0.0
            for y in stride(from: 0, to: 160, by: 3) {
                for x in stride(from: 0, to: 240, by: 3) {
                    let a = FinishScenes.lab((0..<3).map { Double(plain.planes[$0][x, y]) }, .sRGB)
                    let b = FinishScenes.lab((0..<3).map { Double(result.planes[$0][x, y]) }, space)
                    let distance = zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
                    worst = max(worst, distance)
                }
            }
            #expect(worst < 1)
        }
    }

    @Test func brightnessBrightens() throws {
        let image = try FinishScenes.street()
        let up = FinishScenes.codedMean(try night(image, options: FinishOptions(brightnessEV: 1)))
        let down = FinishScenes.codedMean(try night(image, options: FinishOptions(brightnessEV: -1)))
        let plain = FinishScenes.codedMean(try night(image))
        #expect(up > plain * 1.2 && down < plain * 0.85)
    }

    @Test(
        "Pictures without anything in them survive", arguments: [(1, 1), (3, 2), (1, 300), (17, 5)], [0.0, 0.001, 1])
    func small(size: (Int, Int), level: Double) throws {
        let image = try FinishScenes.image(size.0, size.1) { _, _ in (level, level, level) }
        for look in Look.allCases {
            let result = try night(image, options: FinishOptions(look: look))
            for c in 0..<3 {
                for y in 0..<size.1 {
                    for x in 0..<size.0 { #expect(result.planes[c][x, y] >= 0 && result.planes[c][x, y] <= 1) }
                }
            }
        }
    }

    @Test("A few broken numbers do not spoil the rest", arguments: [Float.nan, .infinity, -.infinity])
    func broken(value: Float) throws {
        let image = try FinishScenes.street(scale: 0.3)
        let whole = FinishScenes.codedMean(try night(image))
        for i in 0..<3 { image.planes[i][20 + 5 * i, 70] = value }
        let result = try night(image)
        for i in 0..<3 { for c in 0..<3 { result.planes[c][20 + 5 * i, 70] = 0 } }
        #expect(abs(FinishScenes.codedMean(result) - whole) < 0.02)
    }

    @Test func noiseIsNotMadeIntoLight() throws {
        var random = SeededRandom(seed: 5)
        let image = try FinishScenes.image(200, 150) { _, _ in
            (random.normal() * 0.002, random.normal() * 0.002, random.normal() * 0.002)
        }
        let noise = try Plane<Float>(width: 50, height: 40)
        noise.fill(0.002)
        let result = try finish(
            image, colour: .sRGB, exposureProduct: nil, residualNoise: noise, options: FinishOptions(),
            workers: Workers(threads: 1))
        #expect(FinishScenes.codedMean(result) < 0.15)
    }
}
