import Foundation
import NightfuseMetering
import Testing

/// What moves by itself, against the scene, in pixels of the full frame.
@Suite("Subject motion")
struct SubjectMotionTests {
    private func near(_ measured: Double?, _ truth: Double) -> Bool {
        guard let measured else { return false }
        return abs(measured - truth) <= max(3, 0.2 * truth)
    }

    private func walker(_ speed: Double, angle: Double = 0.4) -> @Sendable (Double) -> (x: Double, y: Double) {
        // Half of the speed in preview pixels; past the middle half way through the preview.
        { t in (speed / 2 * (t - 0.25) * cos(angle), speed / 2 * (t - 0.25) * sin(angle)) }
    }

    @Test(arguments: [10.0, 25, 60, 130, 240], [1.0, 0.15])
    func speedIsRightFromTheHand(_ speed: Double, _ white: Double) throws {
        var scene = RenderedScene()
        scene.white = white
        scene.iso = min(6400, 1600 / white)
        scene.camera = RenderedScene.hand(4)
        scene.subject = walker(speed, angle: speed)
        let reading = try #require(try scene.reading())
        #expect(near(reading.subjectMotion, speed), "\(reading.subjectMotion ?? -1) for \(speed)")
        // A disc of radius 30 in 192 x 144 covers a tenth.
        #expect(0.03...0.2 ~= reading.subjectFraction, "\(reading.subjectFraction)")
        #expect(reading.subjectWeight > reading.subjectFraction)
        #expect(near(reading.subjectSpeedQuantiles[1], speed))
        #expect(!reading.steady)
    }

    @Test(arguments: [0.0, 4, 15], [2.0, 0.2, 0.04])
    func aStillSceneHasNoSubject(_ camera: Double, _ white: Double) throws {
        var scene = RenderedScene()
        scene.white = white
        scene.iso = min(6400, 1600 / white)
        scene.camera = RenderedScene.hand(camera, seed: 21)
        let reading = try #require(try scene.reading(count: 24))
        #expect((reading.subjectMotion ?? 9) < 2, "\(reading.subjectMotion ?? -1)")
    }

    @Test func flickerIsNoMotion() throws {
        var scene = RenderedScene()
        scene.flickerHz = 100
        scene.flickerDepth = 0.6
        scene.camera = RenderedScene.hand(3)
        let reading = try #require(try scene.reading())
        #expect((reading.subjectMotion ?? 9) < 2)
        #expect(near(reading.cameraMotion, 6))
    }

    @Test func aSubjectThatSpeedsUpIsFasterAhead() throws {
        var scene = RenderedScene()
        scene.white = 2
        scene.iso = 800
        // 20 px/s at first, 80 at the end of half a second (full frame).
        scene.subject = { t in (10 * t + 30 * t * t, 0) }
        let reading = try #require(try scene.reading())
        #expect(reading.subjectMotionAhead > 1.1 * (try #require(reading.subjectMotion)))
        scene.subject = walker(50)
        let even = try #require(try scene.reading())
        #expect(abs(even.subjectMotionAhead / (try #require(even.subjectMotion)) - 1) < 0.05)
    }

    @Test func twoLooksAtTheSameGiveTheSame() throws {
        var scene = RenderedScene()
        scene.camera = RenderedScene.hand(5)
        scene.subject = walker(60)
        let first = try scene.reading()
        #expect(try scene.reading() == first)
    }
}
