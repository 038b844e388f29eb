#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A 3 x 3 matrix, row by row.
public struct Matrix3: Equatable, Sendable {
    /// Nine values, row by row.
    public var m: [Double]

    /// A matrix of nine values, row by row.
    public init(_ m: [Double]) {
        precondition(m.count == 9)
        self.m = m
    }

    /// Ones on the diagonal.
    public static let identity = Matrix3([1, 0, 0, 0, 1, 0, 0, 0, 1])

    /// The product: `b` is applied first.
    public static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
        var r = [Double](repeating: 0, count: 9)
        for i in 0..<3 { for j in 0..<3 { for k in 0..<3 { r[i * 3 + j] += a.m[i * 3 + k] * b.m[k * 3 + j] } } }
        return Matrix3(r)
    }

    /// A column of three values, multiplied from the left.
    public static func * (a: Matrix3, v: [Double]) -> [Double] {
        (0..<3).map { a.m[$0 * 3] * v[0] + a.m[$0 * 3 + 1] * v[1] + a.m[$0 * 3 + 2] * v[2] }
    }

    /// The inverse, or nil where the determinant is zero to rounding.
    public var inverse: Matrix3? {
        let a = m
        let c = [
            a[4] * a[8] - a[5] * a[7], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
            a[5] * a[6] - a[3] * a[8], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
            a[3] * a[7] - a[4] * a[6], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3],
        ]
        let det = a[0] * c[0] + a[1] * c[3] + a[2] * c[6]
        guard det.isFinite, abs(det) > 1e-12 else { return nil }
        return Matrix3(c.map { $0 / det })
    }
}

/// How coded values (0 to 1) stand for linear light (0 to 1).
public enum TransferFunction: Equatable, Sendable {
    /// IEC 61966-2-1.
    case sRGB
    /// linear = coded ^ gamma; 1 is linear data.
    case gamma(Double)
    /// ICC parametric curve, type 4: linear = (a x + b)^g + e where x >= d, else c x + f.
    case parametric(g: Double, a: Double, b: Double, c: Double, d: Double, e: Double, f: Double)
    /// Evenly spaced samples of the linear value from coded 0 to 1, not falling; at least 2 of them.
    case table([Float])

    /// Linear light of a coded value in 0...1 (clamped). Exact to double rounding but for tables (linear between).
    public func linear(_ coded: Double) -> Double {
        let x = min(max(coded, 0), 1)
        switch self {
        case .sRGB: return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4)
        case .gamma(let g): return g == 1 ? x : pow(x, g)
        case .parametric(let g, let a, let b, let c, let d, let e, let f):
            return x >= d ? pow(max(a * x + b, 0), g) + e : c * x + f
        case .table(let t):
            let p = x * Double(t.count - 1)
            let i = min(Int(p), t.count - 2)
            return Double(t[i]) + (Double(t[i + 1]) - Double(t[i])) * (p - Double(i))
        }
    }

    /// The coded value in 0...1 whose linear light is `linear` (clamped to 0...1).
    public func coded(_ linear: Double) -> Double {
        let v = min(max(linear, 0), 1)
        switch self {
        case .sRGB: return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055
        case .gamma(let g): return g == 1 ? v : pow(v, 1 / g)
        case .parametric, .table:
            var low = 0.0
            var high = 1.0
            for _ in 0..<40 {
                let middle = (low + high) / 2
                if self.linear(middle) < v { low = middle } else { high = middle }
            }
            return (low + high) / 2
        }
    }
}

/// What a picture's RGB numbers mean: primaries (as a matrix to the ICC connection space) and transfer curve.
public struct ColourSpace: Equatable, Sendable {
    /// Name as in the profile, for messages.
    public var name: String
    /// Linear RGB to XYZ under D50, white to (0.9642, 1, 0.8249).
    public var toXYZ: Matrix3
    /// How coded values stand for light.
    public var transfer: TransferFunction

    /// A space of these primaries and this curve.
    public init(name: String, toXYZ: Matrix3, transfer: TransferFunction) {
        (self.name, self.toXYZ, self.transfer) = (name, toXYZ, transfer)
    }

    /// sRGB, primaries adapted to D50 (Bradford), as in the ICC's own sRGB profiles.
    public static let sRGB = ColourSpace(
        name: "sRGB",
        toXYZ: Matrix3([
            0.4360747, 0.3850649, 0.1430804, 0.2225045, 0.7168786, 0.0606169, 0.0139322, 0.0971045, 0.7141733,
        ]), transfer: .sRGB)

    /// Display P3 (SMPTE RP 431 primaries, D65, sRGB's curve), adapted to D50 (Bradford).
    public static let displayP3 = ColourSpace(
        name: "Display P3",
        toXYZ: Matrix3([
            0.5151187, 0.2919778, 0.1571035, 0.2411892, 0.6922441, 0.0665668, -0.0010505, 0.0418791, 0.7840713,
        ]), transfer: .sRGB)
}
