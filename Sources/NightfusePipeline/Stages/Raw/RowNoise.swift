package import NightfuseCore

/// Offsets that whole rows of a mosaic share: read-out noise that does not average out along the row.
///
/// Every sample is held against the mean of the nearest two of its column and colour; over a row these differences tell the
/// row's offset less half of its neighbours'. Stretches of a row that see a structure of the scene are outvoted by the
/// others. From the differences the offsets follow by least squares, held towards none as their own strength over all rows
/// asks (Wiener); where they cannot be told from the pixels' noise nothing is changed.
package struct RowNoise: Sendable {
    /// One a row, in sensor light (before white balance); empty where none was found.
    package private(set) var offsets: [Float] = []

    /// Samples a stretch.
    private static let stretch = 32
    /// A difference of one sample and the mean of two has 1.5 times the variance of a sample.
    private static let variance: Float = 1.5

    /// What a row's samples say: its offset less half of those two rows up and down, and the variance of that.
    private struct Evidence {
        var difference: Float = 0
        var variance: Float = .infinity
    }

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
        let evidence = (0..<light.height).map { rows.values[$0] }
        let known = evidence.filter { $0.variance < .infinity }
        guard known.count * 2 > light.height else { return }
        let middle = known.map(\.variance).sorted()[known.count / 2]
        let deviation = 1.4826 * known.map { abs($0.difference) }.sorted()[known.count / 2]
        let strength = (deviation * deviation - middle) / Self.variance
        // A variance from some hundred rows scatters by a tenth of itself.
        guard strength > 0.2 * middle else { return }
        offsets = Self.solve(evidence, strength: strength)
    }

    private static func evidence(
        _ y: Int, _ light: RawLight, _ cell: [UInt8], _ noise: [NoiseModel], _ gains: [Double], _ clip: Float
    ) -> Evidence {
        let (row, up, down) = (light.row(y), light.row(y - 2), light.row(y + 2))
        let colours = (0..<2).map { Int(cell[(y & 1) * 2 + $0]) }
        let gain = colours.map { Float(1 / gains[$0]) }
        let shot = colours.map { Float(noise[$0].shot) }
        let read = colours.map { Float(noise[$0].read * noise[$0].read) }
        var means: [Float] = []
        var weights: [Float] = []
        // Some 40 stretches tell a row's offset to a thirtieth of a sample's noise; more cost more than they tell.
        let step = max(light.width / 40 / stretch, 1) * stretch
        for start in stride(from: 0, to: light.width - stretch + 1, by: step) {
            var sum: Float = 0
            var total: Float = 0
            for parity in 0..<2 {
                let (g, s, r) = (gain[parity], shot[parity], read[parity])
                for x in stride(from: start + parity, to: start + stretch, by: 2) {
                    let base = (up[x] + down[x]) * 0.5
                    let v = variance * (s * max(base, 0) + r)
                    let limit = 3 * v.squareRoot()
                    let d = min(max(row[x] - base, -limit), limit) * g
                    let w = max(row[x], base) < clip ? 1 / (v * g * g) : 0
                    sum += w * d
                    total += w
                }
            }
            if total > 0 {
                means.append(sum / total)
                weights.append(total)
            }
        }
        return vote(means, weights)
    }

    /// The weighted mean of the stretches that agree.
    private static func vote(_ means: [Float], _ weights: [Float]) -> Evidence {
        guard means.count >= 4 else { return Evidence() }
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
        guard total > 0 else { return Evidence() }
        return Evidence(difference: sum / total, variance: scatter * scatter / total)
    }

    /// Least squares by Gauss and Seidel's turns: each row's offset from its own evidence and that of the rows it is in.
    private static func solve(_ evidence: [Evidence], strength: Float) -> [Float] {
        let count = evidence.count
        let precision = evidence.map { e -> Float in
            let expected = variance * strength + e.variance
            // What no offset of that strength makes is an edge of the scene along the row.
            return e.difference * e.difference > 16 * expected ? 0 : 1 / e.variance
        }
        var offsets = [Float](repeating: 0, count: count)
        func at(_ y: Int) -> Float { y >= 0 && y < count ? offsets[y] : 0 }
        // The prior makes the system well conditioned: each turn takes off half of the error or more.
        for _ in 0..<40 {
            for y in 0..<count {
                var pull = precision[y] * (evidence[y].difference + 0.5 * (at(y - 2) + at(y + 2)))
                var hold = precision[y] + 1 / strength
                for side in [-2, 2] where y + side >= 0 && y + side < count {
                    let p = precision[y + side]
                    let rest = at(y + side) - 0.5 * at(y + 2 * side)
                    pull += p * 0.5 * (rest - evidence[y + side].difference)
                    hold += p * 0.25
                }
                offsets[y] = pull / hold
            }
        }
        return offsets
    }

    /// Takes the offsets off.
    package func remove(
        from light: RawLight, layout: RawFrame.Layout, gains: [Double], clip: Double, workers: Workers
    ) throws(NightfuseError) {
        guard case .mosaic(let cell) = layout, !offsets.isEmpty else { return }
        let clip = Float(clip)
        try workers.bands(light.height, grain: 64) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let row = light.row(y)
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
        let values: UnsafeMutablePointer<Evidence>
        private let count: Int
        init(_ count: Int) {
            self.count = count
            values = .allocate(capacity: count)
            values.initialize(repeating: Evidence(), count: count)
        }
        deinit { values.deallocate() }
    }
}
