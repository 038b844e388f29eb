private import Dispatch

/// Jobs done in order, one at a time, on a thread of the queue's own, while whoever put them goes on.
///
/// A place is taken before a job's data are made and given back when the job is done, so that what waits is bounded.
/// The first job that throws is the last one that runs: its error is thrown to whoever comes next.
public final class WorkQueue: @unchecked Sendable {
    // Unchecked: `failure` is only touched with the lock held.
    private let queue: DispatchQueue
    private let places: DispatchSemaphore
    private let lock = DispatchSemaphore(value: 1)
    private var failure: NightfuseError?

    /// - Parameters:
    ///   - label: name of the thread's queue, for debuggers.
    ///   - waiting: jobs that may wait beside the one being done; at least 0.
    public init(label: String, waiting: Int) {
        queue = DispatchQueue(label: label, qos: .userInitiated)
        // Made with 0 and then raised: a semaphore that is let go below what it was made with ends the process.
        places = DispatchSemaphore(value: 0)
        for _ in 0...max(waiting, 0) { places.signal() }
    }

    /// Waits for a place, makes a job and queues it.
    ///
    /// - Parameter make: called on this thread once there is a place; what it throws is thrown on, and no job is queued.
    /// - Throws: the error of an earlier job.
    public func put(
        _ make: () throws(NightfuseError) -> @Sendable () throws(NightfuseError) -> Void
    ) throws(NightfuseError) {
        places.wait()
        let job: @Sendable () throws(NightfuseError) -> Void
        do throws(NightfuseError) {
            try check()
            job = try make()
        } catch {
            places.signal()
            throw error
        }
        queue.async { [self] in
            run(job)
            places.signal()
        }
    }

    /// Waits until every job is done. Throws the error of the first that failed.
    public func drain() throws(NightfuseError) {
        queue.sync {}
        try check()
    }

    private func run(_ job: () throws(NightfuseError) -> Void) {
        do throws(NightfuseError) {
            try check()
            try job()
        } catch {
            lock.wait()
            if failure == nil { failure = error }
            lock.signal()
        }
    }

    private func check() throws(NightfuseError) {
        lock.wait()
        let failure = failure
        lock.signal()
        if let failure { throw failure }
    }
}
