public import NightfuseCore

/// Where encoded bytes go.
public protocol ByteSink: AnyObject {
    /// Appends bytes, which are there until this returns.
    ///
    /// - Throws: `.system` where they cannot be kept.
    func write(_ bytes: UnsafeRawBufferPointer) throws(NightfuseError)
}

extension AtomicOutput: ByteSink {}

/// Keeps encoded bytes in memory.
public final class MemorySink: ByteSink {
    /// All that was written.
    public private(set) var bytes: [UInt8] = []

    /// An empty sink.
    public init() {}

    /// Appends the bytes.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(NightfuseError) {
        // The caller's bytes, whole, copied before this returns.
        unsafe self.bytes += bytes
    }
}
