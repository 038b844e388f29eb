/// Samples in a line that may be read: a place in a plane, in working memory or in a table, and what lies around it.
///
/// `row[i]` is the sample i places on, `row + n` the row from there; n and i may be negative where there is something
/// before. A row does not keep what it points into alive: it must not outlive the plane, the `Room` or the closure that
/// gave it.
///
/// Debug builds, and any with `-D NIGHTFUSE_CHECKED`, know what lies around it and stop at an offset or an access outside;
/// `tools/full-check` runs all tests and fuzz targets so. Other builds do not look, for one reason: a loop that looks at every
/// access is not turned into vectors (a check may end it at any sample), and a fusion of eight frames of 12 megapixels then
/// takes 2.3 times as long. What they rely on instead is stated where a row is made: sizes are checked once, with the plane.
@safe @frozen
public struct Row<Element: BitwiseCopyable> {
    @usableFromInline let start: UnsafePointer<Element>
    #if DEBUG || NIGHTFUSE_CHECKED
        @usableFromInline let bounds: RowBounds
    #endif

    /// What `start` points to, with `count` samples from there on and `before` samples before it.
    ///
    /// - Precondition: all of them are initialised memory for as long as the row is used.
    @unsafe @inlinable @inline(__always)
    public init(_ start: UnsafePointer<Element>, count: Int, before: Int = 0) {
        unsafe self.start = start
        #if DEBUG || NIGHTFUSE_CHECKED
            unsafe bounds = RowBounds(start, size: MemoryLayout<Element>.stride, from: -before, to: count)
        #endif
    }

    /// A row that is written, to be read.
    @inlinable @inline(__always)
    public init(_ row: MutableRow<Element>) {
        unsafe start = UnsafePointer(row.start)
        #if DEBUG || NIGHTFUSE_CHECKED
            bounds = row.bounds
        #endif
    }

    /// The sample `index` places on.
    @inlinable
    public subscript(index: Int) -> Element {
        @inline(__always) get {
            #if DEBUG || NIGHTFUSE_CHECKED
                unsafe bounds.check(start, size: MemoryLayout<Element>.stride, from: index, to: index &+ 1)
            #endif
            return unsafe start[index]
        }
    }

    /// The row from `count` samples on.
    @inlinable @inline(__always)
    public static func + (row: Row, count: Int) -> Row {
        #if DEBUG || NIGHTFUSE_CHECKED
            unsafe row.bounds.check(row.start, size: MemoryLayout<Element>.stride, from: count, to: count)
            return unsafe Row(row.start + count, row.bounds)
        #else
            return unsafe Row(row.start + count, count: 0)
        #endif
    }

    /// The row from `count` samples before.
    @inlinable @inline(__always)
    public static func - (row: Row, count: Int) -> Row { row + -count }

    /// Goes on by `count` samples.
    @inlinable @inline(__always)
    public static func += (row: inout Row, count: Int) { row = row + count }

    /// For code that takes pointers; it must read no more than `count` samples from here on, which debug and checked
    /// builds hold against what there is.
    @unsafe @inlinable @inline(__always)
    public func pointer(_ count: Int) -> UnsafePointer<Element> {
        #if DEBUG || NIGHTFUSE_CHECKED
            unsafe bounds.check(start, size: MemoryLayout<Element>.stride, from: 0, to: count)
        #endif
        return unsafe start
    }

    #if DEBUG || NIGHTFUSE_CHECKED
        @unsafe @inlinable @inline(__always)
        init(_ start: UnsafePointer<Element>, _ bounds: RowBounds) {
            unsafe self.start = start
            self.bounds = bounds
        }
    #endif
}

/// A ``Row`` that may be written. Whoever writes owns what is written, as with a ``Plane``.
@safe @frozen
public struct MutableRow<Element: BitwiseCopyable> {
    @usableFromInline let start: UnsafeMutablePointer<Element>
    #if DEBUG || NIGHTFUSE_CHECKED
        @usableFromInline let bounds: RowBounds
    #endif

