internal import NightfuseCore

/// One subject being followed.
struct SubjectTrack {
    let finder: SubjectFinder
    var x: Float
    var y: Float
    var doubt: Float
    private var sigma: Float = 0
    /// Seconds over which the velocity was last measured.
    private var lastSpan: Float
    /// Blocks looked at: first column and row, and counts.
    let left: Int
    let top: Int
    let columns: Int
    let rows: Int
    var moving: [Bool]
    /// How much better moving along explains a block, in units of noise, and the variance of that.
    private var gains: [SIMD2<Float>]

    /// Nil where the motion does not stand up to the test.
    init?(_ finder: SubjectFinder, group: [MotionSeed]) {
        self.finder = finder
        // The field's tiles lag behind by about half of its memory.
        let ahead = Float(MotionField.memory) * 0.75 / Float(SubjectFinder.side)
        let perTile = TileGrid.finestSide / SubjectFinder.side
        let first = group[0]
        let (ax, ay) = (first.x * ahead, first.y * ahead)
        let (x0, x1) = (group.map(\.column).min() ?? 0, group.map(\.column).max() ?? 0)
        let (y0, y1) = (group.map(\.row).min() ?? 0, group.map(\.row).max() ?? 0)
        left = max(0, (x0 - 2) * perTile + Int(min(ax, 0)))
        top = max(0, (y0 - 2) * perTile + Int(min(ay, 0)))
        columns = min(finder.width / SubjectFinder.side, (x1 + 3) * perTile + Int(max(ax, 0))) - left
        rows = min(finder.height / SubjectFinder.side, (y1 + 3) * perTile + Int(max(ay, 0))) - top
        (x, y, doubt) = (first.x, first.y, max(0.3 * first.speed, first.doubt))
        lastSpan = 0
        moving = [Bool](repeating: false, count: max(columns, 0) * max(rows, 0))
        gains = [SIMD2<Float>](repeating: .zero, count: moving.count)
        guard columns > 0, rows > 0 else { return nil }
        lastSpan = shortest
        guard pickStart(group) else { return nil }
        for _ in 0..<Self.rounds {
            guard moving.contains(true), let step = refine(), assign(steps()) > 0 else { return nil }
            // A twentieth of a sample over the span is all that can be hoped for.
            if step < max(0.05 / lastSpan, 0.5 * sigma), lastSpan > 0.9 * longestSpan { break }
        }
        guard moving.count(where: { $0 }) >= SubjectFinder.leastBlocks, speed > finder.slowest, !finder.sticks(x, y)
        else { return nil }
    }

    var subject: Subject {
        let coarse = finder.ring[finder.ring.count - 1].picture[2]
        var n = 0.0
        var sx = 0.0
        var sy = 0.0
        var code = 0.0
        for l in 0..<rows {
            for k in 0..<columns where moving[l * columns + k] {
                let x = (left + k) * SubjectFinder.side + SubjectFinder.side / 2
                let y = (top + l) * SubjectFinder.side + SubjectFinder.side / 2
                n += 1
                sx += Double(x)
                sy += Double(y)
                code += Double(coarse.row(y >> 2)[x >> 2])
            }
        }
        let (w, h) = (Double(finder.width), Double(finder.height))
        return Subject(
            x: Double(x), y: Double(y), sigma: Double(sigma),
            area: n * Double(SubjectFinder.side * SubjectFinder.side) / (w * h), middleX: sx / n / w * 2 - 1,
            middleY: sy / n / h * 2 - 1, ahead: Double(speedAhead()), code: code / n)
    }

    /// Farthest that a subject is followed, samples of level 0: about the size of a small one.
    private static let longestWay: Float = 16

    private var speed: Float { max((x * x + y * y).squareRoot(), 1e-3) }

    var shortest: Float {
        let ring = finder.ring
        return Float(ring[ring.count - 1].time - ring[ring.count - 2].time)
    }

    /// Most steps towards the velocity; most subjects take five.
    private static let rounds = 10

