import NightfuseMetering
import Testing

/// The camera's own motion, in pixels of the full frame (twice the preview's).
@Suite("Camera motion")
struct CameraMotionTests {
    /// Within 20 % or 3 px/s, whichever is larger.
    private func near(_ measured: Double?, _ truth: Double) -> Bool {
        guard let measured else { return false }
        return abs(measured - truth) <= max(3, 0.2 * truth)
    }

    @Test(arguments: [0.0, 3, 8, 20, 40, 90], [2.0, 0.2, 0.04])
    func speedIsRightAtEveryLight(_ speed: Double, _ white: Double) throws {
        var scene = RenderedScene()
        scene.white = white
        scene.iso = min(6400, 1600 / white)
        scene.camera = RenderedScene.hand(speed / 2, seed: UInt64(speed) + 5)
        let truth = 2 * RenderedScene.rms(scene.camera, from: 0, to: 14.0 / 30)
        let reading = try #require(try scene.reading())
        #expect(near(reading.cameraMotion, truth), "\(reading.cameraMotion ?? -1) for \(truth)")
        #expect(reading.steady == (speed == 0))
    }

    @Test func aTripodIsSteadyHoweverNoisy() throws {
        for white in [1.0, 0.1, 0.03] {
            var scene = RenderedScene()
            scene.white = white
            scene.iso = min(6400, 1600 / white)
            let reading = try #require(try scene.reading())
            #expect(reading.steady, "white \(white): \(reading.cameraMotion ?? -1) px/s")
            #expect(reading.subjectMotion == 0)
        }
    }

    @Test func aWalkerBeforeATripodLeavesItSteady() throws {
        var scene = RenderedScene()
        scene.subject = { t in (30 * t - 10, 0) }
        let reading = try #require(try scene.reading())
        #expect(reading.steady)
        #expect(near(reading.subjectMotion, 60))
    }

    @Test func rollIsMeasured() throws {
        for degrees in [3.0, 10] {
            var scene = RenderedScene()
            let rate = degrees * 3.141592653589793 / 180
            scene.camera = { t in (0, 0, rate * (t - 0.25)) }
            let reading = try #require(try scene.reading())
            #expect(abs(reading.rollDegreesPerSecond - degrees) < 0.1 * degrees + 0.2)
            // As a speed it is the rms over the frame: rate x sqrt((w^2 + h^2) / 12).
            let truth = rate * (384.0 * 384 + 288 * 288).squareRoot() / 12.0.squareRoot()
            #expect(near(reading.cameraMotion, truth), "\(reading.cameraMotion ?? -1) for \(truth)")
        }
    }

    @Test func aPanIsFollowedAcrossManyFrames() throws {
        var scene = RenderedScene()
        scene.camera = { t in (60 * t, -25 * t, 0) }
        let reading = try #require(try scene.reading(count: 30))
        #expect(near(reading.cameraMotion, 130), "\(reading.cameraMotion ?? -1)")
        #expect(reading.cameraMotionSpread < 5)
        #expect(reading.subjectMotion == 0)
    }

    @Test func theOldIsForgotten() throws {
        var scene = RenderedScene()
        // Shaken for half a second, then put down.
        scene.camera = { t in t < 0.5 ? RenderedScene.hand(25)(t) : RenderedScene.hand(25)(0.5) }
        let meter = PreviewMeter(frameWidth: 384, frameHeight: 288)
        try scene.feed(meter, count: 15)
        #expect(try #require(meter.reading()).cameraMotion ?? 0 > 25)
        try scene.feed(meter, count: 36, start: 0.5)
        let later = try #require(meter.reading())
        #expect(later.steady, "\(later.cameraMotion ?? -1)")
    }

    @Test func autoExposureAtWorkIsNoMotion() throws {
        let meter = PreviewMeter(frameWidth: 384, frameHeight: 288)
        var scene = RenderedScene()
        for i in 0..<15 {
            // ISO and exposure time change from frame to frame, by a stop in all.
            scene.iso = 1600 * (1 + Double(i) / 15)
            scene.exposure = i % 2 == 0 ? 1.0 / 30 : 1.0 / 40
            try scene.feed(meter, count: 1, start: Double(i) / 30)
        }
        let reading = try #require(meter.reading())
        #expect(reading.steady, "\(reading.cameraMotion ?? -1)")
        #expect(reading.subjectMotion ?? 9 < 2)
    }

    @Test func aGyroscopeStandsInForThePicture() throws {
        var scene = RenderedScene()
        scene.camera = RenderedScene.hand(20)
        let meter = PreviewMeter(frameWidth: 4000, frameHeight: 3000, focalLength: 0.75)
        try scene.feed(meter)
        for i in 0...100 {
            let t = Double(i) / 200
            try meter.add(GyroscopeSample(timeSeconds: t, x: 0.003, y: -0.004, z: 0))
        }
        // 0.005 radians a second x 0.75 x 4000 pixels.
        #expect(abs((try #require(meter.reading()).cameraMotion ?? 0) - 15) < 0.01)
        // Roll alone: rate x sqrt((w^2 + h^2) / 12).
        let rolling = PreviewMeter(frameWidth: 4000, frameHeight: 3000)
        try scene.feed(rolling)
        for i in 0...100 { try rolling.add(GyroscopeSample(timeSeconds: Double(i) / 200, x: 0, y: 0, z: 0.01)) }
        let reading = try #require(rolling.reading())
        #expect(abs((reading.cameraMotion ?? 0) - 0.01 * 5000 / 12.0.squareRoot()) < 0.01)
        #expect(abs(reading.rollDegreesPerSecond - 0.573) < 0.001)
    }

    @Test func aGyroscopeThatFellSilentIsNotBelieved() throws {
        let meter = PreviewMeter(frameWidth: 384, frameHeight: 288)
        for i in 0...20 { try meter.add(GyroscopeSample(timeSeconds: Double(i) / 200 - 1, x: 1, y: 1, z: 1)) }
        try RenderedScene().feed(meter)
        #expect(try #require(meter.reading()).steady)
    }
}
