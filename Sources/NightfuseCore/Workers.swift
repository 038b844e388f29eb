private import Dispatch

/// The one place where work is spread over threads: disjoint row bands, the same bands whatever the thread count,
/// so that results do not depend on it.
public struct Workers: Sendable {
    /// Threads used at most, at least 1. Where the system gives fewer, the work is done by those there are.
    public let threads: Int

    /// Asked before every band.
    public let cancellation: Cancellation?

    /// Told after every band.
    public let observer: (any BandObserver)?

    /// - Parameters:
    ///   - threads: most threads used at once; less than 1 counts as 1.
    ///   - cancellation: asked before every band; nil: the work cannot be cancelled.
    ///   - observer: told after every band.
    public init(threads: Int, cancellation: Cancellation? = nil, observer: (any BandObserver)? = nil) {
        self.threads = max(1, threads)
        self.cancellation = cancellation
        self.observer = observer
    }

    /// Calls `body` once for every band of at most `grain` rows of `0 ..< rows`, on up to `threads` threads, and
    /// returns when all are done. Bands are numbered from 0, top to bottom, and depend only on `rows` and `grain`.
    ///
    /// - Throws: the error of the lowest-numbered band that threw, or `.cancelled`; later bands may then not have run.
    public func bands(
        _ rows: Int, grain: Int, _ body: @Sendable (_ band: Int, _ rows: Range<Int>) throws(NightfuseError) -> Void
    ) throws(NightfuseError) {
        try bands(rows, grain: grain, scratch: {}) { (_, band, rows) throws(NightfuseError) in try body(band, rows) }
    }

    /// The same with working memory: `scratch` is called once for each thread that takes part, and what it gives is
    /// handed to every band of that thread. A band must not count on what another left there.
    public func bands<Scratch>(
        _ rows: Int, grain: Int, scratch: @Sendable () -> Scratch,
        _ body: @Sendable (_ scratch: Scratch, _ band: Int, _ rows: Range<Int>) throws(NightfuseError) -> Void
    ) throws(NightfuseError) {
        let count = (rows + grain - 1) / grain
        guard count > 0 else { return }
        if threads == 1 || count == 1 {
            let own = scratch()
            for band in 0..<count {
                try cancellation?.check()
                let range = band * grain..<min((band + 1) * grain, rows)
                try body(own, band, range)
                ScratchPlanes.letGo()
                observer?.bandDone(rows: range.count)
            }
            return
        }
        let failures = Failures()
        let next = BandCounter()
        WorkerThreads.shared.run(helpers: min(threads, count) - 1) {
            let own = scratch()
            while true {
                let band = next.take()
                guard band < count, !failures.any else { return }
                do throws(NightfuseError) {
                    try cancellation?.check()
                    let range = band * grain..<min((band + 1) * grain, rows)
                    try body(own, band, range)
                    ScratchPlanes.letGo()
                    observer?.bandDone(rows: range.count)
                } catch {
                    failures.note(band, error)
                }
            }
        }
        if let first = failures.first { throw first }
    }

    /// What `body` gives for every index of `0 ..< count`, in order.
    public func map<Value: Sendable>(
        _ count: Int, _ body: @Sendable (Int) throws(NightfuseError) -> Value
    ) throws(NightfuseError) -> [Value] {
        let results = BandResults<Value?>(count, nil)
        try each(count) { index throws(NightfuseError) in results.put(index, try body(index)) }
        return results.all.compactMap(\.self)
    }

    /// Calls `body` for every index of `0 ..< count`, as ``bands(_:grain:_:)`` with bands of one row.
    public func each(_ count: Int, _ body: @Sendable (Int) throws(NightfuseError) -> Void) throws(NightfuseError) {
        try bands(count, grain: 1) { (band, _) throws(NightfuseError) in try body(band) }
    }
}

/// Hands out 0, 1, 2, ... to whoever asks. Unchecked: every access holds the lock.
private final class BandCounter: @unchecked Sendable {
    private var value = 0
    private let lock = DispatchSemaphore(value: 1)
    func take() -> Int {
        lock.wait()
        defer { lock.signal() }
        value += 1
        return value - 1
    }
}

/// Remembers the error of the lowest band. Unchecked: every access holds the lock.
private final class Failures: @unchecked Sendable {
    private var band = Int.max
    private var error: NightfuseError?
    private let lock = DispatchSemaphore(value: 1)
    func note(_ band: Int, _ error: NightfuseError) {
        lock.wait()
        defer { lock.signal() }
        if band < self.band { (self.band, self.error) = (band, error) }
    }
    var any: Bool { first != nil }
    var first: NightfuseError? {
        lock.wait()
        defer { lock.signal() }
        return error
    }
}
