/// A picture in the caller's memory, as a camera gives it: read during the call it is passed to, never kept.
@safe
public struct PixelBuffer {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// How the samples lie.
    public let layout: PixelLayout
    let pixels: BufferPlane
    /// Of the two-plane layouts.
    let chroma: BufferPlane?

    /// A picture of one plane, or with its chroma in a second.
    ///
    /// - Parameters:
    ///   - pixels: the samples, first row first; luma of the two-plane layouts.
    ///   - stride: bytes from one row to the next, at least a row's.
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - layout: how the samples lie.
    ///   - chroma: the second plane of ``PixelLayout/nv12(_:)`` and ``PixelLayout/nv21(_:)``; nil for all others.
    ///   - chromaStride: its bytes from row to row.
    public init(
        _ pixels: UnsafeRawBufferPointer, stride: Int, width: Int, height: Int, layout: PixelLayout,
        chroma: UnsafeRawBufferPointer? = nil, chromaStride: Int = 0
    ) {
        (self.width, self.height, self.layout) = (width, height, layout)
        // What the caller says of its memory; rows are given out within it alone.
        self.pixels = unsafe BufferPlane(pixels, stride: stride)
        self.chroma = unsafe chroma.map { unsafe BufferPlane($0, stride: chromaStride) }
    }

    init(pixels: BufferPlane, chroma: BufferPlane?, width: Int, height: Int, layout: PixelLayout) {
        (self.pixels, self.chroma, self.width, self.height, self.layout) = (pixels, chroma, width, height, layout)
    }

    /// Throws `.argument` where size, strides and memory do not fit together.
    package func check(name: String) throws(NightfuseError) {
        try checkSize(width: width, height: height, name: name)
        try pixels.check(
            name, "pixels", rowBytes: layout.rowBytes(width: width), rows: height, alignment: layout.bits / 8)
        switch (layout.coding, chroma) {
        case (nil, nil): break
        case (nil, _): throw .argument("\(name): a chroma plane beside samples that have their colours")
        case (_, nil): throw .argument("\(name): the chroma plane is missing")
        case (_, let chroma?):
            try chroma.check(
                name, "chroma", rowBytes: PixelLayout.chromaRowBytes(width: width), rows: (height + 1) / 2,
                alignment: 1)
        }
    }
}

/// Memory of the caller's that a picture is written into, in the layout that it has.
@safe
public struct MutablePixelBuffer {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// How the samples lie.
    public let layout: PixelLayout
    let pixels: MutableBufferPlane
    /// Of the two-plane layouts.
    let chroma: MutableBufferPlane?

    /// Room for a picture of one plane, or with its chroma in a second. Parameters as of
    /// ``PixelBuffer/init(_:stride:width:height:layout:chroma:chromaStride:)``; bytes past the end of a row are left as
    /// they are.
    public init(
        _ pixels: UnsafeMutableRawBufferPointer, stride: Int, width: Int, height: Int, layout: PixelLayout,
        chroma: UnsafeMutableRawBufferPointer? = nil, chromaStride: Int = 0
    ) {
        (self.width, self.height, self.layout) = (width, height, layout)
        // What the caller says of its memory; rows are given out within it alone.
        self.pixels = unsafe MutableBufferPlane(pixels, stride: stride)
        self.chroma = unsafe chroma.map { unsafe MutableBufferPlane($0, stride: chromaStride) }
    }

    /// The same memory, to read.
    public var readable: PixelBuffer {
        PixelBuffer(
            pixels: pixels.readable, chroma: chroma?.readable, width: width, height: height, layout: layout)
    }

    /// Throws `.argument` where size, strides and memory do not fit together, or the planes overlap.
    package func check(name: String) throws(NightfuseError) {
        let buffer = readable
        try buffer.check(name: name)
        if let chroma = buffer.chroma,
            chroma.used(rows: (height + 1) / 2, rowBytes: PixelLayout.chromaRowBytes(width: width))
                .overlaps(buffer.pixels.used(rows: height, rowBytes: layout.rowBytes(width: width)))
        {
            throw .argument("\(name): luma and chroma overlap")
        }
    }

    /// Whether a byte that would be written belongs to `other`. Both must have passed their checks.
    package func overlaps(_ other: PixelBuffer) -> Bool {
        readable.usedRanges.contains { mine in other.usedRanges.contains { $0.overlaps(mine) } }
    }

    /// Whether a byte that would be written belongs to `other`. Both must have passed their checks.
    package func overlaps(_ other: MosaicBuffer) -> Bool {
        readable.usedRanges.contains { $0.overlaps(other.usedRange) }
    }
}

extension PixelBuffer {
    /// Addresses from the first byte used to the last, of every plane.
    var usedRanges: [Range<UInt>] {
        var ranges = [pixels.used(rows: height, rowBytes: layout.rowBytes(width: width))]
        if let chroma {
            ranges.append(chroma.used(rows: (height + 1) / 2, rowBytes: PixelLayout.chromaRowBytes(width: width)))
        }
        return ranges
    }
}

/// Sizes that a frame can have: no side is longer than what limits allow for an area.
func checkSize(width: Int, height: Int, name: String) throws(NightfuseError) {
    guard width > 0, height > 0, width < 1 << 28, height < 1 << 28 else {
        throw .argument("\(name): \(width) x \(height) is no size of a picture")
    }
}
