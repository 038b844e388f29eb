import Foundation
import NightfuseMetering
import Testing

/// Radiance, shadows, highlights, night.
@Suite("Light")
struct LightTests {
    @Test(arguments: [0.03, 0.3, 3])
    func luminanceComesFromExposureAndISO(_ white: Double) throws {
        var means: [Double] = []
        for (exposure, iso) in [(1.0 / 30, min(6400, 1000 / white)), (1.0 / 60, min(6400, 1500 / white))] {
            var scene = RenderedScene()
            scene.white = white
            (scene.exposure, scene.iso) = (exposure, iso)
            means.append(try #require(try scene.reading(count: 8)).meanLuminance)
        }
        // The texture's mean is about 0.47 of white, whatever the preview's exposure.
        #expect(abs(means[0] / means[1] - 1) < 0.05, "\(means)")
        #expect(abs(means[0] / white - 0.47) < 0.08, "\(means[0] / white)")
    }

    @Test(arguments: [2.0, 4, 6])
    func shadowsLieAsDeepAsTheShade(_ shade: Double) throws {
        var scene = RenderedScene()
        scene.white = 2
        scene.iso = 1200
        let open = try #require(try scene.reading()).shadowDepthEV
        scene.shadeEV = shade
        let deep = try #require(try scene.reading()).shadowDepthEV
        // From the middle of what is lit to the dark end of what is not; over all of an open scene it is a little more.
        #expect(abs(deep - open - shade) < 1.3, "\(deep) after \(open)")
    }

    @Test func blackThatHoldsNothingDoesNotCount() throws {
        var scene = RenderedScene()
        scene.white = 2
        scene.iso = 1200
        let open = try #require(try scene.reading()).shadowDepthEV
        scene.shadeEV = 30
        let black = try #require(try scene.reading()).shadowDepthEV
        // The ramp at the border is all that is darker.
        #expect(black < open + 2.5, "\(black) after \(open)")
    }

    @Test func noiseCutOffAtBlackDoesNotLiftTheShadows() throws {
        var scene = RenderedScene()
        scene.white = 0.05
        scene.iso = 6400
        scene.shadeEV = 2
        let reading = try #require(try scene.reading(count: 20))
        // The darkest third lies in the shade: about 0.4 of white, two stops down.
        let share = (0..<RadianceHistogram.count).filter { RadianceHistogram.radiance($0) < 0.05 * 0.16 }
            .reduce(0) { $0 + reading.radiance.shares[$1] }
        #expect(0.3...0.55 ~= share, "\(share)")
    }

    @Test func sharesSumToOne() throws {
        let reading = try #require(try RenderedScene().reading(count: 5))
        #expect(abs(reading.radiance.shares.reduce(0, +) - 1) < 1e-6)
        #expect(abs(reading.peaks.shares.reduce(0, +) - 1) < 1e-6)
    }

    @Test func clippedLampsAreCounted() throws {
        var scene = RenderedScene()
        scene.lamp = 40
        let reading = try #require(try scene.reading())
        // 6 x 6 of 192 x 144 pixels.
        #expect(abs(reading.clippedFraction - 36.0 / (192 * 144)) < 4e-4, "\(reading.clippedFraction)")
        // Never seen with less exposure: how bright they are cannot be known.
        #expect(reading.highlightHeadroomEV == nil)
        #expect(try #require(try RenderedScene().reading()).highlightHeadroomEV == 0)
    }

    @Test func shorterExposuresTellHowBrightALampIs() throws {
        var scene = RenderedScene()
        scene.lamp = 8
        let meter = PreviewMeter()
        for i in 0..<16 {
            // Full scale at the long exposure: 1 / (1/30 x 16) of radiance; the short one sees the lamp whole.
            scene.exposure = i < 8 ? 1.0 / 480 : 1.0 / 30
            try scene.feed(meter, count: 1, start: Double(i) / 30)
        }
        let headroom = try #require(meter.reading()).highlightHeadroomEV
        // Lamp 8, full scale 1 / (16 / 30) = 1.875: log2(8 / 1.875) = 2.1.
        #expect(abs((headroom ?? -9) - 2.1) < 0.4, "\(headroom ?? -9)")
    }

    @Test func nightGoesOnOnceAndOffOnceOverASlowRamp() throws {
        let meter = PreviewMeter()
        var changes: [Bool] = []
        var last: Bool?
        var time = 0.0
        func look(_ white: Double) throws {
            var scene = RenderedScene()
            scene.width = 48
            scene.height = 48
            scene.white = white
            scene.exposure = 1.0 / 60
            scene.iso = max(50, min(6400, 3000 / white))
            try scene.feed(meter, count: 1, start: time)
            time += 0.1
            guard let night = meter.reading()?.nightMode else { return }
            if night != last { changes.append(night) }
            last = night
        }
        // Down by 5 stops from day, and up again, in steps of a fifteenth of a stop with noise on them.
        let steps = 75
        for i in 0...steps { try look(20 * exp2(-5 * Double(i) / Double(steps) + 0.04 * sin(Double(i) * 7))) }
        for i in 0...steps { try look(20 * exp2(-5 + 5 * Double(i) / Double(steps) + 0.04 * sin(Double(i) * 7))) }
        #expect(changes == [false, true, false])
    }
}
