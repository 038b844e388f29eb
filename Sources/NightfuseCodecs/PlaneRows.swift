internal import NightfuseCore

/// Some rows of planes of one size, as the shims take them: a pointer to the first sample of each plane, and how many
/// samples apart rows are.
struct PlaneRows<Sample: BitwiseCopyable & Sendable> {
    private let planes: [Plane<Sample>]
    private let top: Int
    /// Rows.
    let count: Int

    /// - Precondition: there is a plane, all are of one size, and the rows are theirs.
    init(_ planes: [Plane<Sample>], _ rows: Range<Int>) {
        let size = (planes[0].width, planes[0].height, planes[0].stride)
        precondition(planes.allSatisfy { ($0.width, $0.height, $0.stride) == size })
        precondition(rows.lowerBound >= 0 && rows.upperBound <= planes[0].height)
        (self.planes, top, count) = (planes, rows.lowerBound, rows.count)
    }

    var channels: Int { planes.count }
    var width: Int { planes[0].width }
    var stride: Int { planes[0].stride }

    /// Calls `body` with pointers to `count` rows of each plane, to be read.
    func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<Sample>?>) -> Result) -> Result {
        // `init` saw that the rows are there; the planes live until `body` is done. The base is never nil: there is a plane.
        let pointers = unsafe planes.map { unsafe UnsafePointer?(rows($0).pointer(count * stride)) }
        return withExtendedLifetime(planes) {
            unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
        }
    }

    /// The same, to be written.
    func withMutablePointers<Result>(_ body: (UnsafePointer<UnsafeMutablePointer<Sample>?>) -> Result) -> Result {
        // As above.
        let pointers = unsafe planes.map { unsafe UnsafeMutablePointer?(rows($0).pointer(count * stride)) }
        return withExtendedLifetime(planes) {
            unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
        }
    }

    private func rows(_ plane: Plane<Sample>) -> MutableRow<Sample> { plane.base + top * stride }
}

/// New planes of one size.
func makePlanes<Sample: BitwiseCopyable & Sendable>(
    _ count: Int, width: Int, height: Int
) throws(NightfuseError) -> [Plane<Sample>] {
    var planes: [Plane<Sample>] = []
    for _ in 0..<count { planes.append(try Plane(width: width, height: height)) }
    return planes
}

/// Reads a picture top to bottom with `read`, which fills the rows it is given, straight into upright planes; turned
/// pictures go through a band of some rows.
func readUpright<Sample: FixedWidthInteger & BitwiseCopyable & SIMDScalar & Sendable>(
    channels: Int, placement: Placement, _ read: (PlaneRows<Sample>) throws(NightfuseError) -> Void
) throws(NightfuseError) -> [Plane<Sample>] {
    let planes: [Plane<Sample>] = try makePlanes(
        channels, width: placement.uprightWidth, height: placement.uprightHeight)
    // 32 samples of a turned row are a cache line or half of one.
    let grain = min(32, placement.height)
    let band = placement.isPlain ? planes : try makePlanes(channels, width: placement.width, height: grain)
    var top = 0
    while top < placement.height {
        let count = min(grain, placement.height - top)
        let first = placement.isPlain ? top : 0
        try read(PlaneRows(band, first..<first + count))
        if !placement.isPlain {
            for c in 0..<channels { placement.place(band[c], rows: count, top: top, into: planes[c]) }
        }
        top += count
        ScratchPlanes.letGo()
    }
    return planes
}
