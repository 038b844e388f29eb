package import NightfuseCore
internal import NightfuseKernels

/// Offsets that whole rows of a mosaic share: read-out noise that does not average out along the row.
///
/// Every sample is held against the mean of the nearest two of its column and colour, and greens against the four beside
/// them in the next rows: over a row these differences tell the row's offset less half of its neighbours'. Stretches of a row that see a structure of the scene are outvoted by the
/// others. From the differences the offsets follow by least squares, held towards none as their own strength over all rows
/// asks (Wiener); where they cannot be told from the pixels' noise nothing is changed.
package struct RowNoise: Sendable {
    /// One a row, in sensor light (before white balance); empty where none was found.
    package private(set) var offsets: [Float] = []

    /// - Parameters:
    ///   - noise: of the balanced samples of red, green and blue.
    ///   - clip: light from which samples may be saturated.
    package init(
        _ levels: RawLevels, noise: [NoiseModel], gains: [Double], clip: Double, workers: Workers
    ) throws(NightfuseError) {
        let (raw, reach, grain) = (levels.raw, 2, 32)
        guard case .mosaic(let cell) = raw.layout, raw.height >= 32, raw.width >= 4 * RowStretchArguments.length else {
            return
        }
        let rows = Rows(raw.height)
        try workers.bands(
            raw.height, grain: grain, scratch: { RawLight(raw, capacity: grain + 2 * reach) }
        ) { (light, _, band) throws(NightfuseError) in
            light.show(band.lowerBound - reach..<band.upperBound + reach, of: levels)
            for y in band.clamped(to: reach..<raw.height - reach) {
                rows.values[y] = Self.evidence(y, light, cell, noise, gains, Float(clip))
            }
        }
        let same = (0..<raw.height).map { rows.values[$0].same }
        guard let strength = Self.strength(same) else { return }
        let beside = Self.withoutImbalance((0..<raw.height).map { rows.values[$0].beside })
        // What a scene's structure adds differs between the two: the smaller is nearer to the rows' own.
        let held = min(strength, Self.strength(beside) ?? strength)
        offsets = rowOffsets([(reach: 2, rows: same), (reach: 1, rows: beside)], strength: held)
    }

    /// Variance of the rows' offsets; nil where it cannot be told from the samples' noise.
    private static func strength(_ evidence: [RowEvidence]) -> Float? {
        let known = evidence.filter { $0.variance < .infinity }
        guard known.count * 2 > evidence.count else { return nil }
        var variances = known.map(\.variance)
        let middle = median(&variances)
        var differences = known.map { abs($0.difference) }
        let deviation = 1.4826 * median(&differences)
        let strength = (deviation * deviation - middle) / RowEvidence.spread
        // A variance from some hundred rows scatters by a tenth of itself.
        return strength > 0.2 * middle ? strength : nil
    }

    /// Sensors see a little more green in one kind of row than in the other: that is no offset, though the same in all rows.
    private static func withoutImbalance(_ evidence: [RowEvidence]) -> [RowEvidence] {
        let middles = (0..<2).map { parity -> Float in
            let kind = evidence.indices.filter { $0 & 1 == parity && evidence[$0].variance < .infinity }
            let sorted = kind.map { evidence[$0].difference }.sorted()
            return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        }
        let half = (middles[0] - middles[1]) / 2
        return evidence.indices.map { y in
            var row = evidence[y]
            row.difference -= y & 1 == 0 ? half : -half
            return row
        }
    }

    private static func evidence(
        _ y: Int, _ light: RawLight, _ cell: [UInt8], _ noise: [NoiseModel], _ gains: [Double], _ clip: Float
    ) -> (same: RowEvidence, beside: RowEvidence) {
        func row(_ dy: Int) -> Row<Float> { Row(light.mutableRow(y + dy)) }
        let colours = (Int(cell[(y & 1) * 2]), Int(cell[(y & 1) * 2 + 1]))
        func pair(_ value: (Int) -> Double) -> (Float, Float) { (Float(value(colours.0)), Float(value(colours.1))) }
        var stretch = RowStretchArguments(
            rows: (row(-2), row(-1), row(0), row(1), row(2)), width: light.width, shot: pair { noise[$0].shot },
            read: pair { noise[$0].read * noise[$0].read }, gain: pair { 1 / gains[$0] },
            isGreen: pair { $0 == 1 ? 1 : 0 }, clip: clip)
        var same = Stretches()
        var beside = Stretches()
        // Some 40 stretches tell a row's offset to a thirtieth of a sample's noise; more cost more than they tell.
        let length = RowStretchArguments.length
        let step = max(light.width / 40 / length, 1) * length
        for start in Swift.stride(from: 0, to: light.width - length + 1, by: step) {
            stretch.start = start
            let sums = rowStretch(stretch)
            same.add(sums.same, sums.sameTotal)
            beside.add(sums.beside, sums.besideTotal)
        }
        return (vote(same), vote(beside))
    }

    /// Weighted means of the stretches of a row.
    private struct Stretches {
        var means: [Float] = []
        var weights: [Float] = []

        mutating func add(_ sum: Float, _ total: Float) {
            guard total > 0 else { return }
            means.append(sum / total)
            weights.append(total)
        }
    }

    /// A whole number that rises with `value`.
    private static func rank(_ value: Float) -> UInt32 {
        let bits = value.bitPattern
        return bits >> 31 == 1 ? ~bits : bits | 1 << 31
    }

    /// The weighted mean of the stretches that agree.
    private static func vote(_ stretches: Stretches) -> RowEvidence {
        let (means, weights) = (stretches.means, stretches.weights)
        guard means.count >= 4 else { return RowEvidence() }
        // By the mean, then by place, as whole numbers: those are put in order in a third of the time.
        var order = means.indices.map { UInt64(Self.rank(means[$0])) << 32 | UInt64($0) }
        order.sort()
        let half = weights.reduce(0, +) / 2
        var seen: Float = 0
        var median = means[Int(order[0] & 0xFFFF_FFFF)]
        for key in order {
            let i = Int(key & 0xFFFF_FFFF)
            seen += weights[i]
            median = means[i]
            if seen >= half { break }
        }
        let errors = means.indices.map { abs(means[$0] - median) * weights[$0].squareRoot() }
        var ranked = errors
        // Where stretches scatter by more than their noise, structure makes them, and they tell less.
        let scatter = max(1, 1.4826 * NightfuseKernels.median(&ranked))
        var sum: Float = 0
        var total: Float = 0
        for i in means.indices where errors[i] <= 2.5 * scatter {
            sum += weights[i] * means[i]
            total += weights[i]
        }
        guard total > 0 else { return RowEvidence() }
        return RowEvidence(difference: sum / total, variance: scatter * scatter / total)
    }

    /// Takes the offsets off the rows that a window holds. Saturated samples stay as one.
    package func remove(from light: RawLight, layout: RawFrame.Layout, gains: [Double], clip: Double) {
        guard case .mosaic(let cell) = layout, !offsets.isEmpty else { return }
        for y in light.rows {
            func offset(_ parity: Int) -> Float { offsets[y] * Float(gains[Int(cell[(y & 1) * 2 + parity])]) }
            lowerRow(light.mutableRow(y), by: (offset(0), offset(1)), below: Float(clip), count: light.width)
        }
    }

    /// Unchecked: every row is written by one band, and read after all are done.
    private final class Rows: @unchecked Sendable {
        let values: MutableRow<(same: RowEvidence, beside: RowEvidence)>
        private let memory: Room<(same: RowEvidence, beside: RowEvidence)>
        init(_ count: Int) {
            memory = Room(count)
            values = memory.base
            values.update(repeating: (RowEvidence(), RowEvidence()), count: count)
        }
    }
}
