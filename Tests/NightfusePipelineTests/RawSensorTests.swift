import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

private let workers = Workers(threads: 2)

private func levels(_ scene: RawScene, _ count: Int) throws -> [RawLevels] {
    try scene.burst(count).map { RawLevels($0, gains: [2, 1, 1.6], clip: nil) }
}

private func samples(_ scene: RawScene) -> [NoiseModel] {
    RawNoise(profile: [scene.noise], gains: [2, 1, 1.6], isMosaic: true).samples
}

@Suite("Raw sensor faults")
struct RawSensorTests {
    @Test(arguments: [1, 3])
    func hotPixelsAreFoundAndNothingElseIs(frames: Int) throws {
        var scene = RawScene()
        scene.hot = [(10, 11), (64, 40), (65, 71), (90, 30), (120, 88)]
        let found = try HotPixels(
            levels(scene, frames), noise: samples(scene), workers: workers)
        #expect(found.places.map { Int($0) } == scene.hot.map { $0.y * scene.width + $0.x }.sorted())
        scene.hot = []
        let none = try HotPixels(
            levels(scene, frames), noise: samples(scene), workers: workers)
        #expect(none.places.isEmpty)
    }

    @Test func starsAreNoHotPixels() throws {
        var scene = RawScene()
        scene.brightness = 0.02
        let light = RawLight(try levels(scene, 1)[0])
        // A spot with a sigma of half a pixel, in balanced light: the middle gets 0.47 of it, the four beside it 0.11.
        let profile: [Float] = [0.16, 0.68, 0.16]
        for (x, y) in [(20, 20), (41, 33), (60, 61), (81, 50)] {
            for dy in -1...1 {
                for dx in -1...1 { light[x + dx, y + dy] += 0.8 * profile[dx + 1] * profile[dy + 1] }
            }
        }
        let found = HotPixels.places(
            in: [light], rows: 0..<scene.height, layout: .mosaic(scene.pattern), noise: samples(scene))
        #expect(found.isEmpty)
    }

    @Test func mendedSamplesAreThoseAround() throws {
        let scene = RawScene()
        let light = RawLight(try levels(scene, 1)[0])
        let before = light[64, 40]
        let around = (light[64, 38] + light[64, 42] + light[62, 40] + light[66, 40]) / 4
        light[64, 40] = 9
        light[0, 0] = 9
        HotPixels.mend(light, places: [0, Int32(40 * scene.width + 64)])
        #expect(light[64, 40] == around)
        #expect(abs(light[0, 0] - (light[2, 0] + light[0, 2]) / 2) < 1e-6)
        #expect(before != 9)
    }

    @Test func rowNoiseIsTakenOffAndCleanRowsAreLeft() throws {
        var scene = RawScene()
        (scene.width, scene.height) = (512, 128)
        scene.brightness = 0.02
        scene.noise = NoiseModel(shot: 0.0001, read: 0.002)
        let gains = [2, 1, 1.6]
        let clean = try RowNoise(
            levels(scene, 1)[0], noise: samples(scene), gains: gains, clip: 1, workers: workers)
        #expect(clean.offsets.isEmpty)
        scene.rowNoise = 0.001
        let noisy = try levels(scene, 1)[0]
        let light = RawLight(noisy)
        let rows = try RowNoise(noisy, noise: samples(scene), gains: gains, clip: 1, workers: workers)
        try #require(rows.offsets.count == scene.height)
        func error() -> Double {
            var sum = 0.0
            for y in 0..<scene.height {
                var mean = 0.0
                for x in 0..<scene.width {
                    let colour = Int(scene.pattern[(y & 1) * 2 + (x & 1)])
                    mean += Double(light[x, y]) / gains[colour] - scene.light(Double(x), Double(y), colour)
                }
                mean /= Double(scene.width)
                sum += mean * mean
            }
            return sum
        }
        let before = error()
        rows.remove(from: light, layout: .mosaic(scene.pattern), gains: gains, clip: 1)
        #expect(error() < 0.2 * before)
    }

    @Test func colourConversionIsTheMatrix() throws {
        let image = try LinearImage(width: 3, height: 2)
        for c in 0..<3 { image.planes[c].fill(Float(c + 1)) }
        try convertColour(image, by: Matrix3([1, 0, 1, 0, 2, 0, -1, 0, 0.5]), workers: workers)
        #expect((0..<3).map { image.planes[$0][2, 1] } == [4, 4, 0.5])
    }

    @Test func blackIsLiftedOnlyWhereLightIsBelowNone() throws {
        func settled(_ value: Float, drift: Double, error: Double = 0) throws -> [Float] {
            let image = try LinearImage(width: 32, height: 32)
            for plane in image.planes { plane.fill(value) }
            try settleBlack(
                image, drift: .init(offset: drift, error: error), gains: [2, 1, 1], read: 0.01, workers: workers)
            return image.planes.map { $0[5, 5] }
        }
        #expect(try settled(0.1, drift: 0) == [0.1, 0.1, 0.1])
        let drifted = try settled(0.1, drift: 0.01)
        #expect(abs(drifted[0] - 0.12) < 1e-6 && abs(drifted[1] - 0.11) < 1e-6)
        // Green and blue lie 0.02 below none: lifted but for a twentieth of the read noise.
        let lifted = try settled(-0.02, drift: 0)
        #expect(abs(lifted[1] + 0.0005) < 1e-6)
        // Blacks that scatter: far above black nothing is changed, at black the half below it falls away.
        #expect(try abs(settled(0.1, drift: 0, error: 0.01)[1] - 0.1) < 1e-4)
        #expect(
            try abs(settled(-0.0005, drift: 0, error: 0.01)[1] + 0.0005 - 0.01 * (2 / Float.pi).squareRoot()) < 1e-5)
        #expect(try abs(settled(-0.1, drift: 0, error: 0.01)[1] - 0.0005) < 2e-4)
        // Of blacks that hardly scatter, what lies below none by less than a twentieth of the read noise is noise.
        #expect(try abs(settled(-0.0004, drift: 0, error: 2e-5)[1] + 0.0004) < 2e-5)
    }

    @Test func theMeanOfBlacksIsOffByTheirScatter() {
        var drifts = BlackDrifts()
        #expect(drifts.mean.error == 0)
        for drift in [0.02, -0.02, 0.04, -0.04] { drifts.add(drift, weight: 1) }
        #expect(abs(drifts.mean.offset) < 1e-12)
        // Five blacks of mean square 0.0008, four of them free.
        #expect(abs(drifts.mean.error - (0.0008 / 4).squareRoot()) < 1e-9)
    }
}
