/// Working memory: `count` samples, not initialised, freed with the object.
///
/// `@safe`, as it allocates what it hands out and how much of it is told to the row. The row must not outlive it.
@safe
@usableFromInline package final class Room<Element: BitwiseCopyable> {
    @usableFromInline package let base: MutableRow<Element>
    private let memory: UnsafeMutablePointer<Element>

    @usableFromInline package init(_ count: Int) {
        unsafe memory = .allocate(capacity: max(count, 1))
        unsafe base = MutableRow(memory, count: count)
    }

    deinit { unsafe memory.deallocate() }
}

/// Working memory of one thread.
package typealias Floats = Room<Float>

/// Calls `body` with working memory of `count` samples, not initialised, which is gone when it returns.
@inlinable
package func withRoom<Element: BitwiseCopyable, Result, Failure: Error>(
    of type: Element.Type, count: Int, _ body: (MutableRow<Element>) throws(Failure) -> Result
) throws(Failure) -> Result {
    try unsafe withUnsafeTemporaryAllocation(of: Element.self, capacity: max(count, 1)) { room throws(Failure) in
        // Never nil: it is not empty.
        try body(unsafe MutableRow(room.baseAddress!, count: count))
    }
}

extension Array where Element: BitwiseCopyable {
    /// Calls `body` with the elements as a row, which must not leave it.
    @inlinable @inline(__always)
    public func withRow<Result, Failure: Error>(
        _ body: (Row<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // An array without elements has no address; nothing of its row may be touched then.
        try unsafe withUnsafeBufferPointer { elements throws(Failure) in
            let start = unsafe elements.baseAddress ?? UnsafePointer(bitPattern: MemoryLayout<Element>.alignment)!
            return try body(unsafe Row(start, count: elements.count))
        }
    }

    /// Calls `body` with the elements as a row that may be written, which must not leave it.
    @inlinable @inline(__always)
    public mutating func withMutableRow<Result, Failure: Error>(
        _ body: (MutableRow<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe withUnsafeMutableBufferPointer { elements throws(Failure) in
            let start =
                unsafe elements.baseAddress ?? UnsafeMutablePointer(bitPattern: MemoryLayout<Element>.alignment)!
            return try body(unsafe MutableRow(start, count: elements.count))
        }
    }
}
