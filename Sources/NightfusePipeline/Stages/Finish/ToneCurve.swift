internal import NightfuseCore

/// Output against input, both in stops (log2 of light, 0 = full scale): how a look lays out brightness. Never falls.
struct ToneCurve {
    /// Stops added at `top`.
    var exposure = 0.0
    /// How much the range below `top` is compressed: 0 (not) to ``mostCompression``.
    var compression = 0.0
    /// Stops of the brightest lit things, and of the lamps above them.
    var top = 0.0
    var lamps = 0.0
    /// Share of the toe, 0 to 1: what comes out very dark is set further apart, so that black stays black.
    var toe = 0.0

    /// Local contrast of large shapes must not fall below a third.
    static let mostCompression = 0.66

    static let lowest = -16.0
    private static let highest = 8.0
    private static let perStop = 16.0

    /// Where the curve's output starts to be set apart (sRGB code 26 of 255) and where fully (code 8), in stops.
    private static let toeStart = -6.6
    private static let toeFull = -8.7
    private static let toeSlope = 0.7

    /// Output stops for ``lowest`` and every 1/16 stop above it.
    func table() -> [Float] {
        let count = Int((Self.highest - Self.lowest) * Self.perStop) + 1
        let step = 1 / Self.perStop
        var out = [Double](repeating: 0, count: count)
        let start = min(max(Int(((top - Self.lowest) * Self.perStop).rounded()), 0), count - 1)
        out[start] = Self.lowest + Double(start) * step + exposure
        // Above: lamps end at white, whatever the exposure did to the top, and keep their order.
        let room = -out[start]
        let above = lamps > top + step ? min(max(room / (lamps - top), 0.1), exposure < 0 ? 2 : 1) : 1
        for i in start + 1..<max(count, start + 1) { out[i] = out[i - 1] + above * step }
        for i in stride(from: start - 1, through: 0, by: -1) {
            let depth = Double(start - i) * step
            let toeShare = toe * ramp(Self.toeStart - out[i + 1], 0, Self.toeStart - Self.toeFull)
            let slope = (1 - compression * profile(depth)) * (1 + Self.toeSlope * toeShare)
            out[i] = out[i + 1] - slope * step
        }
        return out.map(Float.init)
    }

    /// How much of the compression acts `depth` stops below the top: less on lit things, all of it down to the
    /// shadows, none in the deepest, which only move.
    private func profile(_ depth: Double) -> Double {
        min(0.5 + 0.5 * ramp(depth, 0, 2), 1 - ramp(depth, 5, 9))
    }

    private func ramp(_ x: Double, _ from: Double, _ to: Double) -> Double {
        let t = min(max((x - from) / (to - from), 0), 1)
        return t * t * (3 - 2 * t)
    }

    /// Reads a curve's table at `stops`, straight between its points.
    @inline(__always)
    static func value(_ table: [Float], at stops: Float) -> Float {
        let p = min(max((stops - Float(lowest)) * Float(perStop), 0), Float(table.count - 1))
        let i = min(Int(p), table.count - 2)
        return table[i] + (table[i + 1] - table[i]) * (p - Float(i))
    }
}
