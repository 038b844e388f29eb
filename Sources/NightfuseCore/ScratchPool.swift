private import Dispatch

/// Working memory of a loop's threads, kept from one run of the loop to the next: megabytes asked for anew would be
/// pages that the system has to clear, every time.
package final class ScratchPool<Scratch: AnyObject>: @unchecked Sendable {
    // Unchecked: every access holds the lock.
    private let lock = DispatchSemaphore(value: 1)
    private var waiting: [Scratch] = []

    package init() {}

    /// Working memory that goes back to its pool when its holder lets go of it.
    package final class Lease {
        package let scratch: Scratch
        private let pool: ScratchPool

        fileprivate init(_ scratch: Scratch, _ pool: ScratchPool) { (self.scratch, self.pool) = (scratch, pool) }
        deinit { pool.give(scratch) }
    }

    /// What waits, or what `make` gives where nothing does.
    package func take(_ make: () -> Scratch) -> Lease {
        lock.wait()
        let kept = waiting.popLast()
        lock.signal()
        return Lease(kept ?? make(), self)
    }

    /// Frees what waits.
    package func clear() {
        lock.wait()
        waiting = []
        lock.signal()
    }

    private func give(_ scratch: Scratch) {
        lock.wait()
        waiting.append(scratch)
        lock.signal()
    }
}
