package import NightfuseCore
internal import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Black levels that drift from frame to frame, told from the dark parts of aligned pictures.
package struct BlackDrift: Sendable {
    /// What is to be taken off the frame's sensor light so that its black is the reference's.
    package let offset: Float

    /// - Parameters:
    ///   - reference, frame: mean light of blocks of 8 x 8, each on its own scale.
    ///   - ratio: the frame's light over the reference's.
    ///   - noise: of a block of luma of one frame, as a model of its mean.
    ///   - gains: how much the three channels rise with the sensor's black level.
    /// - Returns: nil where nothing can be told from noise.
    package static func between(
        _ reference: Plane<Float>, _ frame: Plane<Float>, field: AlignmentField, ratio: Float, noise: NoiseModel,
        gains: [Float]
    ) -> BlackDrift? {
        var pairs: [(error: Float, weight: Float)] = []
        let nodes = Floats(2 * reference.width)
        let (xs, ys) = (nodes.base, nodes.base + reference.width)
        // Twenty thousand pairs are plenty: in large pictures every so many rows of blocks.
        let step = max(reference.width * reference.height / 20_000, 1)
        for y in stride(from: step / 2, to: reference.height, by: step) {
            field.positions(row: y, from: 0, count: reference.width, level: 3, xs: xs, ys: ys)
            let row = reference.row(y)
            for x in 0..<reference.width where row[x] > -.infinity {
                let (fx, fy) = (Int(xs[x].rounded(.down)), Int(ys[x].rounded(.down)))
                guard fx >= 0, fy >= 0, fx + 1 < frame.width, fy + 1 < frame.height else { continue }
                let (tx, ty) = (xs[x] - Float(fx), ys[x] - Float(fy))
                let (top, bottom) = (frame.row(fy), frame.row(fy + 1))
                guard min(top[fx], top[fx + 1], bottom[fx], bottom[fx + 1]) > -.infinity else { continue }
                let a = top[fx] + (top[fx + 1] - top[fx]) * tx
                let b = bottom[fx] + (bottom[fx + 1] - bottom[fx]) * tx
                let light = a + (b - a) * ty
                let middle = max(0.5 * (light + ratio * row[x]), 0)
                // Exposure, lens and alignment leave errors in proportion to light: some hundredths of a block's.
                let variance = Float(noise.variance(Double(middle))) * (1 + ratio * ratio) + pow2(0.04 * middle)
                pairs.append((light - ratio * row[x], 1 / variance))
            }
        }
        guard pairs.count >= 24 else { return nil }
        return judge(pairs, gain: (gains[0] + 2 * gains[1] + gains[2]) / 4)
    }

    private static func judge(_ pairs: [(error: Float, weight: Float)], gain: Float) -> BlackDrift? {
        var centre: Float = 0
        var sigma: Float = 1
        for round in 0..<4 {
            // Movers drop out: the first limit is wide, for the drift itself.
            let limit: Float = round == 0 ? 12 : 3 * sigma
            var (sum, total, count) = (Float(0), Float(0), 0)
            var scaled: [Float] = []
            scaled.reserveCapacity(pairs.count)
            for pair in pairs {
                let e = abs(pair.error - centre) * pair.weight.squareRoot()
                scaled.append(e)
                if e > limit { continue }
                sum += pair.error * pair.weight
                total += pair.weight
                count += 1
            }
            guard count * 3 > pairs.count, total > 0 else { return nil }
            centre = sum / total
            sigma = max(1.4826 * median(&scaled), 0.5)
            if round == 3 {
                let error = sigma / total.squareRoot()
                return abs(centre) > 3 * error ? BlackDrift(offset: centre / gain) : nil
            }
        }
        return nil
    }

    private static func pow2(_ x: Float) -> Float { x * x }
}

/// Blacks of the frames of a burst, gathered one by one: that of the reference is 0.
package struct BlackDrifts: Sendable {
    private var weight = 1.0
    private var sum = 0.0
    private var squares = 0.0

    /// What several blacks that drift around one level tell of it.
    package struct Mean: Sendable {
        /// Above the reference's, sensor light.
        package var offset: Double
        /// How far, by their scatter, it may be off: a standard deviation, sensor light.
        package var error: Double

        package init(offset: Double, error: Double) { (self.offset, self.error) = (offset, error) }
    }

    package init() {}

    /// Adds a frame's black on the reference's scale of light; `weight` 0 to 1.
    package mutating func add(_ drift: Double, weight: Double) {
        self.weight += weight
        sum += weight * drift
        squares += weight * drift * drift
    }

    package var mean: Mean {
        let mean = sum / weight
        // Of n blacks the mean is off by their deviation over the root of n: (n - 1) is the deviation's own n.
        let scatter = max(squares / weight - mean * mean, 0)
        return Mean(offset: mean, error: weight > 1.5 ? (scatter / (weight - 1)).squareRoot() : 0)
    }
}

/// Puts a merged picture's black where it belongs, in place: `drift` is added, and what is then still darker than no light at
/// all is lifted to it.
///
/// Blacks that drift around their true level have it as their mean, but the mean of few frames is off. Light is never below
/// none, which tells by how much at least: the darkest hundredth of blocks of 8 x 8 cannot lie lower than black, so the
/// error's expectation is that of a normal distribution cut off there (any amount of light being as likely as another).
///
/// - Parameters:
///   - gains: how much the three channels rise with the sensor's black level.
///   - read: read noise of a sample of one frame, sensor light; a twentieth of it is taken for noise that is left.
package func settleBlack(
    _ image: LinearImage, drift: BlackDrifts.Mean, gains: [Float], read: Float, workers: Workers
) throws(NightfuseError) {
    var means: [Float] = []
    for y in stride(from: 0, to: image.height - 7, by: 8) {
        for x in stride(from: 0, to: image.width - 7, by: 8) {
            for (plane, gain) in zip(image.planes, gains) {
                var sum: Float = 0
                for v in y..<y + 8 {
                    let row = plane.row(v) + x
                    for u in 0..<8 { sum += row[u] }
                }
                means.append(sum / (64 * gain))
            }
        }
        ScratchPlanes.letGo()
    }
    var lift = Float(drift.offset)
    if !means.isEmpty {
        means.sort()
        // The darkest of many blocks lie below their light by what noise is left in them.
        let darkest = means[means.count / 100] + lift + 0.05 * read
        lift += max(-darkest, Float(expectedLift(darkest: Double(darkest), error: drift.error)))
    }
    guard lift != 0 else { return }
    let added = lift
    try workers.bands(image.height, grain: 64) { (_, rows) throws(NightfuseError) in
        for (plane, gain) in zip(image.planes, gains) {
            for y in rows {
                let row = plane.mutableRow(y)
                for x in 0..<plane.width { row[x] += added * gain }
            }
        }
    }
}

/// How far black is expected to lie too low: minus the mean of a normal distribution of width `error` below `darkest`.
private func expectedLift(darkest: Double, error: Double) -> Double {
    guard error > 0 else { return 0 }
    let t = darkest / error
    // Far below, the mean is all but the limit itself.
    if t < -6 { return -darkest - error / t }
    let share = 0.5 * erfc(-t / 2.0.squareRoot())
    return error * exp(-t * t / 2) / ((2 * Double.pi).squareRoot() * share)
}
