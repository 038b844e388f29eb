public import NightfuseCore

/// Sizes at which loops over eight lanes go wrong: one, two, and either side of one, two and four vectors.
public enum InterestingSizes {
    public static let all = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33]

    /// Widths with a few heights each: every width, every height, not every pair.
    public static let pairs: [(width: Int, height: Int)] = all.indices.flatMap { i in
        [(all[i], all[(i * 7 + 3) % all.count]), (all[i], all[i])]
    }
}

/// Planes with known contents and marked memory beyond the end of every row.
public enum PaintedPlane {
    /// What stands past the end of rows; no test's arithmetic gives it.
    public static let mark: Float = -98_765.25

    /// Seeded values, uniform in -1 to 2, with NaN past the end of every row: who uses that memory spoils the result.
    public static func random(_ width: Int, _ height: Int, seed: UInt64) throws -> Plane<Float> {
        let plane = try Plane<Float>(width: width, height: height)
        var random = SeededRandom(seed: seed)
        for y in 0..<height {
            for x in 0..<width { plane[x, y] = Float(random.uniform() * 3 - 1) }
            for x in width..<plane.stride { plane.mutableRow(y)[x] = .nan }
        }
        return plane
    }

    /// A plane for a result, every sample and all memory past the rows marked.
    public static func marked(_ width: Int, _ height: Int) throws -> Plane<Float> {
        let plane = try Plane<Float>(width: width, height: height)
        // A plane has 64 bytes past its last row.
        plane.base.update(repeating: mark, count: plane.stride * height + 16)
        return plane
    }

    /// Whether everything past the rows still holds its mark.
    public static func marksStand(_ plane: Plane<Float>) -> Bool {
        for y in 0..<plane.height {
            for x in plane.width..<plane.stride where plane.row(y)[x] != mark { return false }
        }
        let end = plane.stride * plane.height
        return (end..<end + 16).allSatisfy { plane.base[$0] == mark }
    }

    /// Largest distance of a plane's samples from `truth`; infinity where a sample is not a number.
    public static func largestError(_ plane: Plane<Float>, _ truth: (_ x: Int, _ y: Int) -> Double) -> Double {
        var largest = 0.0
        for y in 0..<plane.height {
            for x in 0..<plane.width {
                let error = abs(Double(plane[x, y]) - truth(x, y))
                guard error.isFinite else { return .infinity }
                largest = max(largest, error)
            }
        }
        return largest
    }

    /// Whether two planes of one size hold the same bits, padding left out.
    public static func areEqual(_ a: Plane<Float>, _ b: Plane<Float>) -> Bool {
        for y in 0..<a.height {
            for x in 0..<a.width where a[x, y].bitPattern != b[x, y].bitPattern { return false }
        }
        return a.width == b.width && a.height == b.height
    }
}
