internal import NightfuseCore
internal import NightfuseKernels

/// The light that a picture seems to have been taken under: a place on (or near) the black-body locus.
struct Illuminant: Equatable {
    /// A million over the colour temperature; 154 is the picture's own white.
    var mired: Double
    /// Distance from the locus in CIE 1960 u, v; above 0 towards green.
    var tint: Double

    /// The white that sRGB numbers are relative to.
    static let neutral = Illuminant(mired: neutralMired, tint: 0)
    static let neutralMired = 154.0

    /// CIE 1960 u, v.
    var uv: (u: Double, v: Double) {
        let here = locus(mired)
        let along = locusDirection(mired)
        // The normal that points to green: larger v for the warm half, smaller u for the cold one.
        return (here.u - along.v * tint, here.v + along.u * tint)
    }

    /// XYZ with Y = 1.
    var xyz: [Double] {
        let (u, v) = uv
        // x = 3u / (2u - 8v + 4), y = 2v / (2u - 8v + 4); X = x / y, Z = (1 - x - y) / y.
        return [1.5 * u / v, 1, (2 * u - 8 * v + 4 - 3 * u - 2 * v) / (2 * v)]
    }

    /// The nearest one to CIE 1960 `u`, `v`, or nil where that is too far away to be light on something grey.
    init?(u: Double, v: Double) {
        var best = (distance: Double.infinity, mired: 0.0)
        for step in 0..<Self.count {
            let mired = Self.coldest + Double(step) * Self.stepMired
            let p = Self.table[step]
            let distance = (p.u - u) * (p.u - u) + (p.v - v) * (p.v - v)
            if distance < best.distance { best = (distance, mired) }
        }
        let p = locus(best.mired)
        let along = locusDirection(best.mired)
        let tint = (v - p.v) * along.u - (u - p.u) * along.v
        let beyond = (u - p.u) * along.u + (v - p.v) * along.v
        guard abs(tint) < Self.tintReach, abs(beyond) < Self.tintReach else { return nil }
        self.init(mired: best.mired, tint: tint)
    }

    init(mired: Double, tint: Double) { (self.mired, self.tint) = (mired, tint) }

    /// The locus is searched from 12500 K to 1350 K: from blue hour to candles and sodium lamps.
    private static let coldest = 80.0
    private static let stepMired = 4.0
    private static let count = 166
    private static let table = (0..<count).map { locus(coldest + Double($0) * stepMired) }
    /// How far from the locus in u, v a colour may lie and still be taken for a light's: fluorescent and LED lamps
    /// stay within 0.02.
    private static let tintReach = 0.02
}

extension Illuminant {
    /// Place on the locus nearest to XYZ in CIE 1960 u, v, whatever its distance; nil where that is not finite.
    /// Within 1000 K to 14000 K; by golden sections to a thousandth.
    static func mired(x: Double, y: Double, z: Double) -> Double? {
        let sum = x + 15 * y + 3 * z
        let (u, v) = (4 * x / sum, 6 * y / sum)
        guard u.isFinite, v.isFinite else { return nil }
        func distance(_ mired: Double) -> Double {
            let p = locus(mired)
            return (p.u - u) * (p.u - u) + (p.v - v) * (p.v - v)
        }
        var (low, high) = (71.0, 1000.0)
        let ratio = 0.618_033_988_749_895
        for _ in 0..<60 {
            let (a, b) = (high - (high - low) * ratio, low + (high - low) * ratio)
            if distance(a) < distance(b) { high = b } else { low = a }
        }
        return (low + high) / 2
    }
}

/// CIE 1960 u, v of a black body (Krystek 1985, rational approximation, 1000 K to 15000 K).
private func locus(_ mired: Double) -> (u: Double, v: Double) {
    let t = 1e6 / mired
    let u =
        (0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t * t)
        / (1 + 8.42420235e-4 * t + 7.08145163e-7 * t * t)
    let v =
        (0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t * t)
        / (1 - 2.89741816e-5 * t + 1.61456053e-7 * t * t)
    return (u, v)
}

/// Unit vector along the locus towards warmer light.
private func locusDirection(_ mired: Double) -> (u: Double, v: Double) {
    let (a, b) = (locus(mired - 1), locus(mired + 1))
    let (du, dv) = (b.u - a.u, b.v - a.v)
    let length = (du * du + dv * dv).squareRoot()
    return (du / length, dv / length)
}

/// Linear sRGB to XYZ under its own white, D65 (IEC 61966-2-1).
let sRGBToXYZ65 = Matrix3([
    0.4124564, 0.3575761, 0.1804375, 0.2126729, 0.7151522, 0.0721750, 0.0193339, 0.1191920, 0.9503041,
])
