/// The threads behind ``Workers``: made when first wanted, then kept, waiting for work that costs nothing.
///
/// Whoever has work does it too, so that it is done even where the system gives no thread at all, and where work is
/// given out from within work.
final class WorkerThreads: @unchecked Sendable {
    // Unchecked: `jobs` and `count`, and what changes in a job, are touched with the mutex held only.
    static let shared = WorkerThreads()

    /// Work that several threads do at once, each calling it once.
    private struct Work {
        let call: @Sendable () -> Void
    }

    @safe
    private final class Job {
        /// Alive until the job's owner has seen `active` at 0, after which no thread looks at it.
        let work: UnsafePointer<Work>
        /// Threads that may still join.
        var wanted: Int
        /// Threads at it, the owner aside.
        var active = 0
        init(_ work: UnsafePointer<Work>, wanted: Int) {
            unsafe self.work = work
            self.wanted = wanted
        }
    }

    private let gate = ThreadGate()
    /// Signalled when there is a job, and when a job has lost its last thread.
    private let offered = ThreadGate.Condition()
    private let left = ThreadGate.Condition()
    private var jobs: [Job] = []
    private var count = 0

    /// Calls `work` here and on up to `helpers` further threads at once, and returns when all those calls have.
    func run(helpers: Int, _ work: @Sendable () -> Void) {
        withoutActuallyEscaping(work) { work in
            // The work stays where it is until `finish` has seen every thread leave it.
            unsafe withUnsafePointer(to: Work(call: work)) { pointer in
                let job = unsafe Job(pointer, wanted: helpers)
                offer(job)
                unsafe Self.perform(pointer)
                finish(job)
            }
        }
    }

    private func offer(_ job: Job) {
        gate.lock()
        while count < job.wanted, BackgroundThread.start({ self.serve() }) { count += 1 }
        jobs.append(job)
        if job.wanted == 1 { offered.signal() } else { offered.broadcast() }
        gate.unlock()
    }

    /// Takes the job back, and waits for those that are at it.
    private func finish(_ job: Job) {
        gate.lock()
        jobs.removeAll { $0 === job }
        while job.active > 0 { gate.wait(left) }
        gate.unlock()
    }

    /// The life of a thread.
    private func serve() {
        gate.lock()
        while true {
            guard let job = jobs.first(where: { $0.wanted > 0 }) else {
                gate.wait(offered)
                continue
            }
            job.wanted -= 1
            job.active += 1
            gate.unlock()
            // Joined above, with the lock held: the owner waits.
            unsafe Self.perform(job.work)
            gate.lock()
            job.active -= 1
            if job.active == 0 { left.broadcast() }
        }
    }

    /// Not inlined, so that on return nothing here holds on to the closure, whose owner may end at once.
    @inline(never)
    private static func perform(_ work: UnsafePointer<Work>) { unsafe work.pointee.call() }
}
