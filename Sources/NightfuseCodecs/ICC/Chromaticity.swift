internal import NightfuseCore

/// A colour without its brightness, CIE 1931 x and y.
struct Chromaticity: Equatable {
    let x: Double
    let y: Double

    init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    /// White of daylight D65, as sRGB, Display P3 and Adobe RGB have it.
    static let d65 = Chromaticity(0.3127, 0.3290)

    /// XYZ of the ICC connection space's white (ICC.1:2010, 7.2.16).
    static let d50White = [0.9642, 1, 0.8249]

    /// XYZ at Y = 1; nil where it is no chromaticity.
    var xyz: [Double]? { y > 1e-6 && x >= 0 && x <= 1 && y <= 1 ? [x / y, 1, (1 - x - y) / y] : nil }

    /// The matrix that takes colours seen under `from` to what looks alike under `to`, by Bradford's cone responses
    /// (ICC.1:2010, annex E).
    static func bradford(from: [Double], to: [Double]) -> Matrix3? {
        let cones = Matrix3([0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296])
        guard let back = cones.inverse else { return nil }
        let (a, b) = (cones * from, cones * to)
        guard a.allSatisfy({ abs($0) > 1e-6 }) else { return nil }
        return back * Matrix3([b[0] / a[0], 0, 0, 0, b[1] / a[1], 0, 0, 0, b[2] / a[2]]) * cones
    }
}

/// Where a colour space's red, green, blue and white lie.
struct Primaries: Equatable {
    let red: Chromaticity
    let green: Chromaticity
    let blue: Chromaticity
    let white: Chromaticity

    /// ITU-R BT.709 and sRGB.
    static let bt709 = Primaries(
        red: Chromaticity(0.64, 0.33), green: Chromaticity(0.30, 0.60), blue: Chromaticity(0.15, 0.06), white: .d65)
    /// Adobe RGB (1998), 4.3.1.1.
    static let adobeRGB = Primaries(
        red: Chromaticity(0.64, 0.33), green: Chromaticity(0.21, 0.71), blue: Chromaticity(0.15, 0.06), white: .d65)
    /// SMPTE EG 432-1 with D65: Display P3.
    static let displayP3 = Primaries(
        red: Chromaticity(0.680, 0.320), green: Chromaticity(0.265, 0.690), blue: Chromaticity(0.150, 0.060),
        white: .d65)
    /// ITU-R BT.2020.
    static let bt2020 = Primaries(
        red: Chromaticity(0.708, 0.292), green: Chromaticity(0.170, 0.797), blue: Chromaticity(0.131, 0.046),
        white: .d65)

    /// Whether all lie within 0.001 of the others: what files round to.
    func isNear(_ other: Primaries) -> Bool {
        zip([red, green, blue, white], [other.red, other.green, other.blue, other.white]).allSatisfy {
            abs($0.x - $1.x) < 0.001 && abs($0.y - $1.y) < 0.001
        }
    }

    /// Linear RGB to XYZ under D50; nil where the primaries make no space.
    var toXYZ: Matrix3? {
        guard let r = red.xyz, let g = green.xyz, let b = blue.xyz, let w = white.xyz else { return nil }
        let columns = Matrix3([r[0], g[0], b[0], r[1], g[1], b[1], r[2], g[2], b[2]])
        guard let back = columns.inverse, let adapt = Chromaticity.bradford(from: w, to: Chromaticity.d50White) else {
            return nil
        }
        let s = back * w
        guard s.allSatisfy({ $0.isFinite && $0 > 1e-4 }) else { return nil }
        return adapt * columns * Matrix3([s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]])
    }

    /// A colour space of these primaries; nil where they make none.
    func space(_ name: String, _ transfer: TransferFunction) -> ColourSpace? {
        toXYZ.map { ColourSpace(name: name, toXYZ: $0, transfer: transfer) }
    }
}