    /// What `start` points to, with `count` samples from there on and `before` samples before it.
    ///
    /// - Precondition: all of them are memory that may be written for as long as the row is used; a sample is written before
    ///   it is read.
    @unsafe @inlinable @inline(__always)
    public init(_ start: UnsafeMutablePointer<Element>, count: Int, before: Int = 0) {
        unsafe self.start = start
        #if DEBUG || NIGHTFUSE_CHECKED
            unsafe bounds = RowBounds(start, size: MemoryLayout<Element>.stride, from: -before, to: count)
        #endif
    }

    /// The sample `index` places on.
    @inlinable
    public subscript(index: Int) -> Element {
        @inline(__always) get {
            #if DEBUG || NIGHTFUSE_CHECKED
                unsafe bounds.check(start, size: MemoryLayout<Element>.stride, from: index, to: index &+ 1)
            #endif
            return unsafe start[index]
        }
        @inline(__always) nonmutating set {
            #if DEBUG || NIGHTFUSE_CHECKED
                unsafe bounds.check(start, size: MemoryLayout<Element>.stride, from: index, to: index &+ 1)
            #endif
            unsafe start[index] = newValue
        }
    }

    /// The row from `count` samples on.
    @inlinable @inline(__always)
    public static func + (row: MutableRow, count: Int) -> MutableRow {
        #if DEBUG || NIGHTFUSE_CHECKED
            unsafe row.bounds.check(row.start, size: MemoryLayout<Element>.stride, from: count, to: count)
            return unsafe MutableRow(row.start + count, row.bounds)
        #else
            return unsafe MutableRow(row.start + count, count: 0)
        #endif
    }

    /// The row from `count` samples before.
    @inlinable @inline(__always)
    public static func - (row: MutableRow, count: Int) -> MutableRow { row + -count }

    /// Goes on by `count` samples.
    @inlinable @inline(__always)
    public static func += (row: inout MutableRow, count: Int) { row = row + count }

    /// For code that takes pointers; it must touch no more than `count` samples from here on, which debug and checked
    /// builds hold against what there is.
    @unsafe @inlinable @inline(__always)
    public func pointer(_ count: Int) -> UnsafeMutablePointer<Element> {
        #if DEBUG || NIGHTFUSE_CHECKED
            unsafe bounds.check(start, size: MemoryLayout<Element>.stride, from: 0, to: count)
        #endif
        return unsafe start
    }

    /// Sets `count` samples.
    @inlinable @inline(__always)
    public func update(repeating value: Element, count: Int) {
        unsafe pointer(count).update(repeating: value, count: count)
    }

    /// Copies `count` samples, which may lie over these.
    @inlinable @inline(__always)
    public func update(from other: Row<Element>, count: Int) {
        unsafe pointer(count).update(from: other.pointer(count), count: count)
    }

    /// Copies `count` samples, which may lie over these.
    @inlinable @inline(__always)
    public func update(from other: MutableRow<Element>, count: Int) { update(from: Row(other), count: count) }

    #if DEBUG || NIGHTFUSE_CHECKED
        @unsafe @inlinable @inline(__always)
        init(_ start: UnsafeMutablePointer<Element>, _ bounds: RowBounds) {
            unsafe self.start = start
            self.bounds = bounds
        }
    #endif
}

#if DEBUG || NIGHTFUSE_CHECKED
    /// Where what a row may touch begins and ends, as addresses.
    @frozen @usableFromInline
    struct RowBounds {
        @usableFromInline let first, end: Int

        @inlinable @inline(__always)
        init(_ start: UnsafeRawPointer, size: Int, from: Int, to: Int) {
            first = Int(bitPattern: start) &+ from &* size
            end = Int(bitPattern: start) &+ to &* size
        }

        /// Stops where samples `from ..< to` of `size` bytes, counted from `start`, are not all inside.
        @inlinable @inline(__always)
        func check(_ start: UnsafeRawPointer, size: Int, from: Int, to: Int) {
            let address = Int(bitPattern: start)
            if address + from * size < first || address + to * size > end || to < from {
                fault(address, size, from, to)
            }
        }

        @usableFromInline @inline(never)
        func fault(_ address: Int, _ size: Int, _ from: Int, _ to: Int) -> Never {
            fatalError(
                "samples \(from) ..< \(to) of a row of \((first - address) / size) ..< \((end - address) / size)")
        }
    }
#endif
