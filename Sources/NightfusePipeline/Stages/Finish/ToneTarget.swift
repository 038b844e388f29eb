internal import NightfuseCore

/// How bright a look may make a picture.
struct ToneTarget {
    /// Mean of the sRGB-coded luma to reach.
    var mean: Double
    /// How far the picture is a dark one: 1 fully, 0 not at all and to be left alone.
    var darkness: Double
    /// Mean up to which light is added even where lit parts have no room left for it.
    var floor = ToneTarget.darkest
    /// Compression up to which the range below the lit parts is lifted for that before they are.
    var deepest = ToneCurve.mostCompression

    /// Bounds of a dark scene's mean: below the first nothing can be seen, above the second it is no longer night.
    static let darkest = 0.12
    static let brightest = 0.28
    /// What a picture that is all black but for its lamps is brought to: any more would be grey haze.
    static let least = 0.11

    /// The night look's ceiling.
    ///
    /// From the picture: mean m becomes at least `darkest` + (1 - `darkest` / `brightest`) m, which meets m at
    /// `brightest`: what is brighter keeps its own brightness; and less the more of the picture is black. From the
    /// scene's mean luminance (cd/m^2), where it is known: at most ``ceiling(_:)``.
    static func night(codedMean m: Double, blackShare: Double, sceneLuminance: Double?) -> ToneTarget {
        let wanted = darkest + (1 - darkest / brightest) * m
        let lifted = max(m, wanted + (least - wanted) * smoothStep(blackShare, 0, 1))
        var target = ToneTarget(mean: lifted, darkness: 1 - smoothStep(m, 0.26, 0.40))
        if let sceneLuminance, sceneLuminance > 0 {
            let limit = ceiling(sceneLuminance)
            if target.mean > limit { target = ToneTarget(mean: limit, darkness: 1) }
        }
        return target
    }

    /// A photograph's target at `amount` (0 to 1) of the way to the mean of a picture taken by day.
    static func photograph(codedMean m: Double, amount: Double) -> ToneTarget {
        ToneTarget(
            mean: m + max(day - m, 0) * amount, darkness: m < day ? min(amount * 4, 1) : 0, floor: mostlyBlack,
            deepest: 0.85)
    }

    /// Mean coded luma of ordinary daylight pictures.
    static let day = 0.45
    /// Means that a photograph is raised to by itself: `dim` where it is all dark, its own from `enough` on.
    private static let dim = 0.24
    private static let enough = 0.32

    /// What a photograph that is nearly all black is raised to.
    private static let mostlyBlack = 0.215

    /// How much of ``photograph(codedMean:amount:)`` suits a picture of this mean and share of black: 0 where it is not
    /// dark.
    static func amount(codedMean m: Double, blackShare: Double) -> Double {
        guard m < enough else { return 0 }
        let wanted = dim + (1 - dim / enough) * m
        return max(wanted + (mostlyBlack - wanted) * smoothStep(blackShare, 0.3, 1) - m, 0) / (day - m)
    }

    /// Most a scene of this mean luminance (cd/m^2) may show: 0.14 at 0.001 (starlight), 0.28 at 1 (a lit street), and
    /// free from 10 on (rooms, dusk).
    private static func ceiling(_ luminance: Double) -> Double {
        let decades = inStops(luminance) / inStops(10.0)
        if decades <= 0 { return max(0.28 + 0.14 / 3 * decades, 0.14) }
        return 0.28 + 0.72 * smoothStep(decades, 0, 1)
    }
}

/// Cubic step from 0 at `from` to 1 at `to`.
func smoothStep(_ x: Double, _ from: Double, _ to: Double) -> Double {
    let t = min(max((x - from) / (to - from), 0), 1)
    return t * t * (3 - 2 * t)
}
