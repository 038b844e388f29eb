internal import NightfuseCore
internal import NightfuseKernels

/// A frame's light as a curve of the reference's, channel by channel, where no single ratio brings it there.
///
/// A camera's own tone curve is not its colour space's: what is linear by the tag is then not proportional to light, and
/// frames of different exposure do not agree by any ratio. How the values of two exposures go together says all that is
/// needed to bring one onto the other, without the camera's curve being known (the comparagram; Grossberg and Nayar, "Determining
/// the camera response from images: what is knowable?", 2003). The start, before frames are aligned, are equal ranks of the
/// two histograms (section 4 there).
///
/// Light is that of ``FrameData/linear``; curves run through square roots of it. Costs, where it is tried, two more passes over
/// the frame and two more alignments; where one ratio does, a few milliseconds.
struct ToneMatch {
    /// The mean of a group of blocks of like light.
    struct Knot: Equatable {
        /// Square roots of the frame's own light, and of the reference's.
        var own: Float
        var reference: Float
        /// Blocks behind it.
        var count: Float
    }

    /// Of each channel; at least two, rising in both.
    let knots: [[Knot]]

    // MARK: Finding

    /// Least ranks that are told of a channel.
    private static let leastRanks = 8
    /// Blocks in one channel below which a curve is not known.
    private static let leastBlocks = 100
    /// Share of the spread of light, in square roots, by which seven blocks in ten may miss the curve at most. Frames of one scene
    /// miss by 0.04 to 0.15, unrelated ones by 0.8 and more.
    private static let mostMiss: Float = 0.18
    /// Share of what a single ratio misses by that the curve may miss by, noise aside. Brackets with a tone curve have 0.2 to 0.4,
    /// other frames, moved, flickering or blurred, 0.8 and more.
    private static let leastGain: Float = 0.6
    /// What a single ratio misses by, in units of the noise of blocks, for a curve to be thought of.
    private static let leastMiss: Float = 1
    /// Mean departure of the curve from a single ratio, as a share of light, that a curve is worth.
    private static let leastBend: Float = 0.03

    /// From frames that need not be aligned.
    static func byRank(_ frame: ToneBlocks, reference: ToneBlocks, floor: [Float]) -> ToneMatch? {
        var knots: [[Knot]] = []
        for c in 0..<3 {
            let pairs = frame.ranks(c, reference: reference, floor: floor[c])
            guard pairs.count >= leastRanks else { return nil }
            knots.append(rising(pairs.map { Knot(own: $0.own, reference: $0.reference, count: 1) }))
        }
        return knots.allSatisfy { $0.count > 1 } ? ToneMatch(knots: knots) : nil
    }

    /// From aligned frames; nil where a single ratio a channel does nearly as well, or the curve does not fit.
    ///
    /// - Parameters:
    ///   - floor: light of each channel that is not told from noise and clipping at black.
    ///   - noise: of the reference, by channel.
    static func aligned(
        _ frame: ToneBlocks, reference: ToneBlocks, field: AlignmentField, floor: [Float], noise: [NoiseModel]
    ) -> ToneMatch? {
        var knots: [[Knot]] = []
        var (missed, missedByRatio, isClear) = (Float(0), Float(0), false)
        for c in 0..<3 {
            let pairs = frame.pairs(c, reference: reference, field: field, floor: floor[c], noise: noise[1])
            guard let fit = Fit(pairs, noise: noise[c], least: leastBlocks), fit.miss <= mostMiss * fit.spread else {
                return nil
            }
            missed += fit.miss
            missedByRatio += fit.missOfRatio
            isClear = isClear || fit.bend >= leastBend && fit.missOfRatio > leastMiss * fit.expected
            knots.append(fit.knots)
        }
        return isClear && missed <= leastGain * missedByRatio ? ToneMatch(knots: knots) : nil
    }

    /// Whether luma's blocks leave it open that a curve would do better than a ratio: a coarse look at what is there anyway.
    ///
    /// - Parameters:
    ///   - light: of blocks, the reference's and the frame's own; see `ExposureRatio.pairs`.
    ///   - noise: luma's, of a pixel of the reference.
    static func isCalledFor(_ light: [(Double, Double)], noise: NoiseModel) -> Bool {
        let step = max(1, light.count / 10_000)
        let pairs = stride(from: 0, to: light.count, by: step).map {
            ToneBlocks.Pair(own: Float(light[$0].1.squareRoot()), reference: Float(light[$0].0.squareRoot()))
        }
        guard let fit = Fit(pairs, noise: noise, least: leastBlocks / 2), fit.missOfRatio > leastMiss / 2 * fit.expected
        else { return false }
        // Luma mixes three curves, which hides half of what they are, and its blocks are not all flat.
        return fit.bend >= leastBend / 2 || fit.miss > mostMiss * fit.spread
    }

