import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

private func merge(_ frames: [RawFrame]) throws -> FusionResult {
    var options = FusionOptions()
    (options.mergedRaw, options.reference) = (true, .index(0))
    let session = FusionSession(options: options, workers: Workers(threads: 2))
    for frame in frames { try session.add(frame) }
    return try session.finish()
}

/// Mean squared error of sensor light of a colour, and what the frame's noise says it is.
private func error(_ raw: RawFrame, _ scene: RawScene, colour: Int) -> (measured: Double, told: Double) {
    var (sum, told, count) = (0.0, 0.0, 0.0)
    let noise = raw.noise[min(colour, raw.noise.count - 1)]
    for y in 16..<raw.height - 16 {
        for x in 16..<raw.width - 16 where Int(scene.pattern[(y & 1) * 2 + (x & 1)]) == colour {
            let got = (Double(raw.planes[0][x, y]) - raw.black[0]) / (raw.white[0] - raw.black[0])
            let clean = scene.light(Double(x), Double(y), colour)
            sum += (got - clean) * (got - clean)
            told += noise.variance(clean)
            count += 1
        }
    }
    return (sum / count, told / count)
}

@Suite("Merged raw")
struct MergedRawTests {
    @Test func noiseFallsAsItMayAndIsTold() throws {
        var scene = RawScene()
        scene.texture = 0.3
        let frames = try scene.burst()
        let result = try merge(frames)
        let merged = try #require(result.mergedRaw)
        for colour in 0..<3 {
            let before = error(frames[0], scene, colour: colour)
            let after = error(merged, scene, colour: colour)
            // 10 log10(8) - 1 dB.
            #expect(after.measured < before.measured / 6.35)
            // It is less than told: resampling takes some, of red and blue, which are made of fewer samples, most.
            #expect(abs(after.measured / after.told - 1) < 0.35)
        }
    }

    @Test func geometryAndLevelsAreTheReferences() throws {
        var scene = RawScene()
        scene.crop = (4, 6, 100, 80)
        scene.orientation = 8
        let frames = try scene.burst(3)
        let result = try merge(frames)
        let merged = try #require(result.mergedRaw)
        #expect((merged.width, merged.height) == (scene.width, scene.height))
        #expect(merged.layout == frames[0].layout && merged.crop == frames[0].crop)
        #expect(merged.info.orientation == 8)
        #expect(merged.white == [65535] && merged.black == [4096] && merged.bits == 16)
        #expect(result.size == (80, 100))
        // The preview is upright as a picture is.
        #expect((result.picture.width, result.picture.height) == (80, 100))
    }

    @Test func saturationAndNoiseBelowBlackSurvive() throws {
        var scene = RawScene()
        scene.brightness = 3
        let bright = try merge(scene.burst(3))
        let raw = try #require(bright.mergedRaw)
        var saturated = 0
        for y in 0..<raw.height {
            for x in 0..<raw.width {
                let colour = Int(scene.pattern[(y & 1) * 2 + (x & 1)])
                guard scene.light(Double(x), Double(y), colour) > 1.2 else { continue }
                saturated += 1
                #expect(raw.planes[0][x, y] == 65535)
            }
        }
        #expect(saturated > 500)
        scene.brightness = 0
        scene.black = 64
        let dark = try #require(try merge(scene.burst(3)).mergedRaw)
        // The file's own black level held less than half a sigma of noise; the merged one holds all.
        #expect(dark.black[0] > 8 * 0.002 * 64000)
        #expect((0..<dark.height).allSatisfy { y in (0..<dark.width).allSatisfy { dark.planes[0][$0, y] > 0 } })
    }

    @Test func lensGainsStayOutOfTheSamples() throws {
        let scene = RawScene()
        var map = RawFrame.GainMap()
        (map.bottom, map.right, map.columns, map.spacingH, map.gains) = (scene.height, scene.width, 2, 1, [1, 2])
        let frames = try scene.burst(4).map { raw in
            RawFrame(
                planes: raw.planes, layout: raw.layout, black: raw.black, blackRows: 1, blackColumns: 1,
                white: raw.white,
                neutral: raw.neutral, calibrations: [], baselineExposure: 0, noise: raw.noise, gainMaps: [map],
                badPixels: [], crop: raw.crop, info: raw.info, name: raw.name, bits: 16, compression: "none", notes: [])
        }
        let merged = try #require(try merge(frames).mergedRaw)
        #expect(merged.gainMaps.count == 1)
        #expect(error(merged, scene, colour: 1).measured < error(frames[0], scene, colour: 1).measured / 2)
    }
}
