internal import NightfuseCore

/// Where a frame lies against the reference, and how well that is known.
struct FramePose {
    var motion = RigidMotion()
    /// Standard deviation of x and of y, in samples; infinite where nothing can be seen.
    var sigma: Float = .infinity
    /// Of the roll, radians.
    var rollSigma: Float = .infinity
}

/// Finds the camera's motion between a frame and the reference, from coarse to fine: a search at an eighth of the size,
/// then steps of weighted least squares over all tiles. Tiles that disagree (things that move by themselves) lose their
/// weight, so that a mover does not pull the frame along.
final class FrameAligner {
    private let width: Int
    private let height: Int
    private let grids: [TileGrid]
    /// Of the last step.
    let sums: Tiles<BlockSums>
    private let expected: Tiles<SIMD2<Float>>
    private let variance: Tiles<Float>
    private let misfits: Tiles<Float>
    /// How much weight motion tiles get at most, set by the meter where something is known to move there.
    let trust: Tiles<Float>

    init(width: Int, height: Int) throws(NightfuseError) {
        (self.width, self.height) = (width, height)
        grids = (0..<WorkPyramid.levels).map { TileGrid(width: width, height: height, level: $0) }
        let count = grids[0].count
        sums = Tiles(count, BlockSums())
        expected = Tiles(count, .zero)
        variance = Tiles(count, 1)
        misfits = Tiles(count, 0)
        trust = Tiles(count, 1)
    }

    /// The motion of `frame`'s content against `reference`, searched around `guess`.
    ///
    /// `noise` gives the variance of one frame's code at a brightness; the reference's is `referenceShare` of it.
    func align(
        _ frame: WorkPyramid, to reference: WorkPyramid, guess: RigidMotion, noise: NoiseCurve, referenceShare: Float
    ) -> FramePose {
        var best = FramePose(motion: search(frame, reference, guess: guess, noise: noise))
        // Damped steps first: from afar the plain ones overshoot on fine detail.
        for (level, damped) in [(3, true), (2, true), (2, true), (1, true), (1, false)] {
            let pose = step(
                frame, reference, level: level, at: best.motion, noise: noise, share: 1 + referenceShare,
                withRoll: level < 2, damped: damped)
            if level == 1 { coarseSlope = meanSlope(level: 1) }
            // In the dark the finer level may know less than the coarser.
            if pose.sigma <= best.sigma { best = pose }
        }
        return best
    }

    /// Mean squared slope of the coded picture (full scale 1, a sample of level 1) in the last step at level 1.
    private(set) var coarseSlope = 0.0

    /// The same of the last step, which was at `level`.
    func meanSlope(level: Int) -> Double {
        var sum = 0.0
        var n = 0.0
        for i in 0..<grids[level].count where sums[i].n > 0 {
            sum += Double(sums[i].hxx + sums[i].hyy)
            n += Double(sums[i].n)
        }
        return n > 0 ? sum / n / (255 * 255) : 0
    }

