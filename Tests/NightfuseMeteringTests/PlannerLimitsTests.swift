import NightfuseCore
import NightfuseMetering
import Testing

/// What a plan must keep to, whatever the scene.
@Suite("Plans keep the limits")
struct PlannerLimitsTests {
    private static let tight: DeviceLimits = {
        var device = DeviceLimits()
        (device.minExposureSeconds, device.maxExposureSeconds, device.handheldExposureSeconds) = (0.002, 0.5, 0.1)
        (device.minISO, device.maxISO, device.maxFrames, device.frameGapSeconds) = (100, 1600, 6, 0.02)
        return device
    }()

    private static let scenes: [ReadScene] = [0.003, 0.05, 0.5, 4, 60].flatMap { white in
        [0.0, 5, 40].flatMap { camera in
            [0.0, 20, 200].flatMap { subject in
                [0.0, 5].map { shade in
                    var scene = ReadScene()
                    (scene.white, scene.camera, scene.subject, scene.shadeEV) = (white, camera, subject, shade)
                    scene.clipped = shade > 0 ? 0.002 : 0
                    scene.steady = camera == 0
                    return scene
                }
            }
        }
    }

    private func check(_ plan: CapturePlan, _ device: DeviceLimits, cap: Double, allowed: Double) {
        let frames = plan.frames
        #expect(1...device.maxFrames ~= frames.count)
        for frame in frames {
            #expect(device.minExposureSeconds...cap ~= frame.exposureSeconds, "\(frame)")
            #expect(device.minISO...device.maxISO ~= frame.iso, "\(frame)")
        }
        let total =
            frames.reduce(0) { $0 + $1.exposureSeconds } + Double(frames.count - 1) * device.frameGapSeconds
        #expect(total <= allowed + 1e-9, "\(total) of \(allowed)")
        #expect(abs(plan.fusionTimeSeconds - total) < 1e-9)
    }

    @Test(arguments: [nil, 0.05, 0.5, 2, 9])
    func everyLimitIsKeptExactly(_ asked: Double?) throws {
        for device in [DeviceLimits(), Self.tight] {
            let planner = try CapturePlanner(device: device)
            for scene in Self.scenes {
                let plan = try planner.plan(scene.reading, maxSeconds: asked)
                let allowed = scene.steady ? asked ?? 10 : min(asked ?? 3, 6)
                check(
                    plan, device, cap: scene.steady ? device.maxExposureSeconds : device.handheldExposureSeconds,
                    allowed: allowed)
            }
        }
    }

    @Test func theFirstFrameIsABaseFrameAndEveryLongOneHasOneBesideIt() throws {
        let planner = try CapturePlanner(device: DeviceLimits())
        var brackets = 0
        for scene in Self.scenes {
            let frames = try planner.plan(scene.reading, maxSeconds: 2.5).frames
            #expect(frames[0].role == .base)
            let base = frames.filter { $0.role == .base }
            let long = frames.filter { $0.role == .long }
            for frame in long { #expect(frame.exposureSeconds > base[0].exposureSeconds) }
            for frame in frames where frame.role == .short {
                #expect(frame.exposureSeconds < base[0].exposureSeconds)
            }
            guard !long.isEmpty, base.count * 2 > long.count else { continue }
            brackets += 1
            for i in frames.indices where frames[i].role == .long {
                let beside = [i - 1, i + 1].contains { frames.indices.contains($0) && frames[$0].role == .base }
                #expect(beside, "frame \(i) of \(frames.map(\.role))")
            }
        }
        #expect(brackets > 0)
    }

    @Test func theHandholdsNoLongerThanItsCapAndATripodDoes() throws {
        var scene = ReadScene()
        (scene.white, scene.camera) = (0.01, 1)
        let planner = try CapturePlanner(device: DeviceLimits())
        let hand = try planner.plan(scene.reading, steady: .no)
        #expect(hand.frames.allSatisfy { $0.exposureSeconds <= 0.333 } && hand.fusionTimeSeconds <= 3)
        let tripod = try planner.plan(scene.reading, steady: .yes)
        #expect(tripod.frames.contains { $0.exposureSeconds > 0.333 } && tripod.fusionTimeSeconds <= 10)
        #expect(try planner.plan(scene.reading, maxSeconds: 20, steady: .no).fusionTimeSeconds <= 6)
    }

    @Test func noTimeIsAnError() throws {
        let planner = try CapturePlanner(device: DeviceLimits())
        for seconds in [0, -1, Double.nan, .infinity, 1e-5] {
            #expect(throws: NightfuseError.self) { try planner.plan(ReadScene().reading, maxSeconds: seconds) }
        }
    }

    @Test(arguments: [100, 120])
    func exposuresThatSpanAFlickersPeriodAreWholeMultiplesOfIt(_ hertz: Int) throws {
        let planner = try CapturePlanner(device: DeviceLimits())
        var spanning = 0
        for scene in Self.scenes {
            var flickering = scene
            flickering.flickerHz = hertz
            for frame in try planner.plan(flickering.reading, maxSeconds: 2).frames where frame.role != .short {
                let periods = frame.exposureSeconds * Double(hertz)
                guard periods > 1 else { continue }
                spanning += 1
                // Exposures are told in microseconds.
                #expect(abs(periods - periods.rounded()) < 2e-6 * Double(hertz), "\(frame) at \(hertz) Hz")
            }
        }
        #expect(spanning > 100)
    }

    @Test func onePreviewAloneIsPlannedForAHandAndSomeoneWhoWalks() throws {
        var scene = ReadScene()
        scene.camera = nil
        let plan = try CapturePlanner(device: DeviceLimits()).plan(scene.reading)
        // A walk of 32 px/s in 640 pixels' width.
        #expect(plan.frames.allSatisfy { $0.role != .base || $0.exposureSeconds * 32 < 4 })
        #expect(plan.because.contains { $0.contains("one preview frame only") })
    }

    @Test func aPlanLongerThanTheBracketIsCutIntoLikeParts() throws {
        var scene = ReadScene()
        scene.white = 0.05
        let plan = try CapturePlanner(device: DeviceLimits()).plan(scene.reading)
        for size in 1...plan.frames.count + 1 {
            let parts = plan.brackets(of: size)
            #expect(parts.allSatisfy { 1...size ~= $0.count })
            #expect(parts.flatMap { Array($0) } == Array(plan.frames.indices))
            let counts = parts.map(\.count)
            #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1)
        }
    }
}