    /// A curve through pairs, and how well it and a plain ratio do.
    private struct Fit {
        var knots: [Knot] = []
        /// Distance of the reference's light from the curve, and from the best ratio, that seven blocks in ten keep to: a sky that
        /// is half of the picture does not decide alone, and what moves does not at all. Square roots of light, beyond `expected`.
        var (miss, missOfRatio) = (Float(0), Float(0))
        /// What noise alone makes of it.
        var expected = Float(0)
        /// Mean distance of the reference's light from its median.
        var spread = Float(0)
        /// Mean departure of the knots from the ratio, as a share of light.
        var bend = Float(0)

        init?(_ pairs: [ToneBlocks.Pair], noise: NoiseModel, least: Int) {
            guard pairs.count >= least else { return nil }
            // Ordered by the sum of both, so that the noise of neither is chosen with them.
            let sorted = pairs.sorted { $0.own + $0.reference < $1.own + $1.reference }
            var groups: [Knot] = []
            let size = max(16, sorted.count / 128)
            for start in stride(from: 0, through: sorted.count - size, by: size) {
                var own = sorted[start..<start + size].map(\.own)
                var reference = sorted[start..<start + size].map(\.reference)
                groups.append(
                    Knot(own: median(&own), reference: median(&reference), count: Float(size)))
            }
            knots = ToneMatch.rising(ToneMatch.pooled(groups))
            guard knots.count >= 3 else { return nil }
            var ratios = pairs.map { $0.reference / $0.own }
            let ratio = median(&ratios)
            let curve = Curve(knots)
            var errors = pairs.map { abs($0.reference - curve($0.own)) }
            miss = select(errors.count * 7 / 10, of: &errors)
            errors = pairs.map { abs($0.reference - ratio * $0.own) }
            missOfRatio = select(errors.count * 7 / 10, of: &errors)
            // Seven in ten keep to a sigma: of a block of 64 pixels of either frame, in square roots.
            let (shot, read2) = (Float(noise.shot), Float(noise.read * noise.read))
            errors = pairs.map { (shot + read2 / ($0.reference * $0.reference)) / 256 }
            expected = (median(&errors) * (1 + ratio * ratio)).squareRoot()
            miss = max(miss * miss - expected * expected, 0).squareRoot()
            missOfRatio = max(missOfRatio * missOfRatio - expected * expected, 0).squareRoot()
            var lights = pairs.map(\.reference)
            let middle = median(&lights)
            spread = lights.reduce(0) { $0 + abs($1 - middle) } / Float(lights.count)
            let blocks = knots.reduce(0) { $0 + $1.count }
            bend =
                knots.reduce(0) { sum, knot in
                    let share = knot.reference / (ratio * knot.own)
                    return sum + knot.count * abs(share * share - 1)
                } / blocks
        }
    }

    /// Steps of the sum of square roots below which neighbouring groups become one knot: a camera's curve has no finer bends.
    private static let leastStep: Float = 0.02

    private static func pooled(_ groups: [Knot]) -> [Knot] {
        var result: [Knot] = []
        var start: Float = -1
        for group in groups {
            let place = group.own + group.reference
            if let last = result.last, place - start < leastStep {
                result[result.count - 1] = mean(last, group)
            } else {
                result.append(group)
                start = place
            }
        }
        return result
    }

    private static func mean(_ a: Knot, _ b: Knot) -> Knot {
        let count = a.count + b.count
        return Knot(
            own: (a.own * a.count + b.own * b.count) / count,
            reference: (a.reference * a.count + b.reference * b.count) / count, count: count)
    }

    /// The knots as a curve that rises in both: neighbours that do not are one (pool adjacent violators).
    static func rising(_ knots: [Knot]) -> [Knot] {
        var result: [Knot] = []
        for knot in knots.sorted(by: { $0.own < $1.own }) {
            var knot = knot
            while let last = result.last, knot.reference <= last.reference || knot.own < last.own * 1.001 {
                knot = mean(last, knot)
                result.removeLast()
            }
            result.append(knot)
        }
        return result
    }

    // MARK: Using

    /// The reference's light over the frame's for the median block: one over the exposure, where that is told by nothing else.
    var ratio: Double {
        let all = knots[1]
        let half = all.reduce(0) { $0 + $1.count } / 2
        var sum: Float = 0
        for knot in all {
            sum += knot.count
            if sum >= half {
                let root = Double(knot.own / knot.reference)
                return root * root
            }
        }
        return 1
    }

