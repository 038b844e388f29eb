public import NightfuseCore

/// A file's bytes in memory that is kept for the next file.
public final class FileBlock: Sendable {
    /// Rows of this many bytes: a multiple of a cache line, so that they follow one another without a gap.
    private static let rowBytes = 1 << 20
    private let rows: Plane<UInt8>
    /// Bytes of the file.
    public let count: Int

    /// Room for a file of `capacity` bytes, of which `fill` tells how many there are.
    init(
        capacity: Int, fill: (UnsafeMutableRawPointer, Int) throws(NightfuseError) -> Int
    ) throws(NightfuseError) {
        // In steps of a sixteenth of the size: compressed frames of a burst differ by less.
        let step = (capacity / (16 << 20) + 1) << 20
        let size = (max(capacity, 1) + step - 1) / step * step
        rows = try Plane(width: Self.rowBytes, height: size / Self.rowBytes, isZero: false)
        count = try fill(rows.base, capacity)
    }

    /// Calls `body` with the bytes.
    public func withUnsafeBytes<Value>(
        _ body: (UnsafeRawBufferPointer) throws(NightfuseError) -> Value
    ) throws(NightfuseError) -> Value {
        try withExtendedLifetime(rows) { (rows) throws(NightfuseError) in
            try body(UnsafeRawBufferPointer(start: rows.base, count: count))
        }
    }
}
