import Foundation
import Nightfuse
import NightfuseTestSupport
import Testing

/// Preview, plan, shot and fusion of a rendered scene: what the plan expects is what the picture has.
@Suite("What a plan expects")
struct ExpectedResultTests {
    private struct Night {
        /// The scene's light times this is its radiance: the fraction of full scale at ISO 100 in one second.
        var radiance = 1.0
        /// Pixels a second to the right, of the camera; and of a box before the scene, against it.
        var camera = 4.0
        var subject = 0.0
        let device = DeviceLimits()
        let width = 160
        let height = 120

        /// A frame that begins at `time`; without noise where there is no seed.
        func frame(
            _ time: Double, _ seconds: Double, _ iso: Double, seed: UInt64?
        ) throws -> Picture {
            let scene = TestScene(seed: 71, level: 0.12, width: width, height: height)
            let burst = TestBurst(width: width, height: height, scene: scene, noise: device.noise.model(iso: iso))
            let middle = time + seconds / 2
            var shot = TestBurst.shifted(-camera * middle, 0)
            shot.shake = camera * seconds / 2
            shot.exposure = radiance * seconds * iso / 100
            (shot.info.exposureSeconds, shot.info.iso) = (seconds, iso)
            if subject > 0 {
                shot.mover = TestBurst.Mover(
                    scene: TestScene(seed: 72, level: 0.12, width: 44, height: 44), x: 50 + subject * middle, y: 40,
                    width: 44, height: 44)
            }
            return try burst.frame(shot, seed: seed)
        }

        /// Half a second of preview up to time 0, at 1/30 s and an ISO that puts the middle at an eighth of full scale.
        func metered() throws -> SceneReading {
            let iso = min(max(3000 / radiance, 50), 6400)
            let meter = PreviewMeter()
            for i in 0..<15 {
                let picture = try frame(Double(i - 15) / 30, 1.0 / 30, iso, seed: UInt64(500 + i))
                try meter.add(
                    picture,
                    tags: PreviewTags(exposureSeconds: 1.0 / 30, iso: iso, timeSeconds: Double(i) / 30))
            }
            return try #require(meter.reading())
        }

        func plan(within seconds: Double) throws -> CapturePlan {
            try CapturePlanner(device: device).plan(metered(), maxSeconds: seconds)
        }

        func shoot(_ plan: CapturePlan) throws -> [Picture] {
            var time = 0.0
            return try plan.frames.enumerated().map { index, planned in
                defer { time += planned.exposureSeconds + device.frameGapSeconds }
                return try frame(time, planned.exposureSeconds, planned.iso, seed: UInt64(900 + index))
            }
        }
    }

    /// Signal to noise (dB) of the pixels about as bright as the shadows that matter, merged but not denoised.
    private func shadowSNR(_ night: Night, _ plan: CapturePlan) throws -> Double {
        let fused = try Fusing.fuse(try night.shoot(plan), Fusing.options(strength: 0)).picture
        let first = plan.frames[0]
        let truth = try night.frame(0, first.exposureSeconds, first.iso, seed: nil)
        let wanted = plan.scene.shadowRadiance * first.exposureSeconds * first.iso / 100
        let linear = (0...65535).map { TransferFunction.sRGB.linear(Double($0) / 65535) }
        var (signal, square, count) = (0.0, 0.0, 0.0)
        for y in 8..<night.height - 8 {
            for x in 8..<night.width - 8 {
                let light = linear[Int(truth.planes[1][x, y])]
                guard (0.7...1.4) ~= light / wanted else { continue }
                let error = linear[Int(fused.planes[1][x, y])] - light
                signal += light
                square += error * error
                count += 1
            }
        }
        #expect(count > 300, "\(count) pixels are as dark as the shadows")
        return 20 * log10(signal / count / (square / count).squareRoot())
    }

    @Test(arguments: [0.15, 0.5, 2], [2.0, 7])
    func shadowsAreAsCleanAsExpected(_ radiance: Double, _ camera: Double) throws {
        var night = Night()
        (night.radiance, night.camera) = (radiance, camera)
        let plan = try night.plan(within: 1)
        let measured = try shadowSNR(night, plan)
        #expect(abs(measured - plan.expected.shadowSNRdB) < 3, "\(measured), expected \(plan.expected.shadowSNRdB) dB")
    }

    @Test(arguments: [0.0, 25, 70])
    func blurIsAsLongAsExpected(_ subject: Double) throws {
        for camera in [3.0, 9] {
            var night = Night()
            (night.camera, night.subject) = (camera, subject)
            let plan = try night.plan(within: 1)
            let seconds = plan.frames[0].exposureSeconds
            // The subject moves against the scene, which the camera passes the other way.
            let blur = (camera * camera + subject * subject).squareRoot() * seconds
            #expect(abs(plan.expected.blurPx / blur - 1) < 0.3, "\(plan.expected.blurPx), shot with \(blur) px")
        }
    }
}