    /// The longest span that the speed and the preview allow.
    private var longestSpan: Float {
        let ring = finder.ring
        return max(min(Self.longestWay / speed, 0.5, Float(ring[ring.count - 1].time - ring[0].time)), shortest)
    }

    /// The level and the pairs of frames in which what is not known of the shift is about half a sample.
    private func unsure() -> (level: Int, pairs: [(AlignedFrame, AlignedFrame)]) {
        var level = 0
        while level < 2, doubt * shortest / Float(1 << level) > 0.6 { level += 1 }
        // Not further than a small subject's own size: beyond, it has turned or left the picture.
        return (level, pairs(span: min(0.6 * Float(1 << level) / doubt, 2 * lastSpan, longestSpan)))
    }

    /// The level and the pairs of frames in which the subject goes about one sample of the level: few enough for the
    /// equations to hold, far enough to tell it from the scene.
    private func steps() -> (level: Int, pairs: [(AlignedFrame, AlignedFrame)]) {
        var level = 0
        while level < 2, speed * shortest / Float(1 << level) > 1.2 { level += 1 }
        return (level, pairs(span: min(Float(1 << level) / speed, 0.4)))
    }

    /// Up to six pairs of frames (newer first) about `span` seconds apart, spread over the time in which the subject
    /// goes no further than half of a small subject's size.
    private func pairs(span: Float) -> [(AlignedFrame, AlignedFrame)] {
        let ring = finder.ring
        let newest = ring[ring.count - 1].time
        let span = max(min(span, Float(newest - ring[0].time)), shortest)
        let longest = max(2 * Self.longestWay / speed, span * 1.01)
        var all: [(AlignedFrame, AlignedFrame)] = []
        for i in stride(from: ring.count - 1, to: 0, by: -1) {
            var best: (AlignedFrame, Float)?
            for j in stride(from: i - 1, through: 0, by: -1) {
                let off = abs(Float(ring[i].time - ring[j].time) - span)
                if off < best?.1 ?? span * 0.5 { best = (ring[j], off) }
            }
            guard let best, Float(newest - best.0.time) <= longest else { continue }
            all.append((ring[i], best.0))
        }
        let most = 6
        guard all.count > most else { return all }
        return (0..<most).map { all[$0 * (all.count - 1) / (most - 1)] }
    }

    /// Says of every block whether it moves along or stays; returns how much better moving explains those that do, in
    /// units of noise.
    private mutating func assign(_ view: (level: Int, pairs: [(AlignedFrame, AlignedFrame)])) -> Float {
        let (level, pairs) = view
        let toLevel = 1 / Float(1 << level)
        let ring = finder.ring
        let newest = ring[ring.count - 1]
        for i in gains.indices { gains[i] = .zero }
        for (a, b) in pairs {
            let step = Float(a.time - b.time) * toLevel
            let ca = place(Float(a.time - newest.time) * toLevel)
            // Half way between the two explanations, where both are within the equations' reach.
            let half = (nearest(-0.5 * x * step), nearest(-0.5 * y * step))
            let still = SIMD2(
                Float(half.0) + (a.rest.x - b.rest.x) * toLevel, Float(half.1) + (a.rest.y - b.rest.y) * toLevel)
            let along = SIMD2(x * step + still.x, y * step + still.y)
            let way = along - still
            for l in 0..<rows {
                for k in 0..<columns {
                    guard let s = sums(a, b, level: level, k: k, l: l, c: ca, t: (ca.0 + half.0, ca.1 + half.1))
                    else { continue }
                    let left = s.difference(at: still)
                    let moved = s.difference(at: along)
                    let weight = 1 / max(sigma2(newest, k, l, level: level), min(left, moved) / s.n)
                    let gain = left - moved
                    let noise = s.gradientNoise * (way.x * way.x + way.y * way.y)
                    gains[l * columns + k] += SIMD2(gain, 4 * (max(s.curved(way), 0) + noise)) * weight
                }
            }
        }
        var total: Float = 0
        for l in 0..<rows {
            for k in 0..<columns {
                let sum = around(k, l) { gains[$0] }
                let own = gains[l * columns + k]
                // Smoothed noise: one sample in four is independent.
                let moves = sum.x > 2 * (4 * sum.y).squareRoot() && own.x > 0
                moving[l * columns + k] = moves
                if moves { total += own.x }
            }
        }
        clean()
        return moving.contains(true) ? total : 0
    }

