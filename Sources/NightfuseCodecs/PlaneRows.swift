internal import NightfuseCore

/// Planes as the shims take them: a pointer to the first sample of each.
struct PlaneRows<Sample: BitwiseCopyable & Sendable> {
    private var bases: [UnsafeMutablePointer<Sample>?]
    let stride: Int

    init(_ planes: [Plane<Sample>]) {
        bases = planes.map { $0.base.pointer($0.stride * $0.height) }
        stride = planes[0].stride
    }

    /// Calls `body` with pointers to row `y` of each plane.
    func at<Result>(_ y: Int, _ body: (UnsafePointer<UnsafeMutablePointer<Sample>?>) -> Result) -> Result {
        let rows = bases.map { $0.map { $0 + y * stride } }
        return rows.withUnsafeBufferPointer {
            // Never nil: there is one plane at least.
            body($0.baseAddress.unsafelyUnwrapped)
        }
    }
}

/// New planes of one size.
func makePlanes<Sample: BitwiseCopyable & Sendable>(
    _ count: Int, width: Int, height: Int
) throws(NightfuseError) -> [Plane<Sample>] {
    var planes: [Plane<Sample>] = []
    for _ in 0..<count { planes.append(try Plane(width: width, height: height)) }
    return planes
}

/// Reads a picture top to bottom with `read`, which puts `rows` rows at the pointers it is given and tells the error it
/// met, straight into upright planes; turned pictures go through a band of some rows.
func readUpright<Sample: FixedWidthInteger & BitwiseCopyable & SIMDScalar & Sendable>(
    channels: Int, placement: Placement,
    _ read: (_ planes: UnsafePointer<UnsafeMutablePointer<Sample>?>, _ stride: Int, _ rows: Int) -> NightfuseError?
) throws(NightfuseError) -> [Plane<Sample>] {
    let planes: [Plane<Sample>] = try makePlanes(
        channels, width: placement.uprightWidth, height: placement.uprightHeight)
    // 32 samples of a turned row are a cache line or half of one.
    let grain = min(32, placement.height)
    let band = placement.isPlain ? planes : try makePlanes(channels, width: placement.width, height: grain)
    let rows = PlaneRows(band)
    var top = 0
    while top < placement.height {
        let count = min(grain, placement.height - top)
        if let error = rows.at(placement.isPlain ? top : 0, { read($0, rows.stride, count) }) { throw error }
        if !placement.isPlain {
            for c in 0..<channels { placement.place(band[c], rows: count, top: top, into: planes[c]) }
        }
        top += count
    }
    return planes
}
