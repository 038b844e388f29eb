import Foundation
import NightfuseMetering
import Testing

/// A small change of the scene makes a small change of the plan, and no plan goes back and forth.
@Suite("Plans change gently")
struct PlannerContinuityTests {
    /// A sweep through scenes that lie 1/12 of an octave (or stop) apart.
    private func sweep(_ octaves: Double, _ change: (inout ReadScene, Double) -> Void) throws -> [CapturePlan] {
        let planner = try CapturePlanner(device: DeviceLimits())
        return try (0...Int(octaves * 12)).map { step in
            var scene = ReadScene()
            change(&scene, Double(step) / 12)
            return try planner.plan(scene.reading, maxSeconds: 2)
        }
    }

    private func check(_ plans: [CapturePlan], sourceLocation: SourceLocation = #_sourceLocation) {
        let isBracket = plans.map { plan in plan.frames.contains { $0.role == .long } }
        #expect(zip(isBracket, isBracket.dropFirst()).count { $0 != $1 } <= 1, sourceLocation: sourceLocation)
        let kinds: [(String, (CapturePlan) -> Double)] = [
            ("base", { $0.frames[0].exposureSeconds }), ("time", { $0.fusionTimeSeconds }),
        ]
        for (name, value) in kinds {
            let stops = plans.map { log2(value($0)) }
            var (up, down) = (0.0, 0.0)
            for i in 1..<stops.count where isBracket[i] == isBracket[i - 1] {
                let step = stops[i] - stops[i - 1]
                #expect(
                    abs(step) < 0.4, "\(name) \(i): \(value(plans[i - 1])) then \(value(plans[i]))",
                    sourceLocation: sourceLocation)
                up += max(step, 0)
                down += max(-step, 0)
            }
            #expect(min(up, down) < 0.4, "\(name): \(up) stops up, \(down) down", sourceLocation: sourceLocation)
        }
    }

    @Test(arguments: [0.0, 40])
    func overLight(_ subject: Double) throws {
        check(try sweep(10) { ($0.white, $0.subject) = (20 * exp2(-$1), subject) })
    }

    @Test(arguments: [0.02, 0.05, 0.4, 1, 2])
    func overTheSubjectsSpeed(_ white: Double) throws {
        check(try sweep(7) { ($0.white, $0.subject) = (white, 2 * exp2($1)) })
    }

    @Test(arguments: [0.05, 0.4, 2])
    func overTheCamerasSpeed(_ white: Double) throws {
        check(try sweep(6) { ($0.white, $0.camera) = (white, exp2($1)) })
    }

    @Test(arguments: [0.0, 60])
    func overShade(_ subject: Double) throws {
        check(try sweep(6) { ($0.white, $0.subject, $0.shadeEV) = (0.6, subject, $1) })
    }

    @Test func overTheSubjectsSize() throws {
        check(try sweep(8) { ($0.subject, $0.subjectShare) = (60, 0.001 * exp2($1)) })
    }
}
