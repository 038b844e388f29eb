internal import NightfuseCore
internal import NightfuseKernels

/// Where the nodes of a band's rows lie in a frame: how far each node's positions reach over all rows.
final class NodeReach {
    private let count: Int
    private let lowX, highX, lowY, highY: MutableRow<Float>
    private let memory: Floats

    init(nodes count: Int) {
        self.count = count
        memory = Floats(4 * count)
        (lowX, highX) = (memory.base, memory.base + count)
        (lowY, highY) = (memory.base + 2 * count, memory.base + 3 * count)
    }

    func clear() {
        lowX.update(repeating: .infinity, count: count)
        highX.update(repeating: -.infinity, count: count)
        lowY.update(repeating: .infinity, count: count)
        highY.update(repeating: -.infinity, count: count)
    }

    /// Takes in a row's nodes.
    func add(_ xs: Row<Float>, _ ys: Row<Float>) {
        for k in 0..<count { lowX[k] = min(lowX[k], xs[k]) }
        for k in 0..<count { highX[k] = max(highX[k], xs[k]) }
        for k in 0..<count { lowY[k] = min(lowY[k], ys[k]) }
        for k in 0..<count { highY[k] = max(highY[k], ys[k]) }
    }

    /// What resampling looks at: of runs of eight pixels, two cells between nodes, whose positions lie between those of the
    /// three nodes; the window of the kernel, and the whole vectors that it is read in. Farther ones are taken at the edge.
    func samples(of size: (width: Int, height: Int)) -> WantedSamples {
        func inside(_ value: Float, _ size: Int) -> Int { floorInt(min(max(value, -1), Float(size))) }
        let lowest = (0..<count).reduce(Float.infinity) { min($0, lowY[$1]) }
        let highest = (0..<count).reduce(-Float.infinity) { max($0, highY[$1]) }
        let first = inside(lowest, size.height) - 3
        var wanted = WantedSamples(
            rows: first...max(inside(highest, size.height) + 5, first), width: size.width)
        for k in stride(from: 0, to: count - 2, by: 2) {
            let (top, bottom) = (min(lowY[k], lowY[k + 1], lowY[k + 2]), max(highY[k], highY[k + 1], highY[k + 2]))
            let (left, right) = (min(lowX[k], lowX[k + 1], lowX[k + 2]), max(highX[k], highX[k + 1], highX[k + 2]))
            wanted.add(
                rows: inside(top, size.height) - 3...max(inside(bottom, size.height) + 5, inside(top, size.height)),
                columns: inside(left, size.width) - 8...max(inside(right, size.width) + 16, inside(left, size.width)))
        }
        return wanted
    }
}

/// Which samples of some rows are wanted, by blocks of columns: a tile that jumped far makes a band reach over hundreds of
/// rows, of which only the columns around that tile are needed.
struct WantedSamples {
    /// They may go beyond the frame.
    let rows: ClosedRange<Int>
    let width: Int
    /// A bit a block, the lowest the leftmost.
    private var masks: [UInt64]
    /// Columns a block: a multiple of a vector's samples.
    private let block: Int

    /// None yet.
    init(rows: ClosedRange<Int>, width: Int) {
        (self.rows, self.width) = (rows, width)
        block = max((width + 511) / 512 * 8, 64)
        masks = [UInt64](repeating: 0, count: rows.count)
    }

    /// All of them.
    init(all rows: ClosedRange<Int>, width: Int) {
        self.init(rows: rows, width: width)
        add(rows: rows, columns: 0...width - 1)
    }

    /// Wants these too; columns may go beyond the frame, where those at its edge stand for them.
    mutating func add(rows more: ClosedRange<Int>, columns: ClosedRange<Int>) {
        let held = columns.clamped(to: 0...width - 1)
        let (low, high) = (held.lowerBound / block, held.upperBound / block)
        let mask = UInt64.max << UInt64(low) & UInt64.max >> UInt64(63 - high)
        for row in more.clamped(to: rows) { masks[row - rows.lowerBound] |= mask }
    }

    /// Calls `body` with each stretch of columns that is wanted of a row.
    func eachStretch(_ row: Int, _ body: (Range<Int>) -> Void) {
        var mask = masks[row - rows.lowerBound]
        var at = 0
        while mask != 0 {
            let gap = mask.trailingZeroBitCount
            at += gap
            mask >>= UInt64(gap)
            let run = (~mask).trailingZeroBitCount
            body(at * block..<min((at + run) * block, width))
            at += run
            // All 64 at once leave none.
            mask = run < 64 ? mask >> UInt64(run) : 0
        }
    }
}

/// Linear rows of a frame, edges repeated: eight samples to either side, rows above and below as asked.
final class SourceRows {
    private var memory = Floats(0)
    private var capacity = 0
    /// For a band that reaches farther than is kept.
    private var large: Floats?
    /// Rows whose memory is kept: those of a band, its window, a turn by a degree at 4000 pixels, and most jumps of a tile. It is
    /// the system's until it is touched.
    private static let mostRows = 256

    /// The samples of `frame` that are wanted, times `scale`; others are not filled, nor is their memory touched. Good until
    /// the next call.
    func fill(_ frame: FrameData, wanted: WantedSamples, scale: Float) -> WarpSource {
        let rows = wanted.rows
        let w = frame.width
        let stride = w + 16
        let planes = frame.samples.count
        let start = room(stride * planes * rows.count, kept: stride * planes * Self.mostRows)
        for (k, y) in rows.enumerated() {
            for c in 0..<planes {
                let row = start + (k * planes + c) * stride + 8
                let inside = min(max(y, 0), frame.height - 1)
                wanted.eachStretch(y) { columns in
                    let (from, count) = (columns.lowerBound, columns.count)
                    frame.linearRow(channel: c, y: inside, from: from, count: count, into: row + from)
                    if scale != 1 { for x in columns { row[x] *= scale } }
                    if from == 0 { for x in 1...8 { row[-x] = row[0] } }
                    if from + count == w { for x in 1...8 { row[w - 1 + x] = row[w - 1] } }
                }
            }
        }
        let channels = (0..<3).map { Row(start + (planes == 1 ? 0 : $0) * stride + 8) }
        return WarpSource(
            red: channels[0], green: channels[1], blue: channels[2], stride: stride * planes, firstRow: rows.lowerBound)
    }

    /// Memory for `count` samples, of which `kept` are not asked for anew.
    private func room(_ count: Int, kept: Int) -> MutableRow<Float> {
        large = count > kept ? Floats(count) : nil
        if let large { return large.base }
        if capacity != kept { (memory, capacity) = (Floats(kept), kept) }
        return memory.base
    }
}
