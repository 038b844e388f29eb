#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

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

    private final class Job {
        /// Alive until the job's owner has seen `active` at 0.
        let work: UnsafePointer<Work>
        /// Threads that may still join.
        var wanted: Int
        /// Threads at it, the owner aside.
        var active = 0
        init(_ work: UnsafePointer<Work>, wanted: Int) { (self.work, self.wanted) = (work, wanted) }
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Signalled when there is a job, and when a job has lost its last thread.
    private let offered, left: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [Job] = []
    private var count = 0

    private init() {
        // Never freed, as the threads are never ended.
        mutex = .allocate(capacity: 1)
        offered = .allocate(capacity: 1)
        left = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(offered, nil)
        pthread_cond_init(left, nil)
    }

    /// Calls `work` here and on up to `helpers` further threads at once, and returns when all those calls have.
    func run(helpers: Int, _ work: @Sendable () -> Void) {
        withoutActuallyEscaping(work) { work in
            withUnsafePointer(to: Work(call: work)) { pointer in
                let job = Job(pointer, wanted: helpers)
                offer(job)
                Self.perform(pointer)
                finish(job)
            }
        }
    }

    private func offer(_ job: Job) {
        pthread_mutex_lock(mutex)
        while count < job.wanted, BackgroundThread.start({ self.serve() }) { count += 1 }
        jobs.append(job)
        if job.wanted == 1 { pthread_cond_signal(offered) } else { pthread_cond_broadcast(offered) }
        pthread_mutex_unlock(mutex)
    }

    /// Takes the job back, and waits for those that are at it.
    private func finish(_ job: Job) {
        pthread_mutex_lock(mutex)
        jobs.removeAll { $0 === job }
        while job.active > 0 { pthread_cond_wait(left, mutex) }
        pthread_mutex_unlock(mutex)
    }

    /// The life of a thread.
    private func serve() {
        pthread_mutex_lock(mutex)
        while true {
            guard let job = jobs.first(where: { $0.wanted > 0 }) else {
                pthread_cond_wait(offered, mutex)
                continue
            }
            job.wanted -= 1
            job.active += 1
            pthread_mutex_unlock(mutex)
            Self.perform(job.work)
            pthread_mutex_lock(mutex)
            job.active -= 1
            if job.active == 0 { pthread_cond_broadcast(left) }
        }
    }

    /// Not inlined, so that on return nothing here holds on to the closure, whose owner may end at once.
    @inline(never)
    private static func perform(_ work: UnsafePointer<Work>) { work.pointee.call() }
}
