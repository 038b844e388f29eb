package import NightfuseCore

/// What ``applyLook(_:_:rows:)`` does to every pixel. All light is linear, 1 = full scale.
package struct LookSettings: Sendable {
    /// Row by row, from the picture's primaries to linear sRGB, and back.
    package var toSRGB: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    package var fromSRGB: [Float] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
    /// White balance: gains of linear sRGB's red and blue against green, above 0. Luma is kept.
    package var redGain: Float = 1
    package var blueGain: Float = 1
    /// Most of a pixel's own yellowness (or blueness, where the balance works against that) that the balance may take;
    /// what was neutral or leans the other way stays as it was. Nil: the same balance for every pixel.
    package var mostOfCast: Float?
    /// Light taken off the blacks, 0 or more.
    package var black: Float = 0
    /// Added to light before its logarithm is taken, above 0.
    package var logFloor: Float = 1 / 4096
    /// Local gain in stops: `slope` x log2(light) + `offset`, held to `gainRange`; small maps of `factor` pixels a
    /// sample, or nil for `constantGain` everywhere.
    package var maps: LookMaps?
    package var constantGain: Float = 0
    package var gainRange: ClosedRange<Float> = -8...8
    /// Where the roll-off to white begins (0 to 1), and the light that becomes 1 (at least 1).
    package var knee: Float = 0.8
    package var white: Float = 1
    /// Colour fades where light is below this many sigmas of `maps.sigma`; 0: never.
    package var chromaSigmas: Float = 0

    package init() {}
}

/// Small maps that ``applyLook(_:_:rows:)`` spreads over the picture, linear between block middles.
package struct LookMaps: Sendable {
    package var factor: Int
    package var slope: Plane<Float>
    package var offset: Plane<Float>
    /// Noise of luma, as light.
    package var sigma: Plane<Float>

    package init(factor: Int, slope: Plane<Float>, offset: Plane<Float>, sigma: Plane<Float>) {
        (self.factor, self.slope, self.offset, self.sigma) = (factor, slope, offset, sigma)
    }
}

/// Light that tone follows: midway between luma and the largest channel, so that a saturated lamp counts as bright.
@inline(__always)
func toneLight(_ r: Float, _ g: Float, _ b: Float) -> Float {
    0.5 * (0.2126 * r + 0.7152 * g + 0.0722 * b + max(r, max(g, b)))
}

/// What is left of light `x` when `black` is taken off it, as a factor: a parabola up to twice the black, which it meets
/// with the same slope, so that no step can band.
@inline(__always)
func blackFactor(_ x: Float, _ black: Float) -> Float {
    x < 2 * black ? max(x, 0) / (4 * black) : 1 - black / max(x, .leastNormalMagnitude)
}

/// log2 of the tone-giving light of one pixel in linear sRGB, less black: what the gain maps are functions of.
package func toneLog2(_ r: Float, _ g: Float, _ b: Float, black: Float, floor: Float) -> Float {
    let tone = toneLight(r, g, b)
    let light = tone > 0 ? tone : 0
    let lanes = log2Lanes(Lanes(repeating: light * blackFactor(light, black) + floor))
    return lanes[0]
}

/// Gives rows `rows` of a picture its look, in place.
///
/// In each pixel: to linear sRGB; white balance; black; local gain (one factor for the three channels, so hue stays);
/// colour faded in noise; roll-off of the largest channel to 1, with the hue kept; back to the picture's primaries.
/// Input: any finite light. Output: at most 1 in linear sRGB, below 0 only for colours outside it.
/// Cost: one read and one write of the picture, about 120 operations a pixel; scratch of three rows.
package func applyLook(
    _ planes: [Plane<Float>], _ settings: LookSettings, rows: Range<Int>, firstY: Int = 0, pitch: Int = 1
) {
    let width = planes[0].width
    let lanes = (width + 7) / 8
    let small = (settings.maps?.slope.width ?? 1) + 1
    withRoom(of: Lanes.self, count: lanes * 3 + (small + 7) / 8) { slope in
        let (offset, sigma, column) = (slope + lanes, slope + lanes * 2, slope + lanes * 3)
        slope.update(repeating: Lanes(repeating: 0), count: lanes * 3)
        offset.update(repeating: Lanes(repeating: settings.constantGain), count: lanes)
        // Rows begin on 64-byte boundaries and are padded to them, so that they can be taken eight samples at a time.
        let row = LookRow(settings)
        for y in rows {
            if let maps = settings.maps {
                for (plane, target) in [(maps.slope, slope), (maps.offset, offset), (maps.sigma, sigma)] {
                    spreadRow(
                        plane, y: firstY + y * pitch, factor: maps.factor, width: width, column: column.lanes(small),
                        into: target.lanes(lanes * 8))
                }
            }
            row.apply(
                planes[0].mutableRow(y).vectors(lanes), planes[1].mutableRow(y).vectors(lanes),
                planes[2].mutableRow(y).vectors(lanes), Row(slope), Row(offset), Row(sigma), lanes)
        }
    }
}