    /// One step of least squares at `level`, starting from `motion`. At level 0 `frame` may already be brought to the
    /// reference's place by `motion` (`warped`); the answer is then still the whole motion.
    func step(
        _ frame: WorkPyramid, _ reference: WorkPyramid, level: Int, at motion: RigidMotion, noise: NoiseCurve,
        share: Float, withRoll: Bool, damped: Bool = false, warpedValid: Tiles<Bool>? = nil
    ) -> FramePose {
        let grid = grids[level]
        let c = frame[level]
        let t = reference[level]
        let toLevel = 1 / Float(1 << level)
        // A mean over 4^level samples has that much less noise.
        let scale = share * toLevel * toLevel
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let i = row * grid.columns + column
                let x0 = column * grid.side
                let y0 = row * grid.side
                var nx = 0
                var ny = 0
                if let warpedValid {
                    guard warpedValid[i] else {
                        sums[i].n = 0
                        continue
                    }
                    expected[i] = .zero
                } else {
                    let m = grid.middle(column, row, width: width, height: height)
                    let p = motion.at(m.x, m.y)
                    (nx, ny) = (nearest(p.x * toLevel), nearest(p.y * toLevel))
                    guard x0 + nx >= 0, y0 + ny >= 0, x0 + nx + grid.side <= c.width, y0 + ny + grid.side <= c.height
                    else {
                        sums[i].n = 0
                        continue
                    }
                    expected[i] = SIMD2(p.x * toLevel - Float(nx), p.y * toLevel - Float(ny))
                }
                sums[i] = BlockSums.measure(
                    current: c.row(y0 + ny) + x0 + nx, currentStride: c.stride, other: t.row(y0) + x0,
                    otherStride: t.stride, width: grid.side, height: grid.side)
                if damped { sums[i].damp() }
                let middle = t.row(y0 + grid.side / 2)[x0 + grid.side / 2]
                variance[i] = noise.variance(middle) * scale
            }
        }
        return solve(grid, at: motion, withRoll: withRoll)
    }

    /// Weighted least squares for the correction of `motion`, two or three rounds of it, tiles weighed by their misfit.
    private func solve(_ grid: TileGrid, at motion: RigidMotion, withRoll: Bool) -> FramePose {
        let toLevel = 1 / Float(1 << grid.level)
        var change = RigidMotion()
        var solution = Solution()
        var spread: Float = 1
        let rounds = grid.level > 1 ? 2 : 3
        for round in 0..<rounds {
            var normal = NormalEquations()
            var seen = 0
            for row in 0..<grid.rows {
                for column in 0..<grid.columns {
                    let i = row * grid.columns + column
                    let s = sums[i]
                    guard s.n > 0 else { continue }
                    let middle = grid.middle(column, row, width: width, height: height)
                    let p = change.at(middle.x, middle.y)
                    let ux = expected[i].x + p.x * toLevel
                    let uy = expected[i].y + p.y * toLevel
                    let misfit = s.misfit(ux: ux, uy: uy, sigma2: variance[i])
                    misfits[seen] = misfit
                    seen += 1
                    var weight: Float = 1 / variance[i]
                    if grid.count == trust.count { weight *= trust[i] }
                    // chi-squared with 2 degrees of freedom: half of the still tiles lie below 1.4.
                    if round > 0 { weight /= 1 + misfit / (6 * spread) }
                    normal.add(s, expected: expected[i], middle: middle, toLevel: toLevel, weight: weight)
                }
            }
            guard seen > 0 else { return FramePose(motion: motion) }
            // The first round's misfits are those of the step itself.
            if round == 0 || round == rounds - 1 { spread = max(misfits.median(of: seen) / 1.386, 1) }
            solution = normal.solve(withRoll: withRoll)
            change = solution.change
        }
        let grow = spread.squareRoot()
        // Further than a sample or two a step means nothing; without light none does.
        let reach = Float(2 << grid.level)
        guard solution.sigma < reach, abs(change.x) < reach, abs(change.y) < reach else {
            return FramePose(motion: motion, sigma: max(solution.sigma * grow, reach), rollSigma: solution.rollSigma)
        }
        let m = RigidMotion(x: motion.x + change.x, y: motion.y + change.y, roll: motion.roll + change.roll)
        return FramePose(motion: m, sigma: solution.sigma * grow, rollSigma: solution.rollSigma * grow)
    }

    /// Best whole shift at the coarsest level within 3 samples of the guess.
    private func search(_ frame: WorkPyramid, _ reference: WorkPyramid, guess: RigidMotion, noise: NoiseCurve)
        -> RigidMotion
    {
        let level = WorkPyramid.levels - 1
        let c = frame[level]
        let t = reference[level]
        let sigma2 = noise.variance(noise.typicalCode) * 2 / Float(1 << (2 * level))
        let startX = nearest(guess.x / Float(1 << level))
        let startY = nearest(guess.y / Float(1 << level))
        var best = Float.infinity
        var found = (x: startX, y: startY)
        for dy in -3...3 {
            for dx in -3...3 {
                let nx = startX + dx
                let ny = startY + dy
                let x0 = max(0, -nx)
                let x1 = min(t.width, c.width - nx)
                let y0 = max(0, -ny)
                let y1 = min(t.height, c.height - ny)
                // Half the picture must overlap, or a small matching corner could win.
                guard x1 - x0 >= t.width / 2, y1 - y0 >= t.height / 2 else { continue }
                var sum: Float = 0
                for y in y0..<y1 {
                    sum += squaredDifference(c.row(y + ny) + x0 + nx, t.row(y) + x0, count: x1 - x0)
                }
                // Without light all shifts fit alike: the guess then stands.
                let far = Float(dx * dx + dy * dy)
                let cost = sum / Float((x1 - x0) * (y1 - y0)) + 0.02 * sigma2 * far
                if cost < best {
                    best = cost
                    found = (nx, ny)
                }
            }
        }
        if found == (startX, startY) { return guess }
        return RigidMotion(x: Float(found.x << level), y: Float(found.y << level), roll: guess.roll)
    }

    private func squaredDifference(_ a: Row<Float>, _ b: Row<Float>, count: Int) -> Float {
        var sums = SIMD4<Float>.zero
        var x = 0
        while x + 4 <= count {
            let d = load4(a + x) - load4(b + x)
            sums += d * d
            x += 4
        }
        var sum = (sums[0] + sums[2]) + (sums[1] + sums[3])
        while x < count {
            sum += (a[x] - b[x]) * (a[x] - b[x])
            x += 1
        }
        return sum
    }
}