    /// The frame with tables that give the reference's light times `scale`.
    func applied(to frame: FrameData, scale: Double) -> FrameData {
        let factor = Float(scale)
        let tables = (0..<(frame.isGrey ? 1 : 3)).map { c -> [Float] in
            let curve = Curve(knots[c])
            return frame.linear.map { light in
                let root = curve(max(light, 0).squareRoot())
                return root * root * factor
            }
        }
        return frame.toned(tables)
    }

    /// The frame's noise on the reference's scale, by channel.
    ///
    /// What a code of a camera is worth in noise does not depend on the exposure that led to it: the reference's noise at the
    /// frame's own light, times the square of the curve's slope there. A model through that, with the knots' blocks as weights.
    ///
    /// - Parameter gain: the frame's ISO over the reference's.
    func noise(_ reference: [NoiseModel], gain: Double) -> [NoiseModel] {
        zip(knots, reference).map { knots, model in
            // Least squares of the relative error: 1, read^2 and shot x light, each over the variance.
            var (a, b, d, u, v) = (0.0, 0.0, 0.0, 0.0, 0.0)
            for (i, knot) in knots.enumerated() {
                let (before, after) = (knots[max(i - 1, 0)], knots[min(i + 1, knots.count - 1)])
                let (own, light) = (Double(knot.own * knot.own), Double(knot.reference * knot.reference))
                let plain = Double(knot.reference / knot.own)
                // A flat piece says that light was lost, not that noise was.
                let slope = max(Double((after.reference - before.reference) / (after.own - before.own)), plain / 2)
                let variance = plain * plain * slope * slope * gain * (model.shot * own + model.read * model.read)
                let (p, q, weight) = (1 / max(variance, 1e-14), light / max(variance, 1e-14), Double(knot.count))
                a += weight * p * p
                b += weight * p * q
                d += weight * q * q
                u += weight * p
                v += weight * q
            }
            let determinant = a * d - b * b
            var (read2, shot) = (u / a, 0.0)
            if determinant > 1e-9 * a * d {
                (read2, shot) = ((u * d - v * b) / determinant, (a * v - b * u) / determinant)
                if read2 < 0 { (read2, shot) = (0, v / d) }
                if shot < 0 { (read2, shot) = (u / a, 0) }
            }
            return NoiseModel(shot: shot, read: read2.squareRoot())
        }
    }

    /// Whether a frame of this noise tells enough of the reference's light: so short an exposure that its darks have no steps left
    /// says little and may say it wrong.
    static func tells(_ noise: [NoiseModel], of reference: [NoiseModel]) -> Bool {
        // Green at a middle grey of the night.
        func variance(_ model: NoiseModel) -> Double { model.shot * 0.05 + model.read * model.read }
        return variance(noise[1]) < leastTold * variance(reference[1])
    }

    /// Ratio of variances: eight times the reference's noise, as of three stops less light.
    private static let leastTold = 64.0

    /// A smooth rising curve through knots (Fritsch and Butland's slopes, "A method for constructing local monotone piecewise
    /// cubic interpolants", 1984); beyond the first and the last, where nothing is known, light in proportion.
    struct Curve {
        private let knots: [Knot]
        private let slopes: [Float]

        init(_ knots: [Knot]) {
            self.knots = knots
            let secants = zip(knots, knots.dropFirst()).map { ($1.reference - $0.reference) / ($1.own - $0.own) }
            slopes = knots.indices.map { i in
                guard i > 0 else { return secants[0] }
                guard i < secants.count else { return secants[i - 1] }
                // The harmonic mean.
                return 2 * secants[i - 1] * secants[i] / (secants[i - 1] + secants[i])
            }
        }

        /// The reference's light for the frame's; square roots of both.
        func callAsFunction(_ own: Float) -> Float {
            guard let first = knots.first, let last = knots.last else { return own }
            if own <= first.own { return own * first.reference / first.own }
            if own >= last.own { return own * last.reference / last.own }
            var (low, high) = (0, knots.count - 1)
            while high - low > 1 {
                let middle = (low + high) / 2
                if knots[middle].own <= own { low = middle } else { high = middle }
            }
            let (a, b) = (knots[low], knots[high])
            let width = b.own - a.own
            let t = (own - a.own) / width
            // Hermite's cubic.
            let s = 1 - t
            return a.reference * (1 + 2 * t) * s * s + b.reference * t * t * (3 - 2 * t)
                + width * t * s * (slopes[low] * s - slopes[high] * t)
        }
    }
}
