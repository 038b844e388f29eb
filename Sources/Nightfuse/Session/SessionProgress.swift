internal import Dispatch

/// Turns finished row bands into the share of a stage that is done, and tells it: never backwards, never after the end,
/// one call at a time.
final class SessionProgress: BandObserver, @unchecked Sendable {
    // Unchecked: everything that changes is only touched with the lock held.
    private let lock = DispatchSemaphore(value: 1)
    private let cancellation: Cancellation
    private let tell: (@Sendable (FusionStage, Double) -> Void)?
    private var stage: FusionStage?
    private var done = 0
    private var told = 0.0
    private var isClosed = false
    /// Rows that a stage goes over, pyramids and tiles counted, for each row of the picture.
    private var expected: [FusionStage: Int] = [:]
    private var passes: [FusionStage: Double] = [.align: 12, .merge: 9, .denoise: 3, .finish: 6]

    /// A call for every row would cost more than it tells.
    private static let step = 1.0 / 128

    init(cancellation: Cancellation, tell: (@Sendable (FusionStage, Double) -> Void)?) {
        (self.cancellation, self.tell) = (cancellation, tell)
    }

    /// Frames have so many rows: what a first guess of the work is made from.
    func expect(rows: Int) {
        lock.wait()
        defer { lock.signal() }
        for (stage, passes) in passes { expected[stage] = Int(passes * Double(rows)) }
    }

    func begin(_ stage: FusionStage) {
        lock.wait()
        defer { lock.signal() }
        (self.stage, done, told) = (stage, 0, 0)
        call(stage, 0)
    }

    func end(_ stage: FusionStage) {
        lock.wait()
        defer { lock.signal() }
        // The next frame of this size goes over as many rows.
        expected[stage] = done
        self.stage = nil
        call(stage, 1)
    }

    /// Nothing is told any more.
    func close() {
        lock.wait()
        isClosed = true
        lock.signal()
    }

    func bandDone(rows: Int) {
        guard tell != nil else { return }
        lock.wait()
        defer { lock.signal() }
        guard let stage else { return }
        done += rows
        // The end is told when it is reached, whatever was expected.
        let share = min(Double(done) / Double(max(expected[stage] ?? 0, 1)), 1 - Self.step)
        guard share >= told + Self.step else { return }
        told = share
        call(stage, share)
    }

    private func call(_ stage: FusionStage, _ share: Double) {
        guard !isClosed, !cancellation.isCancelled else { return }
        tell?(stage, share)
    }
}
