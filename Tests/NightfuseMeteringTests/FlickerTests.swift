import NightfuseMetering
import Testing

/// The mains in the light.
@Suite("Flicker")
struct FlickerTests {
    private func scene(_ hertz: Double, exposure: Double, rate: Double) -> RenderedScene {
        var scene = RenderedScene()
        scene.flickerHz = hertz
        scene.exposure = exposure
        scene.iso = 1600 / 30 / exposure
        scene.framesPerSecond = rate
        scene.camera = RenderedScene.hand(3)
        return scene
    }

    @Test func hundredHertzIsSeenThroughAThirtieth() throws {
        #expect(try scene(100, exposure: 1.0 / 30, rate: 30).reading()?.flickerHz == 100)
    }

    @Test func hundredAndTwentyHertzIsSeenWhereItBeats() throws {
        #expect(try scene(120, exposure: 1.0 / 50, rate: 25).reading()?.flickerHz == 120)
        #expect(try scene(120, exposure: 1.0 / 100, rate: 24.5).reading(count: 20)?.flickerHz == 120)
    }

    @Test func theTwoAreToldApart() throws {
        #expect(try scene(100, exposure: 1.0 / 70, rate: 27).reading(count: 18)?.flickerHz == 100)
        #expect(try scene(120, exposure: 1.0 / 70, rate: 27).reading(count: 18)?.flickerHz == 120)
    }

    @Test func aSteadyLightIsNone() throws {
        #expect(try scene(0, exposure: 1.0 / 70, rate: 27).reading(count: 18)?.flickerHz == 0)
    }

    @Test func wholePeriodsHideIt() throws {
        // A thirtieth spans four periods of 120 hertz: nothing is there to be seen, so nothing is known.
        let reading = try #require(try scene(120, exposure: 1.0 / 30, rate: 30).reading())
        #expect(reading.flickerHz == nil)
    }

    @Test func aFewFramesSayNothing() throws {
        #expect(try scene(100, exposure: 1.0 / 70, rate: 27).reading(count: 3)?.flickerHz == nil)
    }
}
