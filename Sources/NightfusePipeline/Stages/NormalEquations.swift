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
        // (power of X, power of Y, sign) of the x' and y' parts of each parameter.
        for i in 0..<8 {
            let xi = Self.partX[i]
            let yi = Self.partY[i]
            for j in i..<8 {
                let xj = Self.partX[j]
                let yj = Self.partY[j]
                var sum = 0.0
                if xi.sign != 0 && xj.sign != 0 { sum += term(m, 0, xi, xj, y) }
                if xi.sign != 0 && yj.sign != 0 { sum += term(m, 5, xi, yj, y) }
                if yi.sign != 0 && xj.sign != 0 { sum += term(m, 5, yi, xj, y) }
                if yi.sign != 0 && yj.sign != 0 { sum += term(m, 10, yi, yj, y) }
                a[i * 8 + j] += sum * scale * scale
            }
            var e = 0.0
            if xi.sign != 0 { e += xi.sign * m[15 + xi.x] * power(y, xi.y) }
            if yi.sign != 0 { e += yi.sign * m[18 + yi.x] * power(y, yi.y) }
            b[i] += e * scale
        }
    }

    private typealias Part = (x: Int, y: Int, sign: Double)
    private static let none: Part = (0, 0, 0)
    private static let partX: [Part] = [
        (1, 0, 1), (0, 1, 1), (0, 0, 1), none, none, none, (2, 0, -1), (1, 1, -1),
    ]
    private static let partY: [Part] = [
        none, none, none, (1, 0, 1), (0, 1, 1), (0, 0, 1), (1, 1, -1), (0, 2, -1),
    ]

    private func power(_ y: Double, _ n: Int) -> Double {
        n == 0 ? 1 : n == 1 ? y : n == 2 ? y * y : y * y * power(y, n - 2)
    }

    private func term(_ m: [Double], _ offset: Int, _ p: Part, _ q: Part, _ y: Double) -> Double {
        p.sign * q.sign * m[offset + p.x + q.x] * power(y, p.y + q.y)
    }

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
