#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A lock, and conditions that are waited for with it held.
///
/// `@safe`: it makes the memory that the system's functions work on, which must stay where it is while they do; it is never
/// freed, as the gate of threads that never end.
@safe
struct ThreadGate {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Something that threads wait for.
    @safe
    struct Condition {
        fileprivate let place: UnsafeMutablePointer<pthread_cond_t>

        init() {
            unsafe place = .allocate(capacity: 1)
            unsafe pthread_cond_init(place, nil)
        }

        /// Wakes one thread.
        func signal() { unsafe pthread_cond_signal(place) }
        /// Wakes all threads.
        func broadcast() { unsafe pthread_cond_broadcast(place) }
    }

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    func lock() { unsafe pthread_mutex_lock(mutex) }
    func unlock() { unsafe pthread_mutex_unlock(mutex) }
    /// Lets go of the lock until the condition is signalled, perhaps longer or for less: look at what was waited for.
    func wait(_ condition: Condition) { unsafe pthread_cond_wait(condition.place, mutex) }
}
