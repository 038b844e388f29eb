public import NightfuseCore

/// A filter of 9 x 9 taps, alike to all sides, whose result keeps to what stands around: for filters that sharpen.
///
/// Beside a step, a sharpened picture would overshoot. Here a value may leave the range of its 3 x 3 neighbours only as
/// far as they are peaks or valleys themselves: by half of what an opening (or closing) with 3 x 3 would take off them. A
/// step has neither, so nothing overshoots; lines, dots and texture keep what the filter gives them.
public struct LimitedFilter: Sendable {
    /// Taps to either side of the middle one.
    public static let reach = 4
    /// Tap (x, y) at `(reach + 1) y + x`, x and y 0 to `reach`; those of other signs are the same.
    private let taps: [Float]
    /// Share of a peak's prominence by which values may pass it. From a quarter to one, results on photographs differ by
    /// 0.02 dB; at nothing a fifth of the gain is lost.
    private static let allowance: Float = 0.5

    /// - Parameter taps: 25 taps, row by row from the middle on.
    public init(taps: [Float]) {
        precondition(taps.count == (Self.reach + 1) * (Self.reach + 1), "a quadrant of 9 x 9 taps")
        self.taps = taps
    }

    /// Filters a plane in place; edges repeat. About 110 operations a sample, and a second plane while it runs.
    public func apply(_ plane: Plane<Float>, workers: Workers) throws(NightfuseError) {
        let before = try plane.copy()
        let grain = 32
        try workers.bands(
            plane.height, grain: grain, scratch: { LimitScratch(width: plane.width, rows: grain) }
        ) { (work, _, rows) throws(NightfuseError) in
            work.fill(before, rows: rows, allowance: Self.allowance)
            for y in rows {
                let out = plane.mutableRow(y)
                filterRow(before, y: y, line: work.line, into: out)
                let (low, high) = work.limits(y - rows.lowerBound)
                for x in 0..<plane.width { out[x] = min(max(out[x], low[x]), high[x]) }
            }
        }
    }

    private func filterRow(
        _ plane: Plane<Float>, y: Int, line: MutableRow<Float>, into out: MutableRow<Float>
    ) {
        let (width, last, reach) = (plane.width, plane.height - 1, Self.reach)
        let row = line + reach
        for dy in 0...reach {
            let (above, below) = (plane.row(max(y - dy, 0)), plane.row(min(y + dy, last)))
            if dy == 0 {
                row.update(from: above, count: width)
            } else {
                for x in 0..<width { row[x] = above[x] + below[x] }
            }
            for k in 1...reach {
                row[-k] = row[0]
                row[width - 1 + k] = row[width - 1]
            }
            let at = dy * (reach + 1)
            let (t0, t1, t2, t3, t4) = (taps[at], taps[at + 1], taps[at + 2], taps[at + 3], taps[at + 4])
            for x in 0..<width {
                let near = t0 * row[x] + t1 * (row[x - 1] + row[x + 1])
                let far = t2 * (row[x - 2] + row[x + 2]) + t3 * (row[x - 3] + row[x + 3])
                let sum = near + far + t4 * (row[x - 4] + row[x + 4])
                out[x] = dy == 0 ? sum : out[x] + sum
            }
        }
    }
}

/// The range that every value of a band may take.
private final class LimitScratch {
    private let width, rows: Int
    /// Rows from -3 on, of which fewer stay good with every step: lowest and highest of three neighbours, and so on.
    private let a, b, c, d: MutableRow<Float>
    /// The plane's rows as this band counts them.
    private var inside = 0...0
    /// A row with room to either side.
    let line: MutableRow<Float>
    private let memory: Floats

    init(width: Int, rows: Int) {
        (self.width, self.rows) = (width, rows)
        let plane = (rows + 6) * width
        memory = Floats(4 * plane + width + 2 * LimitedFilter.reach)
        a = memory.base
        b = a + plane
        c = b + plane
        d = c + plane
        line = d + plane
    }

    func limits(_ row: Int) -> (low: MutableRow<Float>, high: MutableRow<Float>) {
        (c + (row + 3) * width, d + (row + 3) * width)
    }

    func fill(_ plane: Plane<Float>, rows: Range<Int>, allowance: Float) {
        let (count, last) = (rows.count, plane.height - 1)
        inside = -rows.lowerBound...last - rows.lowerBound
        func source(_ row: Int) -> Row<Float> {
            plane.row(min(max(rows.lowerBound + row, 0), last))
        }
        // Erosion to a, dilation to b.
        for row in -3..<count + 3 { acrossThree(source(row), source(row), into: at(c, row), at(d, row)) }
        downThree(-2..<count + 2, from: c, d, into: a, b)
        // Opening to d, closing to c.
        for row in -2..<count + 2 { acrossThree(Row(at(b, row)), Row(at(a, row)), into: at(c, row), at(d, row)) }
        downThree(-1..<count + 1, from: c, d, into: a, b)
        // What is beyond them, passed by its share.
        for row in -1..<count + 1 {
            let (value, low, high) = (source(row), at(a, row), at(b, row))
            for x in 0..<width {
                (low[x], high[x]) = (
                    value[x] - allowance * (low[x] - value[x]), value[x] + allowance * (value[x] - high[x])
                )
            }
            acrossThree(Row(low), Row(high), into: at(c, row), at(d, row))
        }
        downThree(0..<count, from: c, d, into: a, b)
        c.update(from: a, count: (count + 6) * width)
        d.update(from: b, count: (count + 6) * width)
    }

    private func at(_ plane: MutableRow<Float>, _ row: Int) -> MutableRow<Float> {
        plane + (row + 3) * width
    }

    /// The lowest of three neighbours in a row of `low`, the highest of three in a row of `high`.
    private func acrossThree(
        _ low: Row<Float>, _ high: Row<Float>, into lowest: MutableRow<Float>,
        _ highest: MutableRow<Float>
    ) {
        let last = width - 1
        lowest[0] = min(low[0], low[min(1, last)])
        highest[0] = max(high[0], high[min(1, last)])
        lowest[last] = min(low[last], low[max(last - 1, 0)])
        highest[last] = max(high[last], high[max(last - 1, 0)])
        guard width > 2 else { return }
        for x in 1..<last {
            lowest[x] = min(min(low[x - 1], low[x]), low[x + 1])
            highest[x] = max(max(high[x - 1], high[x]), high[x + 1])
        }
    }

    /// The same down three rows, for the rows `rows`.
    private func downThree(
        _ rows: Range<Int>, from low: MutableRow<Float>, _ high: MutableRow<Float>,
        into lowest: MutableRow<Float>, _ highest: MutableRow<Float>
    ) {
        for row in rows.clamped(to: inside.lowerBound..<inside.upperBound + 1) {
            let (above, below) = (max(row - 1, inside.lowerBound), min(row + 1, inside.upperBound))
            let (l0, l1, l2) = (at(low, above), at(low, row), at(low, below))
            let (h0, h1, h2) = (at(high, above), at(high, row), at(high, below))
            let (lo, hi) = (at(lowest, row), at(highest, row))
            for x in 0..<width {
                lo[x] = min(min(l0[x], l1[x]), l2[x])
                hi[x] = max(max(h0[x], h1[x]), h2[x])
            }
        }
    }
}
