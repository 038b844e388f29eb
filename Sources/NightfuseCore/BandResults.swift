private import Dispatch

/// A value for each band, put there by whichever thread has done it. Unchecked: every access holds the lock.
package final class BandResults<Value: Sendable>: @unchecked Sendable {
    private var values: [Value]
    private let lock = DispatchSemaphore(value: 1)

    /// `count` bands, each with `value` until another is put.
    package init(_ count: Int, _ value: Value) { values = Array(repeating: value, count: count) }

    package func put(_ index: Int, _ value: Value) {
        lock.wait()
        values[index] = value
        lock.signal()
    }

    /// In the bands' order, so that what is made of them does not depend on the number of threads.
    package var all: [Value] {
        lock.wait()
        defer { lock.signal() }
        return values
    }
}
