private import Dispatch

/// Lets another thread stop the work; asked at every band.
public final class Cancellation: @unchecked Sendable {
    // Unchecked: `flag` is only touched with the lock held.
    private var flag = false
    private let lock = DispatchSemaphore(value: 1)

    public init() {}

    /// Asks the work to stop; it does at its next band, with `NightfuseError.cancelled`.
    public func cancel() {
        lock.wait()
        flag = true
        lock.signal()
    }

    public var isCancelled: Bool {
        lock.wait()
        defer { lock.signal() }
        return flag
    }

    /// Throws `.cancelled` once ``cancel()`` was called.
    public func check() throws(NightfuseError) { if isCancelled { throw .cancelled } }
}
