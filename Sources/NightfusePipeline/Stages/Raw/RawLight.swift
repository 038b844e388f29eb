package import NightfuseCore

/// Rows of a raw frame's light (see ``RawLevels``), one plane (mosaic) or three, of the whole active area's width: a window
/// that one thread moves over the frame, so that light is made and used in the cache.
///
/// Samples have a margin of ``margin`` columns to either side; what is in it is not known until it is mirrored.
package final class RawLight {
    /// Of the frame.
    package let width: Int
    package let height: Int
    package let planeCount: Int
    /// The rows that are here.
    package private(set) var rows: Range<Int>
    private let stride: Int
    private let capacity: Int
    private let memory: UnsafeMutablePointer<Float>

    /// Columns before the first; a multiple of eight samples keeps rows aligned.
    package static let margin = 16

    /// Room for `capacity` rows of a frame; none of them is there yet.
    package init(_ raw: RawFrame, capacity: Int) {
        (width, height, planeCount) = (raw.width, raw.height, raw.planes.count)
        self.capacity = min(capacity, height)
        stride = (width + 2 * Self.margin + 7) & ~7
        memory = .allocate(capacity: stride * self.capacity * planeCount)
        // Margins are read, though not used.
        memory.initialize(repeating: 0, count: stride * self.capacity * planeCount)
        rows = 0..<0
    }

    deinit { memory.deallocate() }

    /// A whole frame; for small ones.
    package convenience init(_ levels: RawLevels) {
        self.init(levels.raw, capacity: levels.raw.height)
        show(0..<height, of: levels)
    }

    /// Fills the window with the rows `wanted`, as far as the frame has them.
    package func show(_ wanted: Range<Int>, of levels: RawLevels) {
        rows = wanted.clamped(to: 0..<height)
        precondition(rows.count <= capacity)
        for plane in 0..<planeCount { for y in rows { levels.light(y, plane: plane, into: row(y, plane: plane)) } }
    }

    /// The first sample of a row that is here.
    package func row(_ y: Int, plane: Int = 0) -> UnsafeMutablePointer<Float> {
        assert(rows.contains(y))
        return memory + (plane * capacity + y - rows.lowerBound) * stride + Self.margin
    }

    /// Fills the margins in; after the last change of a sample.
    package func mirrorMargins() {
        for plane in 0..<planeCount {
            for y in rows {
                let line = row(y, plane: plane)
                for k in 1...4 {
                    line[-k] = line[mirroredIndex(-k, width)]
                    line[width - 1 + k] = line[mirroredIndex(width - 1 + k, width)]
                }
            }
        }
    }
}

/// Index `i` mirrored into 0 ..< count without repeating the ends, which keeps its parity (where count is above 1).
package func mirroredIndex(_ i: Int, _ count: Int) -> Int {
    if i >= 0 && i < count { return i }
    if count == 1 { return 0 }
    let period = 2 * (count - 1)
    let r = ((i % period) + period) % period
    return r < count ? r : period - r
}
