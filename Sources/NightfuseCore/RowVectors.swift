// Eight samples of a row at once; each checks as eight accesses would.

/// Samples `row[0]` to `row[7]`, at any address.
@inlinable @inline(__always)
package func load<Scalar: SIMDScalar & BitwiseCopyable>(_ row: Row<Scalar>) -> SIMD8<Scalar> {
    unsafe UnsafeRawPointer(row.pointer(8)).loadUnaligned(as: SIMD8<Scalar>.self)
}

/// Samples `row[0]` to `row[7]`, at any address.
@inlinable @inline(__always)
package func load<Scalar: SIMDScalar & BitwiseCopyable>(_ row: MutableRow<Scalar>) -> SIMD8<Scalar> { load(Row(row)) }

/// Writes samples `row[0]` to `row[7]`, at any address.
@inlinable @inline(__always)
package func store<Scalar: SIMDScalar & BitwiseCopyable>(_ vector: SIMD8<Scalar>, _ row: MutableRow<Scalar>) {
    unsafe UnsafeMutableRawPointer(row.pointer(8)).storeBytes(of: vector, as: SIMD8<Scalar>.self)
}

/// Samples `row[0]` to `row[3]`, at any address.
@inlinable @inline(__always)
package func load4(_ row: Row<Float>) -> SIMD4<Float> {
    unsafe UnsafeRawPointer(row.pointer(4)).loadUnaligned(as: SIMD4<Float>.self)
}

/// Writes samples `row[0]` to `row[3]`, at any address.
@inlinable @inline(__always)
package func store4(_ vector: SIMD4<Float>, _ row: MutableRow<Float>) {
    unsafe UnsafeMutableRawPointer(row.pointer(4)).storeBytes(of: vector, as: SIMD4<Float>.self)
}

/// Bytes `row[0]` to `row[7]`, the first on top, at any address.
@inlinable @inline(__always)
package func loadWord(_ row: Row<UInt8>) -> UInt64 {
    unsafe UInt64(bigEndian: UnsafeRawPointer(row.pointer(8)).loadUnaligned(as: UInt64.self))
}

/// Writes bytes `row[0]` to `row[3]`, the topmost first, at any address.
@inlinable @inline(__always)
package func storeWord(_ word: UInt32, _ row: MutableRow<UInt8>) {
    unsafe UnsafeMutableRawPointer(row.pointer(4)).storeBytes(of: word.bigEndian, as: UInt32.self)
}

extension Row where Element == Float {
    /// `count` eights of samples, from an address that is a multiple of theirs.
    @inlinable @inline(__always)
    package func vectors(_ count: Int) -> Row<SIMD8<Element>> {
        let start = unsafe UnsafeRawPointer(pointer(8 * count))
        #if DEBUG || NIGHTFUSE_CHECKED
            precondition(
                Int(bitPattern: start) % MemoryLayout<SIMD8<Element>>.alignment == 0, "a row of vectors")
        #endif
        return unsafe Row<SIMD8<Float>>(start.assumingMemoryBound(to: SIMD8<Element>.self), count: count)
    }
}

extension MutableRow where Element == Float {
    /// `count` eights of samples, from an address that is a multiple of theirs.
    @inlinable @inline(__always)
    package func vectors(_ count: Int) -> MutableRow<SIMD8<Element>> {
        let start = unsafe UnsafeMutableRawPointer(pointer(8 * count))
        #if DEBUG || NIGHTFUSE_CHECKED
            precondition(
                Int(bitPattern: start) % MemoryLayout<SIMD8<Element>>.alignment == 0, "a row of vectors")
        #endif
        return unsafe MutableRow<SIMD8<Float>>(start.assumingMemoryBound(to: SIMD8<Element>.self), count: count)
    }
}

extension Row where Element == SIMD8<Float> {
    /// The first `count` lanes, one by one.
    @inlinable @inline(__always)
    package func lanes(_ count: Int) -> Row<Float> {
        let start = unsafe UnsafeRawPointer(pointer((count + 7) / 8))
        return unsafe Row<Float>(start.assumingMemoryBound(to: Float.self), count: count)
    }
}

extension MutableRow where Element == SIMD8<Float> {
    /// The first `count` lanes, one by one.
    @inlinable @inline(__always)
    package func lanes(_ count: Int) -> MutableRow<Float> {
        let start = unsafe UnsafeMutableRawPointer(pointer((count + 7) / 8))
        return unsafe MutableRow<Float>(start.assumingMemoryBound(to: Float.self), count: count)
    }
}

/// The bits of eight floats.
@inlinable @inline(__always)
package func bits(of x: SIMD8<Float>) -> SIMD8<UInt32> {
    // One size, and any bits are a value of either.
    unsafe unsafeBitCast(x, to: SIMD8<UInt32>.self)
}

/// Eight floats of these bits.
@inlinable @inline(__always)
package func floats(of bits: SIMD8<UInt32>) -> SIMD8<Float> {
    // One size, and any bits are a value of either.
    unsafe unsafeBitCast(bits, to: SIMD8<Float>.self)
}