    /// The sum over a block and its neighbours.
    private func around(_ k: Int, _ l: Int, _ value: (Int) -> SIMD2<Float>) -> SIMD2<Float> {
        var sum = SIMD2<Float>.zero
        for dl in max(l - 1, 0)...min(l + 1, rows - 1) {
            for dk in max(k - 1, 0)...min(k + 1, columns - 1) { sum += value(dl * columns + dk) }
        }
        return sum
    }

    /// Fills holes and drops lone blocks.
    private mutating func clean() {
        let before = moving
        for l in 0..<rows {
            for k in 0..<columns {
                let count = around(k, l) { SIMD2(before[$0] ? 1 : 0, 0) }.x
                moving[l * columns + k] = before[l * columns + k] ? count >= 3 : count >= 5
            }
        }
    }

    /// A step of least squares for the velocity over the moving blocks; returns how far it went, nil where nothing can be
    /// said.
    private mutating func refine() -> Float? {
        let (level, pairs) = unsure()
        guard let first = pairs.first, let answer = solve(pairs, level: level) else { return nil }
        lastSpan = Float(first.0.time - first.1.time)
        let limit = 2 * doubt
        let length = (answer.x * answer.x + answer.y * answer.y).squareRoot()
        let share = length > limit ? limit / length : 1
        x += answer.x * share
        y += answer.y * share
        sigma = answer.sigma
        doubt = max(min(0.7 * doubt, 1.5 * length), 2 * sigma, 0.02 * speed, 0.2)
        return length * share
    }

    /// The change of the velocity that brings the moving blocks of all pairs together best, and its standard deviation; nil
    /// where nothing can be said.
    private func solve(_ pairs: [(AlignedFrame, AlignedFrame)], level: Int) -> (x: Float, y: Float, sigma: Float)? {
        var total = TileMotion()
        let toLevel = 1 / Float(1 << level)
        let newest = finder.ring[finder.ring.count - 1]
        for (a, b) in pairs {
            let step = Float(a.time - b.time) * toLevel
            let ca = place(Float(a.time - newest.time) * toLevel)
            let cb = place(Float(b.time - newest.time) * toLevel)
            // What is left of the camera's motion shows as well.
            let u = SIMD2(
                x * step - Float(ca.0 - cb.0) + (a.rest.x - b.rest.x) * toLevel,
                y * step - Float(ca.1 - cb.1) + (a.rest.y - b.rest.y) * toLevel)
            for l in 0..<rows {
                for k in 0..<columns where moving[l * columns + k] {
                    guard let s = sums(a, b, level: level, k: k, l: l, c: ca, t: cb) else { continue }
                    // Blocks on the subject's edge fit neither; they count as little as they fit.
                    let rest = s.difference(at: u) / s.n
                    total.add(s, rest: u, step: step, weight: 1 / max(sigma2(newest, k, l, level: level), rest))
                }
            }
        }
        let trace = total.hxx + total.hyy
        // Where the gradients do not agree yet, the damped equations still lead the right way.
        let agree =
            total.hxx > 0 && total.hyy > 0 && total.hxx * total.hyy - total.hxy * total.hxy > 0.02 * trace * trace
        let ridge = agree ? 0.02 * trace : total.noise
        let xx = total.hxx + ridge
        let yy = total.hyy + ridge
        let det = xx * yy - total.hxy * total.hxy
        guard total.noise > 0, det > 1e-3 * (xx + yy) * (xx + yy) / 4 else { return nil }
        return (
            (yy * total.bx - total.hxy * total.by) / det, (xx * total.by - total.hxy * total.bx) / det,
            (2 * (abs(trace) + 2 * total.noise)).squareRoot() / max(abs(trace), 1e-9)
        )
    }

