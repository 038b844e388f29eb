#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Lettering drawn as strokes, for painted boards and neon tubes. Letters are one unit high; baseline at 0, y up.
struct Lettering: Sendable {
    /// Width of the whole line, in letter heights.
    let width: Float
    private let strokes: [(ax: Float, ay: Float, bx: Float, by: Float)]
    private let spans: [(from: Float, to: Float, first: Int, last: Int)]

    /// - Parameter vertical: letters stand one below the other, the last on the baseline.
    init(_ text: String, vertical: Bool = false) {
        var strokes: [(ax: Float, ay: Float, bx: Float, by: Float)] = []
        var spans: [(from: Float, to: Float, first: Int, last: Int)] = []
        var pen: Float = 0
        let pitch: Float = 1.28
        for (number, letter) in text.enumerated() {
            let glyph = Self.glyphs[letter] ?? []
            let advance = letter == " " ? 0.45 : (Self.narrow.contains(letter) ? 0.14 : 0.58)
            let rise = vertical ? Float(text.count - 1 - number) * pitch : 0
            let shift = vertical ? (0.58 - Float(advance)) / 2 : pen
            let first = strokes.count
            for line in glyph {
                for (a, b) in zip(line, line.dropFirst()) {
                    strokes.append((a.0 + shift, a.1 + rise, b.0 + shift, b.1 + rise))
                }
            }
            spans.append((shift, shift + Float(advance), first, strokes.count))
            pen += Float(advance) + 0.24
        }
        self.strokes = strokes
        self.spans = spans
        width = vertical ? 0.58 : pen - 0.24
    }

    /// Distance from (x, y) to the nearest stroke's middle line; `far` where it is more than that.
    func distance(_ x: Float, _ y: Float, far: Float) -> Float {
        var best = far * far
        for span in spans where x > span.from - far && x < span.to + far {
            for s in strokes[span.first..<span.last] {
                let dx = s.bx - s.ax, dy = s.by - s.ay
                let px = x - s.ax, py = y - s.ay
                let t = min(max((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-9), 0), 1)
                let ex = px - dx * t, ey = py - dy * t
                best = min(best, ex * ex + ey * ey)
            }
        }
        return best.squareRoot()
    }

    private static let narrow: Set<Character> = ["I", "'", "."]

    private typealias Line = [(Float, Float)]

    /// Part of an ellipse, degrees counted from the right, up first.
    private static func arc(_ cx: Float, _ cy: Float, _ rx: Float, _ ry: Float, _ from: Float, _ to: Float) -> Line {
        let steps = 10
        return (0...steps).map { step in
            let a = (from + (to - from) * Float(step) / Float(steps)) * Float.pi / 180
            return (cx + rx * cos(a), cy + ry * sin(a))
        }
    }

    private static let glyphs: [Character: [Line]] = [
        "A": [[(0, 0), (0.29, 1), (0.58, 0)], [(0.1, 0.34), (0.48, 0.34)]],
        "B": [
            [(0, 0), (0, 1)], [(0, 1)] + arc(0.28, 0.77, 0.24, 0.23, 90, -90) + [(0, 0.54)],
            [(0, 0.54)] + arc(0.3, 0.27, 0.28, 0.27, 90, -90) + [(0, 0)],
        ],
        "C": [arc(0.32, 0.5, 0.32, 0.5, 52, 308)],
        "D": [[(0, 0), (0, 1)] + arc(0.2, 0.5, 0.38, 0.5, 90, -90) + [(0, 0)]],
        "E": [[(0.5, 1), (0, 1), (0, 0), (0.52, 0)], [(0, 0.53), (0.42, 0.53)]],
        "F": [[(0.52, 1), (0, 1), (0, 0)], [(0, 0.53), (0.42, 0.53)]],
        "G": [arc(0.32, 0.5, 0.32, 0.5, 52, 360) + [(0.38, 0.5)]],
        "H": [[(0, 0), (0, 1)], [(0.56, 0), (0.56, 1)], [(0, 0.53), (0.56, 0.53)]],
        "I": [[(0.07, 0), (0.07, 1)]],
        "K": [[(0, 0), (0, 1)], [(0.54, 1), (0, 0.42)], [(0.17, 0.6), (0.58, 0)]],
        "L": [[(0, 1), (0, 0), (0.5, 0)]],
        "M": [[(0, 0), (0.04, 1), (0.3, 0.3), (0.56, 1), (0.6, 0)]],
        "N": [[(0, 0), (0, 1), (0.56, 0), (0.56, 1)]],
        "O": [arc(0.3, 0.5, 0.32, 0.5, 0, 360)],
        "P": [[(0, 0), (0, 1)], [(0, 1)] + arc(0.28, 0.74, 0.27, 0.26, 90, -90) + [(0, 0.48)]],
        "R": [
            [(0, 0), (0, 1)], [(0, 1)] + arc(0.28, 0.75, 0.26, 0.25, 90, -90) + [(0, 0.5)],
            [(0.26, 0.5), (0.56, 0)],
        ],
        "S": [arc(0.29, 0.75, 0.26, 0.25, 40, 270) + arc(0.29, 0.26, 0.29, 0.26, 90, -140)],
        "T": [[(0, 1), (0.58, 1)], [(0.29, 1), (0.29, 0)]],
        "U": [[(0, 1), (0, 0.3)] + arc(0.28, 0.3, 0.28, 0.3, 180, 360) + [(0.56, 1)]],
        "V": [[(0, 1), (0.28, 0), (0.56, 1)]],
        "W": [[(0, 1), (0.14, 0), (0.3, 0.7), (0.46, 0), (0.6, 1)]],
        "X": [[(0, 0), (0.56, 1)], [(0, 1), (0.56, 0)]],
        "Y": [[(0, 1), (0.28, 0.48), (0.56, 1)], [(0.28, 0.48), (0.28, 0)]],
        "Z": [[(0, 1), (0.55, 1), (0, 0), (0.56, 0)]],
        "'": [[(0.07, 1), (0.07, 0.8)]],
    ]
}
