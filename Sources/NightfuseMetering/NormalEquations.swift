/// Weighted sums of all tiles' equations H u = b for the one shift and roll that they share.
struct NormalEquations {
    // Unknowns x, y, roll; the matrix is symmetric.
    private var xx = 0.0
    private var xy = 0.0
    private var xr = 0.0
    private var yy = 0.0
    private var yr = 0.0
    private var rr = 0.0
    private var bx = 0.0
    private var by = 0.0
    private var br = 0.0
    // The share of noise in the gradients, for what the answer is worth.
    private var noise = 0.0
    private var rollNoise = 0.0

    /// A hand turns by no more than this (radians) from one frame to the next; keeps the roll where the picture says
    /// nothing of it.
    private static let rollPrior = 0.005

    /// Adds a tile whose displacement at its level is `expected` + `toLevel` (x - roll my, y + roll mx).
    mutating func add(
        _ s: BlockSums, expected e: SIMD2<Float>, middle m: (x: Float, y: Float), toLevel: Float, weight: Float
    ) {
        let rx = Double((s.bx - s.hxx * e.x - s.hxy * e.y) * weight * toLevel)
        let ry = Double((s.by - s.hxy * e.x - s.hyy * e.y) * weight * toLevel)
        let w = weight * toLevel * toLevel
        let hxx = Double(s.hxx * w)
        let hxy = Double(s.hxy * w)
        let hyy = Double(s.hyy * w)
        let mx = Double(m.x)
        let my = Double(m.y)
        xx += hxx
        xy += hxy
        yy += hyy
        xr += hxy * mx - hxx * my
        yr += hyy * mx - hxy * my
        rr += hyy * mx * mx - 2 * hxy * mx * my + hxx * my * my
        bx += rx
        by += ry
        br += ry * mx - rx * my
        let n = Double(s.gradientNoise * w)
        noise += n
        rollNoise += n * (mx * mx + my * my)
    }

    func solve(withRoll: Bool) -> Solution {
        let det2 = xx * yy - xy * xy
        guard xx > 0, yy > 0, det2 > 1e-4 * xx * yy else { return Solution() }
        var answer = Solution()
        let mean = (xx + yy) / 2
        answer.sigma = Float(((mean + noise) / (mean * mean)).squareRoot())
        if withRoll {
            let rr = max(rr, 0) + 1 / (Self.rollPrior * Self.rollPrior)
            // Eliminate x and y.
            let ax = (yy * xr - xy * yr) / det2
            let ay = (xx * yr - xy * xr) / det2
            let left = rr - xr * ax - yr * ay
            guard left > 1e-4 * rr else { return Solution() }
            let roll = (br - bx * ax - by * ay) / left
            answer.change.roll = Float(roll)
            answer.rollSigma = Float(((left + rollNoise) / (left * left)).squareRoot())
            let rx = bx - xr * roll
            let ry = by - yr * roll
            answer.change.x = Float((yy * rx - xy * ry) / det2)
            answer.change.y = Float((xx * ry - xy * rx) / det2)
        } else {
            answer.change.x = Float((yy * bx - xy * by) / det2)
            answer.change.y = Float((xx * by - xy * bx) / det2)
        }
        // A step of more than a few samples of the level left the range in which it means anything.
        return answer
    }
}

/// The answer of ``NormalEquations``.
struct Solution {
    var change = RigidMotion()
    var sigma = Float.infinity
    var rollSigma = Float.infinity
}
