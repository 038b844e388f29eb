#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A rectangle of samples of one kind, rows top to bottom: the only thing here that allocates pixels.
///
/// `stride` counts samples, is at least `width`, and is a multiple of 64 bytes, so that every row starts on a
/// cache line. At least 64 bytes may be read (not used) past the end of every row, the last one included.
///
/// A plane may be handed to several threads; whoever writes owns the rows it writes (see ``Workers``).
public final class Plane<Element: BitwiseCopyable & Sendable>: @unchecked Sendable {
    // Unchecked because of `base`: memory that this object owns from init to deinit. Rows are written by one band
    // at a time and read only after that band's loop has returned.
    /// Samples in a row.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Samples from one row to the next.
    public let stride: Int
    /// The first sample of the first row, and all that follow.
    public let base: MutableRow<Element>

    private let bytes: Int

    /// A plane of `width` x `height` samples.
    ///
    /// - Parameter isZero: whether all bits are to be zero; else what is in it is not known, and every sample must be
    ///   written before it is read.
    /// - Throws: `NightfuseError.limit` when the size overflows or the system has no memory for it.
    public init(width: Int, height: Int, isZero: Bool = true) throws(NightfuseError) {
        guard width > 0, height > 0, width < 1 << 28, height < 1 << 28 else {
            throw .limit("a plane of \(width) x \(height) samples cannot be made")
        }
        let size = MemoryLayout<Element>.stride
        let rowBytes = (width * size + 63) & ~63
        let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: height)
        guard !overflow, bytes < Int.max - 64 else {
            throw .limit("a plane of \(width) x \(height) samples cannot be made")
        }
        guard let (memory, wasZero) = unsafe PlaneMemory.take(bytes + 64) else {
            let missing = ScratchPlanes.isOn ? "no room on the disk" : "no memory"
            throw .limit("\(missing) for a plane of \(width) x \(height) samples (\(bytes >> 20) MiB)")
        }
        // Memory of `bytes + 64` bytes that is this object's from here on.
        if isZero && !wasZero { unsafe memset(memory, 0, bytes + 64) }
        self.bytes = bytes + 64
        self.width = width
        self.height = height
        self.stride = rowBytes / size
        let start = unsafe memory.bindMemory(to: Element.self, capacity: bytes / size)
        self.base = unsafe MutableRow(start, count: (bytes + 64) / size)
    }

    deinit { unsafe PlaneMemory.give(base.pointer(bytes / MemoryLayout<Element>.stride), bytes) }

    /// Returns the memory that other planes of this size left behind to the system.
    package func releaseOthers() { PlaneMemory.clear(only: bytes) }

    /// Row `y`, which must be in `0 ..< height`, to be read: up to 64 bytes past its `width` samples.
    @inlinable @inline(__always)
    public func row(_ y: Int) -> Row<Element> {
        #if DEBUG || NIGHTFUSE_CHECKED
            precondition(y >= 0 && y < height, "row \(y) of \(height)")
        #endif
        // In the plane, and the 64 bytes after its last row with it.
        return unsafe Row((base + y * stride).pointer(stride), count: width + 64 / MemoryLayout<Element>.stride)
    }

    /// Row `y`, which must be in `0 ..< height`, to be written: `stride` samples.
    @inlinable @inline(__always)
    public func mutableRow(_ y: Int) -> MutableRow<Element> {
        #if DEBUG || NIGHTFUSE_CHECKED
            precondition(y >= 0 && y < height, "row \(y) of \(height)")
        #endif
        return unsafe MutableRow((base + y * stride).pointer(stride), count: stride)
    }

    /// The samples of row `y`, which must be in `0 ..< height`: a copy.
    @inlinable
    public func samples(_ y: Int) -> [Element] {
        let row = row(y)
        return (0..<width).map { row[$0] }
    }

    /// Checked access to one sample; for tests and cold code.
    public subscript(x: Int, y: Int) -> Element {
        get {
            precondition(x >= 0 && x < width && y >= 0 && y < height)
            return base[y * stride + x]
        }
        set {
            precondition(x >= 0 && x < width && y >= 0 && y < height)
            base[y * stride + x] = newValue
        }
    }

    /// Sets every sample.
    @inlinable
    public func fill(_ value: Element) {
        for y in 0..<height {
            mutableRow(y).update(repeating: value, count: width)
            if y % 64 == 63 { ScratchPlanes.letGo() }
        }
    }

    /// A copy in memory of its own.
    public func copy() throws(NightfuseError) -> Plane {
        let other = try Plane(width: width, height: height, isZero: false)
        for y in 0..<height {
            other.mutableRow(y).update(from: row(y), count: width)
            if y % 64 == 63 { ScratchPlanes.letGo() }
        }
        return other
    }
}