    /// The speed some time after the newest frame, if it goes on changing as it does; as it is where no change can be told.
    private func speedAhead() -> Float {
        // Spans so short that early and late ones fit into the time.
        let level = unsure().level
        let pairs = pairs(span: 0.4 * longestSpan)
        guard pairs.count >= 4 else { return speed }
        let half = pairs.count / 2
        guard let late = solve(Array(pairs[..<half]), level: level),
            let early = solve(Array(pairs[half...]), level: level)
        else { return speed }
        func middle(_ list: ArraySlice<(AlignedFrame, AlignedFrame)>) -> Float {
            let newest = finder.ring[finder.ring.count - 1].time
            return list.reduce(0) { $0 + Float(($1.0.time + $1.1.time) / 2 - newest) } / Float(list.count)
        }
        let between = middle(pairs[..<half]) - middle(pairs[half...])
        let dx = late.x - early.x
        let dy = late.y - early.y
        let doubt = 3 * (late.sigma * late.sigma + early.sigma * early.sigma).squareRoot()
        guard between > 0.02, (dx * dx + dy * dy).squareRoot() > max(2 * doubt, 0.15 * speed) else { return speed }
        let time = (Self.ahead - middle(pairs[...])) / between
        let vx = x + dx * time
        let vy = y + dy * time
        // Half a second is little to tell a change from: not more than a third is believed.
        return min(max((vx * vx + vy * vy).squareRoot(), speed * 0.75), speed * 1.33)
    }

    /// Seconds from the last preview to the middle of the first frames of a shot.
    private static let ahead: Float = 0.25

    /// Where the subject was, whole samples of the level from where it is in the newest frame.
    private func place(_ time: Float) -> (Int, Int) { (nearest(x * time), nearest(y * time)) }

    /// Variance of the difference of two frames at `level`, at this block's brightness.
    func sigma2(_ frame: AlignedFrame, _ k: Int, _ l: Int, level: Int) -> Float {
        let plane = frame.picture[2]
        let y = ((top + l) * SubjectFinder.side + SubjectFinder.side / 2) >> 2
        let x = ((left + k) * SubjectFinder.side + SubjectFinder.side / 2) >> 2
        return finder.noise.variance(plane.row(y)[x]) * finder.scales[level]
    }

    /// The sums of a block of the newest frame's place, `current` moved by `c` and `other` by `t` (samples of the
    /// level); nil where either lies outside.
    func sums(
        _ current: AlignedFrame, _ other: AlignedFrame, level: Int, k: Int, l: Int, c: (Int, Int), t: (Int, Int)
    ) -> BlockSums? {
        let newest = finder.ring[finder.ring.count - 1]
        let side = max(SubjectFinder.side >> level, 4)
        // At level 2 a block is 4 x 4 samples and stands for its surroundings too.
        let x0 = ((left + k) * SubjectFinder.side) >> level
        let y0 = ((top + l) * SubjectFinder.side) >> level
        let cx = x0 + c.0 + (newest.originX - current.originX) >> level
        let cy = y0 + c.1 + (newest.originY - current.originY) >> level
        let tx = x0 + t.0 + (newest.originX - other.originX) >> level
        let ty = y0 + t.1 + (newest.originY - other.originY) >> level
        let p = current.picture[level]
        let q = other.picture[level]
        guard cx >= 0, cy >= 0, tx >= 0, ty >= 0, cx + side <= p.width, cy + side <= p.height, tx + side <= q.width,
            ty + side <= q.height
        else { return nil }
        return BlockSums.measure(
            current: p.row(cy) + cx, currentStride: p.stride, other: q.row(ty) + tx, otherStride: q.stride,
            width: side, height: side)
    }
}
