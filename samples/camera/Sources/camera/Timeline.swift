import Dispatch
import Nightfuse

/// When what was done, in seconds since the first frame's exposure began.
final class Timeline: @unchecked Sendable {
    // Unchecked: everything that changes is only touched with the lock held.
    private let lock = DispatchSemaphore(value: 1)
    private var start = ContinuousClock.now
    private var merges: [Double] = []
    private var stages: [(stage: FusionStage, end: Double)] = []

    /// The shutter opens.
    func begin() { start = ContinuousClock.now }

    var now: Double {
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }

    /// Sleeps until that time.
    func wait(until time: Double) {
        let left = time - now
        if left > 0 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + left) }
    }

    /// Progress of the session, from its threads.
    func note(_ stage: FusionStage, _ share: Double) {
        guard share == 1 else { return }
        lock.wait()
        if stage == .merge { merges.append(now) } else { stages.append((stage, now)) }
        lock.signal()
    }

    /// Frames merged by that time; the reference counts as one when others follow.
    func merged(by time: Double) -> Int {
        lock.wait()
        defer { lock.signal() }
        let count = merges.filter { $0 <= time }.count
        return count == 0 ? 0 : count + 1
    }

    /// When the last frame was merged, and when the stages after it ended.
    var ends: (merge: Double?, stages: [(stage: FusionStage, end: Double)]) {
        lock.wait()
        defer { lock.signal() }
        return (merges.last, stages.filter { $0.stage != .align })
    }
}