/// Row `y` of the full picture from a small map: linear between the middles of blocks of `factor` pixels, level beyond
/// the outermost ones. `column` is scratch of the map's width.
package func spreadRow(
    _ plane: Plane<Float>, y: Int, factor: Int, width: Int, column: MutableRow<Float>,
    into target: MutableRow<Float>
) {
    let step = 1 / Float(factor)
    let v = max((Float(y) + 0.5) * step - 0.5, 0)
    let top = min(Int(v), plane.height - 1)
    let (above, below) = (plane.row(top), plane.row(min(top + 1, plane.height - 1)))
    let share = v - Float(top)
    for i in 0..<plane.width { column[i] = above[i] + (below[i] - above[i]) * share }
    // The first pixel whose middle is not left of the first block's middle, and its distance from that.
    let first = factor / 2
    let phase = factor % 2 == 0 ? 0.5 * step : 0
    for x in 0..<min(first, width) { target[x] = column[0] }
    var x = first
    var i = 0
    while x < width {
        let from = column[i]
        let slope = (column[min(i + 1, plane.width - 1)] - from) * step
        let start = from + slope * (phase * Float(factor))
        let count = min(factor, width - x)
        for k in 0..<count { target[x &+ k] = start + slope * Float(k) }
        x += factor
        i = min(i + 1, plane.width - 1)
    }
}

/// The settings laid out for the loop over a row.
private struct LookRow {
    private typealias Three = (Float, Float, Float)
    private let into: (Three, Three, Three)
    private let back: (Three, Three, Three)
    private let redLoss: Float
    private let blueRise: Float
    private let always: Float
    private let cast: Float
    private let black: Float
    private let floor: Float
    private let lowGain: Float
    private let highGain: Float
    private let knee: Float
    private let steepness: Float
    private let kneeScale: Float
    private let chroma: Float

    init(_ s: LookSettings) {
        func rows(_ m: [Float]) -> (Three, Three, Three) {
            ((m[0], m[1], m[2]), (m[3], m[4], m[5]), (m[6], m[7], m[8]))
        }
        into = rows(s.toSRGB)
        back = rows(s.fromSRGB)
        redLoss = 1 / s.redGain - 1
        blueRise = s.blueGain - 1
        always = s.mostOfCast == nil ? 1 : 0
        cast = s.mostOfCast ?? 1
        black = s.black
        floor = s.logFloor
        (lowGain, highGain) = (s.gainRange.lowerBound, s.gainRange.upperBound)
        knee = s.knee
        let white = max(s.white, 1)
        steepness = (white - s.knee) / (1 - s.knee)
        kneeScale = 1 / (white - s.knee)
        chroma = s.chromaSigmas * s.chromaSigmas
    }

    @inline(__always)
    private func dot(_ m: Three, _ r: Lanes, _ g: Lanes, _ b: Lanes) -> Lanes { r * m.0 + g * m.1 + b * m.2 }

    @inline(__always)
    private func luma(_ r: Lanes, _ g: Lanes, _ b: Lanes) -> Lanes { r * 0.2126 + g * 0.7152 + b * 0.0722 }

    func apply(
        _ red: MutableRow<Lanes>, _ green: MutableRow<Lanes>, _ blue: MutableRow<Lanes>,
        _ slope: Row<Lanes>, _ offset: Row<Lanes>, _ sigma: Row<Lanes>, _ count: Int
    ) {
        let tiny = Float(1e-9)
        for i in 0..<count {
            var r = dot(into.0, red[i], green[i], blue[i])
            var g = dot(into.1, red[i], green[i], blue[i])
            var b = dot(into.2, red[i], green[i], blue[i])

            // White balance, up to the allowed share of the pixel's own cast (blue below luma; 0.9278 and 0.2126 are
            // what blue and red weigh in that); none where a channel nears clipping and its colour is not known: a white
            // lamp must not turn blue or magenta. Partial gains follow the black-body locus when one rises and the
            // other's inverse rises.
            let y = greater(luma(r, g, b), Lanes(repeating: 0))
            let takes = greater(b * (0.9278 * blueRise) + r * (0.2126 * redLoss), Lanes(repeating: tiny))
            let own = unit((y - b) * cast / takes)
            let known = unit((1 - greater(r, greater(g, b))) * 5)
            let share = greater(own, Lanes(repeating: always)) * known
            r = r / (1 + share * redLoss)
            b = b * (1 + share * blueRise)
            let kept = y / greater(luma(r, g, b), Lanes(repeating: tiny))
            r = r * kept
            g = g * kept
            b = b * kept

            // Black and local gain.
            let light = greater((y + greater(r, greater(g, b))) * 0.5, Lanes(repeating: tiny))
            let left = (1 - black / light).replacing(
                with: light * (0.25 / max(black, tiny)), where: light .< Lanes(repeating: 2 * black))
            let stops = slope[i] * log2Lanes(light * left + floor) + offset[i]
            let gain =
                left * exp2Lanes(lesser(greater(stops, Lanes(repeating: lowGain)), Lanes(repeating: highGain)))

            // Colour fades where it is noise.
            let energy = y * y
            let keep = gain * ((energy + tiny * tiny) / (energy + sigma[i] * sigma[i] * chroma + tiny * tiny))
            let lumaOut = y * gain
            r = lumaOut + (r - y) * keep
            g = lumaOut + (g - y) * keep
            b = lumaOut + (b - y) * keep

            // Roll-off: the largest channel m becomes m1; the others follow by ratio, and a third of what is taken
            // off goes to white.
            let m = greater(greater(r, greater(g, b)), Lanes(repeating: tiny))
            let x = greater((m - knee) * kneeScale, Lanes(repeating: 0))
            let rolled = lesser(x * steepness / (1 + (steepness - 1) * x), Lanes(repeating: 1)) * (1 - knee) + knee
            let m1 = m.replacing(with: rolled, where: m .> Lanes(repeating: knee))
            let ratio = m1 / m
            let pale = (1 - ratio) * 0.33
            let scale = ratio * (1 - pale)
            let add = m1 * pale
            r = r * scale + add
            g = g * scale + add
            b = b * scale + add

            red[i] = dot(back.0, r, g, b)
            green[i] = dot(back.1, r, g, b)
            blue[i] = dot(back.2, r, g, b)
        }
    }
}
