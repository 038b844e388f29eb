private import Dispatch

/// Jobs done in order, one at a time, on a thread of the queue's own, while whoever put them goes on. Where the system
/// has no thread to give, they are done as they are put.
///
/// A place is taken before a job's data are made and given back when the job is done, so that what waits is bounded.
/// The first job that throws is the last one that runs: its error is thrown to whoever comes next.
public final class WorkQueue: @unchecked Sendable {
    // Unchecked: what changes is only touched with the lock held.
    private let places: DispatchSemaphore
    private let lock = DispatchSemaphore(value: 1)
    private var failure: NightfuseError?
    private var jobs: [Job] = []
    /// There while there are jobs.
    private var hasThread = false
    private var waiters: [DispatchSemaphore] = []

    private typealias Job = @Sendable () throws(NightfuseError) -> Void

    /// - Parameter waiting: jobs that may wait beside the one being done; at least 0.
    public init(waiting: Int) {
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
        lock.wait()
        jobs.append(job)
        if !hasThread { hasThread = BackgroundThread.start { [self] in serve() } }
        let isServed = hasThread
        lock.signal()
        if !isServed { serve() }
    }

    /// Waits until every job is done. Throws the error of the first that failed.
    public func drain() throws(NightfuseError) {
        lock.wait()
        let done = DispatchSemaphore(value: 0)
        if hasThread { waiters.append(done) } else { done.signal() }
        lock.signal()
        done.wait()
        try check()
    }

    /// Does jobs until there are none.
    private func serve() {
        while let job = next() {
            run(job)
            places.signal()
        }
    }

    private func next() -> Job? {
        lock.wait()
        defer { lock.signal() }
        if !jobs.isEmpty { return jobs.removeFirst() }
        hasThread = false
        for waiter in waiters { waiter.signal() }
        waiters = []
        return nil
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
