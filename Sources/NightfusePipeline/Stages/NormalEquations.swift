/// The normal equations A d = b of a homography step, eight parameters in the order of its matrix.
struct NormalEquations: Sendable {
    var a = [Double](repeating: 0, count: 64)
    var b = [Double](repeating: 0, count: 8)

    mutating func add(_ other: NormalEquations) {
        for i in 0..<64 { a[i] += other.a[i] }
        for i in 0..<8 { b[i] += other.b[i] }
    }

    /// Adds a row's moments (``rowMoments``) at height `y`; `scale` turns units of the parameters into samples.
    ///
    /// The image moves by x' = (X, Y, 1, 0, 0, 0, -X X, -X Y) . d and y' = (0, 0, 0, X, Y, 1, -X Y, -Y Y) . d, so
    /// every entry is a product of powers X^p Y^q times gx gx, gx gy or gy gy.
    mutating func add(_ m: [Double], y: Double, scale: Double) {
        let powers = SIMD8<Double>(1, y, y * y, y * y * y, y * y * (y * y), 0, 0, 0)
        var sum = 0.0
        for term in Self.terms {
            sum += term.sign * m[term.moment] * powers[term.power]
            guard term.isLast else { continue }
            if term.entry < 64 { a[term.entry] += sum * scale * scale } else { b[term.entry - 64] += sum * scale }
            sum = 0
        }
    }

    private typealias Part = (x: Int, y: Int, sign: Double)
    private static let none: Part = (0, 0, 0)
    // (power of X, power of Y, sign) of the x' and y' parts of each parameter.
    private static let partX: [Part] = [
        (1, 0, 1), (0, 1, 1), (0, 0, 1), none, none, none, (2, 0, -1), (1, 1, -1),
    ]
    private static let partY: [Part] = [
        none, none, none, (1, 0, 1), (0, 1, 1), (0, 0, 1), (1, 1, -1), (0, 2, -1),
    ]

    /// A product of a moment and a power of Y that belongs to an entry: of `a`, or from 64 on of `b`.
    private struct Term {
        var entry: Int
        var moment: Int
        var power: Int
        var sign: Double
        /// Whether the next term is another entry's.
        var isLast = false
    }

    /// All terms of the upper half of `a` and of `b`, those of an entry one after the other.
    private static let terms: [Term] = {
        var terms: [Term] = []
        func close() { if !terms.isEmpty { terms[terms.count - 1].isLast = true } }
        func add(_ entry: Int, _ offset: Int, _ p: Part, _ q: Part) {
            guard p.sign != 0, q.sign != 0 else { return }
            terms.append(Term(entry: entry, moment: offset + p.x + q.x, power: p.y + q.y, sign: p.sign * q.sign))
        }
        let one: Part = (0, 0, 1)
        for i in 0..<8 {
            for j in i..<8 {
                add(i * 8 + j, 0, partX[i], partX[j])
                add(i * 8 + j, 5, partX[i], partY[j])
                add(i * 8 + j, 5, partY[i], partX[j])
                add(i * 8 + j, 10, partY[i], partY[j])
                close()
            }
            add(64 + i, 15, partX[i], one)
            add(64 + i, 18, partY[i], one)
            close()
        }
        return terms
    }()

    /// Fills the lower half and adds a prior. `rigid` leaves shift and turn only; else stretch, shear and perspective
    /// are held loosely, so that a scene with little light keeps what a hand can do.
    mutating func regularise(rigid: Bool) {
        for i in 0..<8 { for j in 0..<i { a[i * 8 + j] = a[j * 8 + i] } }
        // The prior is relative to the information the shift has.
        let information = max((a[2 * 8 + 2] + a[5 * 8 + 5]) / 2, 1e-12)
        let stiff = rigid ? 1e6 : 1e-3
        // Stretch and shear: (d0, d4) and d1 + d3; turn is d3 = -d1.
        a[0] += stiff * information
        a[4 * 8 + 4] += stiff * information
        for (i, j) in [(1, 1), (1, 3), (3, 1), (3, 3)] { a[i * 8 + j] += stiff * information }
        a[6 * 8 + 6] += stiff * information
        a[7 * 8 + 7] += stiff * information
        for i in 0..<8 { a[i * 8 + i] += 1e-9 * information }
    }

    /// Solves by Cholesky; nil where the system is not positive.
    func solve() -> [Double]? {
        var l = [Double](repeating: 0, count: 64)
        for i in 0..<8 {
            for j in 0...i {
                var sum = a[i * 8 + j]
                for k in 0..<j { sum -= l[i * 8 + k] * l[j * 8 + k] }
                if i == j {
                    guard sum > 0, sum.isFinite else { return nil }
                    l[i * 8 + i] = sum.squareRoot()
                } else {
                    l[i * 8 + j] = sum / l[j * 8 + j]
                }
            }
        }
        var x = b
        for i in 0..<8 {
            for k in 0..<i { x[i] -= l[i * 8 + k] * x[k] }
            x[i] /= l[i * 8 + i]
        }
        for i in stride(from: 7, through: 0, by: -1) {
            for k in (i + 1)..<8 { x[i] -= l[k * 8 + i] * x[k] }
            x[i] /= l[i * 8 + i]
        }
        return x
    }
}
