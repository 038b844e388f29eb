private import Dispatch

/// Lets another thread stop the work; asked at every band.
public final class Cancellation: @unchecked Sendable {
    // Unchecked: `flag` is only touched with the lock held.
    private var flag = false
    private let lock = DispatchSemaphore(value: 1)
    private let other: Cancellation?

    /// - Parameter other: one that cancels this one too; nil: none does.
    public init(following other: Cancellation? = nil) { self.other = other }

    /// Asks the work to stop; it does at its next band, with `NightfuseError.cancelled`. From any thread.
    public func cancel() {
        lock.wait()
        flag = true
        lock.signal()
    }

    /// Whether ``cancel()`` was called, here or on the one that is followed.
    public var isCancelled: Bool {
        lock.wait()
        let flag = flag
        lock.signal()
        return flag || other?.isCancelled ?? false
    }

    /// Throws `.cancelled` once ``cancel()`` was called.
    public func check() throws(NightfuseError) { if isCancelled { throw .cancelled } }
}

/// Told of row bands as they are done, by whichever thread did them.
public protocol BandObserver: AnyObject, Sendable {
    /// A band of so many rows is done.
    func bandDone(rows: Int)
}
