#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A thread of our own.
///
/// Not Dispatch's: where the system refuses it a thread (`ulimit -v`, `ulimit -u`, a full container), libdispatch waits
/// and tries again for ever. Here the caller is told, and does the work itself.
package enum BackgroundThread {
    /// Bytes of a thread's stack. Loops over pixels keep their buffers elsewhere; libpng and libjpeg use some tens of KiB,
    /// sanitised builds a few times that. The usual 8 MiB would be refused sooner where address space is short.
    private static let stackBytes = 2 << 20

    /// What a thread is to do, on its way to it.
    private final class Task: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that calls `body` and ends; false where the system has none to give.
    ///
    /// It takes no signals: those belong to the program's own threads.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        // The system's functions want memory that stays where it is: allocated here, freed on every way out.
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        guard unsafe pthread_attr_init(attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(attributes) }
        unsafe pthread_attr_setstacksize(attributes, stackBytes)
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        // All signals, and those that were blocked before.
        let signals = UnsafeMutablePointer<sigset_t>.allocate(capacity: 2)
        defer { unsafe signals.deallocate() }
        unsafe sigfillset(signals)
        // A thread inherits the mask of the one that makes it.
        unsafe pthread_sigmask(SIG_BLOCK, signals, signals + 1)
        defer { unsafe pthread_sigmask(SIG_SETMASK, signals + 1, nil) }
        // Held by the thread from here on, or let go of below where there is none.
        let task = unsafe Unmanaged.passRetained(Task(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let made = unsafe pthread_create(&thread, attributes, { unsafe BackgroundThread.run($0) }, task.toOpaque())
        #else
            var thread = pthread_t()
            let made = unsafe pthread_create(
                &thread, attributes, { unsafe $0.flatMap { unsafe BackgroundThread.run($0) } }, task.toOpaque())
        #endif
        if made != 0 { unsafe task.release() }
        return made == 0
    }

    private static func run(_ task: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        // What `start` passed, once.
        unsafe Unmanaged<Task>.fromOpaque(task).takeRetainedValue().body()
        return nil
    }
}
