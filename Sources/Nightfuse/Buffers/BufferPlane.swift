/// Rows of a plane in memory that the caller lends.
///
/// Safe as far as the caller's word of its memory is true: a row is given out where it lies within the bytes that were
/// named. It must not outlive the call that the memory was lent for.
@safe
struct BufferPlane {
    private let bytes: UnsafeRawBufferPointer
    /// Bytes from one row to the next.
    let stride: Int

    /// - Precondition: the bytes may be read for as long as this is used, and nobody writes them meanwhile.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer, stride: Int) { unsafe (self.bytes, self.stride) = (bytes, stride) }

    /// Row `y`: `count` samples.
    ///
    /// - Precondition: the plane has passed its check, for so many rows of so many samples of this kind.
    func row<Sample: BitwiseCopyable>(_ y: Int, of type: Sample.Type, count: Int) -> Row<Sample> {
        unsafe Row(start(y, bytes: count * MemoryLayout<Sample>.stride).assumingMemoryBound(to: type), count: count)
    }

    /// The first of `rows` rows of `rowBytes` bytes, for code that takes pointers.
    ///
    /// - Precondition: as for ``row(_:of:count:)``.
    func base(rows: Int, rowBytes: Int) -> UnsafeRawPointer {
        unsafe start(0, bytes: (rows - 1) * stride + rowBytes)
    }

    private func start(_ y: Int, bytes count: Int) -> UnsafeRawPointer {
        guard y >= 0, unsafe y * stride + count <= bytes.count, let base = unsafe bytes.baseAddress else {
            preconditionFailure("row \(y) is not in the buffer")
        }
        return unsafe base + y * stride
    }

    /// Addresses from the first byte used to the last.
    func used(rows: Int, rowBytes: Int) -> Range<UInt> {
        // A number; nothing is read.
        let start = unsafe UInt(bitPattern: bytes.baseAddress)
        return start..<start + UInt((rows - 1) * stride + rowBytes)
    }

    func check(
        _ name: String, _ plane: String, rowBytes: Int, rows: Int, alignment: Int
    ) throws(NightfuseError) {
        guard let base = unsafe bytes.baseAddress else { throw .argument("\(name): there is no memory of \(plane)") }
        guard stride >= rowBytes else {
            throw .argument("\(name): the stride of \(plane) is \(stride) bytes, a row takes \(rowBytes)")
        }
        guard UInt(bitPattern: base) % UInt(alignment) == 0, stride % alignment == 0 else {
            throw .argument(
                "\(name): \(plane) of \(alignment * 8)-bit samples must begin, row by row, at even addresses")
        }
        let (skipped, overflow) = stride.multipliedReportingOverflow(by: rows - 1)
        let (needed, overflow2) = skipped.addingReportingOverflow(rowBytes)
        let count = unsafe bytes.count
        guard !overflow, !overflow2, needed <= count else {
            throw .argument("\(name): \(count) bytes of \(plane) are too few for \(rows) rows of \(stride) bytes")
        }
    }
}

/// The same, to be written.
@safe
struct MutableBufferPlane {
    private let bytes: UnsafeMutableRawBufferPointer
    /// Bytes from one row to the next.
    let stride: Int

    /// - Precondition: the bytes may be written for as long as this is used, and nobody else touches them meanwhile.
    @unsafe
    init(_ bytes: UnsafeMutableRawBufferPointer, stride: Int) { unsafe (self.bytes, self.stride) = (bytes, stride) }

    /// The same memory, to read.
    var readable: BufferPlane { unsafe BufferPlane(UnsafeRawBufferPointer(bytes), stride: stride) }

    /// Row `y`: `count` samples.
    ///
    /// - Precondition: as for ``BufferPlane/row(_:of:count:)``.
    func row<Sample: BitwiseCopyable>(_ y: Int, of type: Sample.Type, count: Int) -> MutableRow<Sample> {
        guard y >= 0, unsafe y * stride + count * MemoryLayout<Sample>.stride <= bytes.count,
            let base = unsafe bytes.baseAddress
        else { preconditionFailure("row \(y) is not in the buffer") }
        return unsafe MutableRow((base + y * stride).assumingMemoryBound(to: type), count: count)
    }
}
