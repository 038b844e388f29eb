#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import NightfuseCore

/// What ``applyLook(_:_:rows:firstY:pitch:)`` makes of one pixel, in plain Double arithmetic: the reference that the
/// kernel is held to, within 2e-4 of full scale (its logarithm is good to 3e-6 stops, its sums to Float rounding).
package func lookReference(
    _ pixel: [Double], _ s: LookSettings, slope: Double, offset: Double, sigma: Double
) -> [Double] {
    func times(_ m: [Float], _ v: [Double]) -> [Double] {
        Matrix3(m.map(Double.init)) * v
    }
    func luma(_ v: [Double]) -> Double { 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] }
    var c = times(s.toSRGB, pixel)
    let largest = max(c[0], c[1], c[2])

    let y = max(luma(c), 0)
    let (loss, rise) = (1 / Double(s.redGain) - 1, Double(s.blueGain) - 1)
    var share = 1.0
    if let most = s.mostOfCast {
        let takes = max(0.9278 * rise * c[2] + 0.2126 * loss * c[0], 1e-9)
        share = min(max((y - c[2]) * Double(most) / takes, 0), 1)
    }
    share *= min(max((1 - largest) * 5, 0), 1)
    c[0] /= 1 + share * loss
    c[2] *= 1 + share * rise
    let kept = y / max(luma(c), 1e-9)
    c = c.map { $0 * kept }

    let light = max((y + max(c[0], c[1], c[2])) / 2, 1e-9)
    let black = Double(s.black)
    let left = light < 2 * black ? light / (4 * black) : 1 - black / light
    let stops = slope * log2(light * left + Double(s.logFloor)) + offset
    let gain = left * exp2(min(max(stops, Double(s.gainRange.lowerBound)), Double(s.gainRange.upperBound)))

    let noise = sigma * sigma * Double(s.chromaSigmas) * Double(s.chromaSigmas)
    let colour = y * y + noise == 0 ? 1 : y * y / (y * y + noise)
    c = c.map { y * gain + ($0 - y) * gain * colour }

    let m = max(c[0], c[1], c[2], 1e-9)
    let (knee, white) = (Double(s.knee), max(Double(s.white), 1))
    if m > knee {
        let steep = (white - knee) / (1 - knee)
        let x = (m - knee) / (white - knee)
        let rolled = knee + (1 - knee) * min(x * steep / (1 + (steep - 1) * x), 1)
        let pale = (1 - rolled / m) * 0.33
        c = c.map { $0 * rolled / m * (1 - pale) + rolled * pale }
    }
    return times(s.fromSRGB, c)
}
