/// What a row's samples say: its offset less half of those of two rows, as far up and down, and the variance of that.
struct RowEvidence {
    var difference: Float = 0
    /// Without a limit where nothing is known.
    var variance: Float = .infinity

    /// Variance of an offset less half of two others, in variances of an offset.
    static let spread: Float = 1.5
}

/// The rows' offsets by least squares, held towards none.
///
/// Cost: 60 operations a row.
///
/// - Parameters:
///   - evidence: of every row against those `reach` rows away, 1 or 2.
///   - strength: variance of the offsets, above 0.
func rowOffsets(_ evidence: [(reach: Int, rows: [RowEvidence])], strength: Float) -> [Float] {
    let count = evidence.first?.rows.count ?? 0
    var system = BandSystem(count: count, diagonal: 1 / Double(strength))
    for (reach, rows) in evidence {
        for y in reach..<max(count - reach, reach) where rows[y].variance < .infinity {
            let row = rows[y]
            let expected = RowEvidence.spread * strength + row.variance
            // What no offset of that strength makes is an edge of the scene along the row.
            if row.difference * row.difference > 16 * expected { continue }
            system.add(
                [(y - reach, -0.5), (y, 1), (y + reach, -0.5)], value: Double(row.difference),
                precision: 1 / Double(row.variance))
        }
    }
    return system.solved().map { Float($0) }
}

/// Normal equations whose unknowns meet only those at most four places away.
private struct BandSystem {
    private static let band = 4
    private let count: Int
    /// Row i: the coefficients of unknowns i - 4 to i.
    private var lower: [Double]
    private var right: [Double]

    init(count: Int, diagonal: Double) {
        self.count = count
        lower = [Double](repeating: 0, count: count * (Self.band + 1))
        right = [Double](repeating: 0, count: count)
        for i in 0..<count { lower[i * (Self.band + 1) + Self.band] = diagonal }
    }

    private func at(_ i: Int, _ j: Int) -> Int { i * (Self.band + 1) + Self.band - (i - j) }

    /// Adds that a sum of unknowns, in rising order, was measured.
    mutating func add(_ sum: [(index: Int, factor: Double)], value: Double, precision: Double) {
        for (k, a) in sum.enumerated() {
            right[a.index] += precision * a.factor * value
            for b in sum[...k] { lower[at(a.index, b.index)] += precision * a.factor * b.factor }
        }
    }

    /// The unknowns, by Cholesky's factors.
    consuming func solved() -> [Double] {
        for i in 0..<count {
            let first = max(i - Self.band, 0)
            for j in first...i {
                var rest = lower[at(i, j)]
                for k in max(first, j - Self.band)..<max(j, first) { rest -= lower[at(i, k)] * lower[at(j, k)] }
                lower[at(i, j)] = j == i ? rest.squareRoot() : rest / lower[at(j, j)]
            }
            for k in first..<i { right[i] -= lower[at(i, k)] * right[k] }
            right[i] /= lower[at(i, i)]
        }
        for i in stride(from: count - 1, through: 0, by: -1) {
            for k in i + 1..<max(min(i + Self.band + 1, count), i + 1) { right[i] -= lower[at(k, i)] * right[k] }
            right[i] /= lower[at(i, i)]
        }
        return right
    }
}
