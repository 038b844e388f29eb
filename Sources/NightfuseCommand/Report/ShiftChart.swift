internal import NightfusePipeline

/// The way the camera went: where the reference's centre lies in each frame, joined in order.
struct ShiftChart {
    struct Point {
        var index: Int
        /// Pixels, y down.
        var x: Double
        var y: Double
        var used: Bool
    }

    let points: [Point]

    /// Nil where there is nothing to join.
    init?(_ frames: [FrameEntry]) {
        points = frames.enumerated().filter { $0.element.isMeasured }.map { index, frame in
            Point(index: index, x: frame.report.shift.x, y: frame.report.shift.y, used: frame.report.used)
        }
        guard points.count > 1 else { return nil }
    }

    private static let side = 320.0
    private static let margin = 36.0

    var svg: String {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        let (left, right) = (xs.min() ?? 0, xs.max() ?? 0)
        let (top, bottom) = (ys.min() ?? 0, ys.max() ?? 0)
        // A still camera shall not look like a wandering one: at least four pixels across.
        let span = max(right - left, bottom - top, 4)
        let scale = (ShiftChart.side - 2 * ShiftChart.margin) / span
        func place(_ point: Point) -> (Double, Double) {
            (
                ShiftChart.side / 2 + (point.x - (left + right) / 2) * scale,
                ShiftChart.side / 2 + (point.y - (top + bottom) / 2) * scale
            )
        }
        let way = points.map { point in
            let (x, y) = place(point)
            return "\(fixed(x, 1)),\(fixed(y, 1))"
        }.joined(separator: " ")
        let unit = niceStep(span / 3)
        var text =
            """
            <svg class="chart" role="img" viewBox="0 0 320 320" aria-labelledby="shift-title shift-desc">
            <title id="shift-title">Shift of each frame in pixels</title>
            <desc id="shift-desc">\(escaped(description))</desc>
            <rect class="axis" x="0.5" y="0.5" width="319" height="319"/>
            <polyline class="path" points="\(way)"/>

            """
        for point in points {
            let (x, y) = place(point)
            let mark = point.used ? "m-base" : "m-left-out"
            text +=
                "<circle class=\"\(mark)\" cx=\"\(fixed(x, 1))\" cy=\"\(fixed(y, 1))\" r=\"5\"><title>frame "
                + "\(point.index): \(fixed(point.x, 1)), \(fixed(point.y, 1)) px\(point.used ? "" : ", left out")"
                + "</title></circle>\n<text x=\"\(fixed(x + 8, 1))\" y=\"\(fixed(y - 6, 1))\">\(point.index)</text>\n"
        }
        let length = unit * scale
        text += """
            <line class="path" x1="12" y1="306" x2="\(fixed(12 + length, 1))" y2="306"/>
            <text class="secondary" x="12" y="298">\(plainNumber(unit)) px</text>
            </svg>

            """
        return text
    }

    private var description: String {
        points.map { "frame \($0.index): \(fixed($0.x, 1)), \(fixed($0.y, 1))" }.joined(separator: "; ")
    }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above `value` (which is above 0).
func niceStep(_ value: Double) -> Double {
    var power = 1.0
    while power > value { power /= 10 }
    while power * 10 <= value { power *= 10 }
    return power * (value / power >= 5 ? 5 : value / power >= 2 ? 2 : 1)
}
