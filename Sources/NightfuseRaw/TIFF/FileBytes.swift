internal import NightfuseCore

/// Bytes of a file, or of a piece of one, read within their bounds: every access stops at one outside, in every build.
///
/// Loops that cannot afford that take a row of what they will read, whose bounds are checked once.
///
/// Unchecked: the bytes belong to whoever made the first view, who keeps them unchanged for as long as a reader runs; nobody
/// writes. A view must not outlive that call, which the two places that make one see to.
@safe
struct FileBytes: RandomAccessCollection, @unchecked Sendable {
    private let memory: UnsafeRawBufferPointer

    /// What `memory` holds, which stays there unchanged for as long as this or a part of it is used.
    @unsafe
    init(_ memory: UnsafeRawBufferPointer) { unsafe self.memory = memory }

    /// What `body` makes of the bytes of an array. It gives out nothing that holds them.
    static func read<Value>(
        _ bytes: [UInt8], _ body: (FileBytes) throws(NightfuseError) -> Value
    ) throws(NightfuseError) -> Value {
        // The array keeps its bytes where they are until the closure returns.
        let result = unsafe bytes.withUnsafeBytes { buffer in
            Result { () throws(NightfuseError) in try body(unsafe FileBytes(buffer)) }
        }
        return try result.get()
    }

    var startIndex: Int { 0 }
    var endIndex: Int { unsafe memory.count }

    subscript(at: Int) -> UInt8 {
        precondition(at >= 0 && at < count, "a byte outside the file")
        // Checked above.
        return unsafe memory[at]
    }

    /// The bytes of `range`, counted from 0.
    func part(_ range: Range<Int>) -> FileBytes {
        check(range)
        return unsafe FileBytes(UnsafeRawBufferPointer(rebasing: memory[range]))
    }

    /// The number at byte `at`, of the order that the machine has.
    func load<Number: FixedWidthInteger & BitwiseCopyable>(_ at: Int, as type: Number.Type) -> Number {
        precondition(at >= 0 && at <= count - MemoryLayout<Number>.size, "a number outside the file")
        // Checked above; any bits are a number.
        return unsafe memory.loadUnaligned(fromByteOffset: at, as: type)
    }

    /// The bytes of `range`, for a loop.
    func row(_ range: Range<Int>) -> Row<UInt8> {
        check(range)
        // No bytes may lie nowhere; nothing of their row is read.
        let start = unsafe memory.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!
        // Checked above. Bytes may be read as such whatever they were written as.
        return unsafe Row((start + range.lowerBound).assumingMemoryBound(to: UInt8.self), count: range.count)
    }

    /// Copies numbers of 16 bits as they stand in the file, from byte `from` on.
    func copyWords(from: Int, count words: Int, to out: MutableRow<UInt16>) {
        check(from..<from + words * 2)
        // Checked above, and the row is as long as the count that it is asked for.
        unsafe UnsafeMutableRawBufferPointer(start: out.pointer(words), count: words * 2)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[from..<from + words * 2]))
    }

    private func check(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "bytes outside the file")
    }
}
