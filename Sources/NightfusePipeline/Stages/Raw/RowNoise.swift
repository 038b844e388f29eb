package import NightfuseCore

/// Offsets that whole rows of a mosaic share: read-out noise that does not average out along the row.
///
/// Every sample is held against the mean of the nearest two of its column and colour, and greens against the four beside
/// them in the next rows: over a row these differences tell the row's offset less half of its neighbours'. Stretches of a row that see a structure of the scene are outvoted by the
/// others. From the differences the offsets follow by least squares, held towards none as their own strength over all rows
/// asks (Wiener); where they cannot be told from the pixels' noise nothing is changed.
package struct RowNoise: Sendable {
    /// One a row, in sensor light (before white balance); empty where none was found.
    package private(set) var offsets: [Float] = []

    /// Samples a stretch.
    private static let stretch = 32
    /// Variance of the difference of one sample and the mean of two, or of four, in variances of a sample.
    private static let sameSpread: Float = 1.5
    private static let besideSpread: Float = 1.25

    /// - Parameters:
    ///   - noise: of the balanced samples of red, green and blue.
    ///   - clip: light from which samples may be saturated.
    package init(
        _ light: RawLight, layout: RawFrame.Layout, noise: [NoiseModel], gains: [Double], clip: Double, workers: Workers
    ) throws(NightfuseError) {
        guard case .mosaic(let cell) = layout, light.height >= 32, light.width >= 4 * Self.stretch else { return }
        let rows = Rows(light.height)
        try workers.bands(light.height - 4, grain: 32) { (_, band) throws(NightfuseError) in
            for y in band {
                rows.values[y + 2] = Self.evidence(y + 2, light, cell, noise, gains, Float(clip))
            }
        }
        let same = (0..<light.height).map { rows.values[$0].same }
        guard let strength = Self.strength(same) else { return }
        let beside = Self.withoutImbalance((0..<light.height).map { rows.values[$0].beside })
        // What a scene's structure adds differs between the two: the smaller is nearer to the rows' own.
        let held = min(strength, Self.strength(beside) ?? strength)
        offsets = rowOffsets([(reach: 2, rows: same), (reach: 1, rows: beside)], strength: held)
    }

    /// Variance of the rows' offsets; nil where it cannot be told from the samples' noise.
    private static func strength(_ evidence: [RowEvidence]) -> Float? {
        let known = evidence.filter { $0.variance < .infinity }
        guard known.count * 2 > evidence.count else { return nil }
        let middle = known.map(\.variance).sorted()[known.count / 2]
        let deviation = 1.4826 * known.map { abs($0.difference) }.sorted()[known.count / 2]
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
        let rows = (-2...2).map { light.row(y + $0) }
        let colours = (0..<2).map { Int(cell[(y & 1) * 2 + $0]) }
        let sites = colours.map { c in
            Site(
                gain: Float(1 / gains[c]), shot: Float(noise[c].shot), read: Float(noise[c].read * noise[c].read),
                clip: clip)
        }
        let green = colours[0] == 1 ? 0 : 1
        var same = Stretches()
        var beside = Stretches()
        // Some 40 stretches tell a row's offset to a thirtieth of a sample's noise; more cost more than they tell.
        let step = max(light.width / 40 / stretch, 1) * stretch
        for start in stride(from: 0, to: light.width - stretch + 1, by: step) {
            for parity in 0..<2 {
                let (site, row, up, down) = (sites[parity], rows[2], rows[0], rows[4])
                for x in stride(from: start + parity, to: start + stretch, by: 2) {
                    site.add(row[x], base: (up[x] + down[x]) * 0.5, spread: sameSpread, to: &same)
                }
            }
            let (site, row, up, down) = (sites[green], rows[2], rows[1], rows[3])
            // Its neighbours lie in the picture.
            let last = min(start + stretch, light.width - 1)
            for x in stride(from: start == 0 ? 2 - green : start + green, to: last, by: 2) {
                let base = ((up[x - 1] + up[x + 1]) + (down[x - 1] + down[x + 1])) * 0.25
                site.add(row[x], base: base, spread: besideSpread, to: &beside)
            }
            same.end()
            beside.end()
        }
        return (vote(same), vote(beside))
    }

    /// A colour of a row.
    private struct Site {
        let gain: Float
        let shot: Float
        let read: Float
        let clip: Float

        /// Adds how far a sample lies above the mean of its neighbours, which together scatter by `spread` times a sample's
        /// variance.
        @inline(__always)
        func add(_ sample: Float, base: Float, spread: Float, to stretches: inout Stretches) {
            let v = spread * (shot * max(base, 0) + read)
            let limit = 3 * v.squareRoot()
            let d = min(max(sample - base, -limit), limit) * gain
            let w = max(sample, base) < clip ? 1 / (v * gain * gain) : 0
            stretches.sum += w * d
            stretches.total += w
        }
    }

    /// Weighted means of the stretches of a row.
    private struct Stretches {
        var means: [Float] = []
        var weights: [Float] = []
        var sum: Float = 0
        var total: Float = 0

        mutating func end() {
            if total > 0 {
                means.append(sum / total)
                weights.append(total)
            }
            (sum, total) = (0, 0)
        }
    }

    /// The weighted mean of the stretches that agree.
    private static func vote(_ stretches: Stretches) -> RowEvidence {
        let (means, weights) = (stretches.means, stretches.weights)
        guard means.count >= 4 else { return RowEvidence() }
        let order = means.indices.sorted { means[$0] < means[$1] }
        let half = weights.reduce(0, +) / 2
        var seen: Float = 0
        var median = means[order[0]]
        for i in order {
            seen += weights[i]
            median = means[i]
            if seen >= half { break }
        }
        let errors = means.indices.map { abs(means[$0] - median) * weights[$0].squareRoot() }
        // Where stretches scatter by more than their noise, structure makes them, and they tell less.
        let scatter = max(1, 1.4826 * errors.sorted()[errors.count / 2])
        var sum: Float = 0
        var total: Float = 0
        for i in means.indices where errors[i] <= 2.5 * scatter {
            sum += weights[i] * means[i]
            total += weights[i]
        }
        guard total > 0 else { return RowEvidence() }
        return RowEvidence(difference: sum / total, variance: scatter * scatter / total)
    }

    /// Takes the offsets off.
    package func remove(
        from light: RawLight, layout: RawFrame.Layout, gains: [Double], clip: Double, workers: Workers
    ) throws(NightfuseError) {
        guard case .mosaic(let cell) = layout, !offsets.isEmpty else { return }
        let clip = Float(clip)
        try workers.bands(light.height, grain: 64) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let row = light.mutableRow(y)
                for parity in 0..<2 {
                    let offset = offsets[y] * Float(gains[Int(cell[(y & 1) * 2 + parity])])
                    // Saturated samples stay as one.
                    for x in stride(from: parity, to: light.width, by: 2) where row[x] < clip { row[x] -= offset }
                }
            }
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
