internal import NightfuseCore
internal import NightfuseKernels

/// The light a picture was taken under, from its well-exposed, unclipped blocks whose colour a lamp or the sky could
/// give to something grey.
///
/// Guesses: shades of grey (Minkowski mean of power 4, Finlayson and Trezzi 2004) and the light-weighted median of the
/// blocks' places on the locus. The one nearer to the picture's own white is taken where `cautious`, so that a red wall
/// or a blue shop sign does not pass for the light; else the median alone, which lamps of other colours do not move.
/// Neutral where too little of the picture can tell.
func estimateIlluminant(_ blocks: FinishBlocks, scene: Scene, sigma: Plane<Float>, cautious: Bool) -> Illuminant {
    var votes = [(mired: Double, tint: Double, weight: Double)]()
    var powers = [0.0, 0.0, 0.0]
    var visited = 0
    blocks.visit { x, y in
        visited += 1
        let (r, g, b) = blocks.mean(x, y)
        // Clipped anywhere in the block: its colour is not known. In the noise or in the dark half: too uncertain.
        guard blocks.peak.row(y)[x] < 0.95, max(r, g, b) > max(scene.median, 4 * sigma.row(y)[x]) else { return }
        let rgb = [Double(r), Double(g), Double(b)]
        guard let light = place(rgb) else { return }
        votes.append((light.mired, light.tint, (rgb[0] + rgb[1] + rgb[2]).squareRoot()))
        for i in 0..<3 { powers[i] += rgb[i] * rgb[i] * rgb[i] * rgb[i] }
    }
    // One block in a hundred has to have a say.
    guard votes.count * 100 >= visited, !votes.isEmpty else { return .neutral }
    votes.sort { $0.mired < $1.mired }
    let total = votes.reduce(0) { $0 + $1.weight }
    var sum = 0.0
    let middle = votes.first { vote in
        sum += vote.weight
        return sum * 2 >= total
    }
    let median = Illuminant(
        mired: middle?.mired ?? Illuminant.neutralMired, tint: votes.reduce(0) { $0 + $1.tint * $1.weight } / total)
    guard cautious else { return median }
    guard let grey = place(powers.map { $0.squareRoot().squareRoot() }) else { return .neutral }
    return Illuminant(
        mired: nearer(grey.mired, median.mired, to: Illuminant.neutralMired),
        tint: nearer(grey.tint, median.tint, to: 0))
}

/// Whichever of two is closer to `target`; `target` itself where they lie on different sides of it.
private func nearer(_ a: Double, _ b: Double, to target: Double) -> Double {
    if (a - target) * (b - target) <= 0 { return target }
    return abs(a - target) < abs(b - target) ? a : b
}

/// Where linear sRGB light lies on the locus.
private func place(_ rgb: [Double]) -> Illuminant? {
    let xyz = sRGBToXYZ65 * rgb
    let sum = xyz[0] + 15 * xyz[1] + 3 * xyz[2]
    guard sum > 0, xyz[1] > 0 else { return nil }
    return Illuminant(u: 4 * xyz[0] / sum, v: 6 * xyz[1] / sum)
}

/// How far a look goes in making the light white.
struct Adaptation {
    /// Share of the way for light warmer than the picture's white, for colder light, and for its green or magenta.
    var warm: Double
    var cold: Double
    var tint: Double

    /// Eyes adapt only partly in the dark, and a picture of the night that is neutral looks cold: some warmth stays.
    /// Blue hour stays blue.
    static let night = Adaptation(warm: 0.5, cold: 0, tint: 0.5)
    static let natural = Adaptation(warm: 0.9, cold: 0.7, tint: 0.9)
}

/// Gains of linear sRGB's red and blue (against green) that make `light` as white as `adaptation` wants.
///
/// - Parameter strength: 0 to 1 of the adaptation.
func balance(_ light: Illuminant, _ adaptation: Adaptation, strength: Double) -> (red: Float, blue: Float) {
    let shift = light.mired - Illuminant.neutralMired
    let share = strength * (shift > 0 ? adaptation.warm : adaptation.cold)
    let from = Illuminant(
        mired: min(Illuminant.neutralMired + shift * share, warmest),
        tint: light.tint * strength * adaptation.tint * (shift > 0 ? 1 : adaptation.cold))
    guard let toRGB = sRGBToXYZ65.inverse else { return (1, 1) }
    let (a, b) = (toRGB * from.xyz, toRGB * Illuminant.neutral.xyz)
    return (Float(a[1] / a[0] * b[0] / b[1]), Float(a[1] / a[2] * b[2] / b[1]))
}

/// 2400 K: redder light than this has next to no blue that a gain could bring back but noise.
private let warmest = 417.0

/// Chromatic adaptation between two whites by Bradford's cone responses (Lam 1985; as in ICC.1 annex E).
func bradford(from: [Double], to: [Double]) -> Matrix3 {
    let cones = Matrix3([0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296])
    let (a, b) = (cones * from, cones * to)
    let gain = Matrix3([b[0] / a[0], 0, 0, 0, b[1] / a[1], 0, 0, 0, b[2] / a[2]])
    // The matrix of the standard has an inverse; its determinant is 1.27.
    return (cones.inverse ?? .identity) * gain * cones
}
