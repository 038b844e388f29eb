#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Something that moves by itself.
struct Subject {
    /// Velocity against the scene, samples of level 0 a second.
    var x: Double
    var y: Double
    var sigma: Double
    /// Share of the picture.
    var area: Double
    /// Where it is: from the middle, in halves of the picture's width and height.
    var middleX: Double
    var middleY: Double

    var speed: Double { (x * x + y * y).squareRoot() }
}

/// Follows what the seeds point at through the last frames: which blocks move with it, and exactly how fast.
///
/// Two explanations are held against each other for every block of 8 x 8 samples: that it stays where the scene is, and that
/// it moves with the subject. The velocity comes from the blocks that the second one fits better, over spans of time that
/// grow with what is known, so that a slow subject is measured over half a second and a fast one over two frames.
struct SubjectFinder {
    private let ring: FrameRing
    private let noise: NoiseCurve
    /// Variance of a difference over that of one frame, by level.
    private let scales: [Float]
    private let width: Int
    private let height: Int
    private(set) var subjects: [Subject] = []

    /// Samples a side of a block.
    private static let side = 8
    private static let most = 4
    /// A quarter of a tile's samples: less is no subject.
    private static let leastBlocks = 6
    /// Share of the camera's speed by which faint parts of a JPEG preview have been seen to lag.
    private static let mostStick: Float = 0.35
    /// Slower than this (samples of level 0 a second) is no subject: a sixth of a sample over the time that the ring
    /// holds, and more where the camera moves.
    private let slowest: Float
    /// Velocity of what would stay with the sensor.
    private let drift: (x: Float, y: Float)

    /// Reading time only; allocates.
    ///
    /// `drift` is the velocity of what would stay with the sensor and `camera` the camera's rms speed, samples of level 0 a
    /// second.
    init(field: MotionField, ring: FrameRing, noise: NoiseCurve, drift: (x: Double, y: Double), camera: Double) {
        slowest = max(0.75, 0.12 * Float(camera))
        self.drift = (Float(drift.x), Float(drift.y))
        (self.ring, self.noise) = (ring, noise)
        scales = (0..<3).map(field.differenceScale)
        (width, height) = (field.width, field.height)
        guard ring.count >= 2 else { return }
        var open = MotionSeeds(field).seeds.sorted { $0.evidence > $1.evidence }
        open.removeAll { sticks($0.x, $0.y, doubt: $0.doubt) }
        while let first = Self.bestSupported(open), subjects.count < Self.most {
            let group = Self.group(open, around: first)
            if let track = Track(self, group: group) {
                subjects.append(track.subject)
            } else if let rough = rough(group) {
                subjects.append(rough)
            }
            open.removeAll { seed in group.contains { abs($0.column - seed.column) <= 2 && abs($0.row - seed.row) <= 2 } }
        }
    }

    /// What the tiles say by themselves, where nothing could be followed (a dark shape before bright detail shows edges only)
    /// but several tiles are sure that something moves: their middle speed, and their share of the picture.
    private func rough(_ group: [MotionSeed]) -> Subject? {
        let sure = group.filter { $0.evidence > 100 }.sorted { $0.speed < $1.speed }
        guard sure.count >= 4 else { return nil }
        let middle = sure[sure.count / 2]
        guard middle.speed > slowest else { return nil }
        let side = Double(TileGrid.finestSide)
        let n = Double(sure.count)
        let x = sure.reduce(0.0) { $0 + Double($1.column) + 0.5 } / n * side
        let y = sure.reduce(0.0) { $0 + Double($1.row) + 0.5 } / n * side
        return Subject(
            x: Double(middle.x), y: Double(middle.y), sigma: Double(middle.speed) * 0.5,
            area: n * side * side / Double(width * height), middleX: x / Double(width) * 2 - 1,
            middleY: y / Double(height) * 2 - 1)
    }

    /// Whether a velocity may come from a pattern that stays with the sensor or with JPEG's blocks and not with the scene:
    /// faint parts of the picture seem to lag behind the camera. `doubt` in samples of level 0 a second.
    func sticks(_ x: Float, _ y: Float, doubt: Float = 0.6) -> Bool {
        let length2 = drift.x * drift.x + drift.y * drift.y
        let along = length2 > 0 ? min(max((x * drift.x + y * drift.y) / length2, 0), Self.mostStick) : 0
        let dx = x - along * drift.x
        let dy = y - along * drift.y
        return dx * dx + dy * dy < doubt * doubt
    }

    /// Whether two seeds may be parts of one thing: near each other, and moving alike.
    private static func agree(_ a: MotionSeed, _ b: MotionSeed, reach: Int) -> Bool {
        guard abs(a.column - b.column) <= reach, abs(a.row - b.row) <= reach else { return false }
        let dx = a.x - b.x
        let dy = a.y - b.y
        let alike = 0.4 * max(a.speed, b.speed) + 3 * (a.doubt + b.doubt)
        return dx * dx + dy * dy < alike * alike
    }

    /// The seed with which most others agree; tiles on the edge of something that moves say wild things, but each its own.
    private static func bestSupported(_ seeds: [MotionSeed]) -> MotionSeed? {
        var best: (MotionSeed, Float)?
        for seed in seeds.prefix(60) {
            let support = seeds.reduce(Float(0)) { $0 + (agree($1, seed, reach: 4) ? log($1.evidence) : 0) }
            if support > best?.1 ?? 0 { best = (seed, support) }
        }
        return best?.0
    }

    /// The seeds that hang together with the first one and move alike.
    private static func group(_ seeds: [MotionSeed], around first: MotionSeed) -> [MotionSeed] {
        var taken = [first]
        var next = 0
        while next < taken.count {
            let from = taken[next]
            next += 1
            for seed in seeds where agree(seed, first, reach: .max) {
                guard abs(seed.column - from.column) <= 2, abs(seed.row - from.row) <= 2 else { continue }
                if !taken.contains(where: { $0.column == seed.column && $0.row == seed.row }) { taken.append(seed) }
            }
        }
        return taken
    }

    /// One subject being followed.
    private struct Track {
        private let finder: SubjectFinder
        private var x: Float
        private var y: Float
        private var doubt: Float
        private var sigma: Float = 0
        /// Seconds over which the velocity was last measured.
        private var lastSpan: Float
        /// Blocks looked at: first column and row, and counts.
        private let left: Int
        private let top: Int
        private let columns: Int
        private let rows: Int
        private var moving: [Bool]
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

        /// Finds the whole shift that brings most of what changes to match, over a span in which the fastest of the
        /// group's tiles go a sample or two; false where nothing changes.
        private mutating func pickStart(_ group: [MotionSeed]) -> Bool {
            let ring = finder.ring
            let fastest = group.reduce(0) { max($0, $1.speed) }
            let shortest = Float(ring[ring.count - 1].time - ring[ring.count - 2].time)
            var level = 0
            while level < 2, fastest * shortest / Float(1 << level) > 2.2 { level += 1 }
            // Slow things need a longer look to move at all.
            let skip = max(1, min(nearest(1.6 * Float(1 << level) / (fastest * shortest)), ring.count - 1, 10))
            let changed = changedBlocks(level: level, skip: skip)
            guard !changed.isEmpty else { return false }
            let unit = Float(1 << level) / Float(ring[ring.count - 1].time - ring[ring.count - 1 - skip].time)
            let n = Float(group.count)
            let mean = SIMD2(group.reduce(0) { $0 + $1.x } / n, group.reduce(0) { $0 + $1.y } / n) / unit
            let spread = group.reduce(Float(0)) { sum, seed in
                let d = SIMD2(seed.x, seed.y) / unit - mean
                return sum + d.x * d.x + d.y * d.y
            }
            let radius = max((spread / n).squareRoot(), 1)
            var found: [(gain: Float, v: SIMD2<Float>)] = []
            for dy in -3...3 {
                for dx in -3...3 where dx != 0 || dy != 0 {
                    let off = SIMD2(Float(dx), Float(dy)) - mean
                    guard off.x * off.x + off.y * off.y <= radius * radius else { continue }
                    let gain = matched(changed, shift: SIMD2(Float(dx), Float(dy)), level: level, skip: skip)
                    found.append((gain, SIMD2(Float(dx), Float(dy)) * unit))
                }
            }
            // The tiles' own mean is no whole shift, and may be nearer.
            let own = mean * unit
            found.append((matched(changed, shift: mean, level: level, skip: skip), own))
            guard let best = found.max(by: { $0.gain < $1.gain }), best.gain > 0 else { return false }
            (x, y, doubt) = (best.v.x, best.v.y, 0.6 * unit)
            mark(changed, shift: best.v / unit, level: level, skip: skip)
            return true
        }

        /// Pairs of frames in which the start is searched.
        private static let searched = 5

        /// Blocks that differ from what they were by more than noise, with how much they differ (in units of noise).
        private func changedBlocks(level: Int, skip: Int) -> [(k: Int, l: Int, change: Float)] {
            let ring = finder.ring
            let newest = ring[ring.count - 1]
            var found: [(k: Int, l: Int, change: Float)] = []
            for l in 0..<rows {
                for k in 0..<columns {
                    var change: Float = 0
                    var samples: Float = 0
                    for i in 0..<min(Self.searched, ring.count - skip) {
                        guard
                            let s = sums(
                                ring[ring.count - 1 - i], ring[ring.count - 1 - i - skip], level: level, k: k, l: l,
                                c: (0, 0), t: (0, 0))
                        else { continue }
                        change += s.dd
                        samples += s.n
                    }
                    change /= sigma2(newest, k, l, level: level)
                    // Mean 1 a sample, variance 2, one sample in four independent: above chance by two deviations.
                    if change > samples + 2 * (8 * samples).squareRoot() { found.append((k, l, change)) }
                }
            }
            return found
        }

        /// By how much (in units of noise) blocks match better, all told, when shifted than when left.
        private func matched(
            _ blocks: [(k: Int, l: Int, change: Float)], shift: SIMD2<Float>, level: Int, skip: Int
        ) -> Float {
            blocks.reduce(0) { $0 + max($1.change - rest($1, shift: shift, level: level, skip: skip), 0) }
        }

        /// What still differs of a block (in units of noise) when it is shifted.
        private func rest(
            _ block: (k: Int, l: Int, change: Float), shift: SIMD2<Float>, level: Int, skip: Int
        ) -> Float {
            let ring = finder.ring
            let there = (nearest(-shift.x), nearest(-shift.y))
            let u = SIMD2(shift.x + Float(there.0), shift.y + Float(there.1))
            var rest: Float = 0
            for i in 0..<min(Self.searched, ring.count - skip) {
                guard
                    let s = sums(
                        ring[ring.count - 1 - i], ring[ring.count - 1 - i - skip], level: level, k: block.k, l: block.l,
                        c: (0, 0), t: there)
                else { return .infinity }
                rest += s.difference(at: u)
            }
            return rest / sigma2(ring[ring.count - 1], block.k, block.l, level: level)
        }

        /// Takes those blocks for moving that match clearly better when shifted.
        private mutating func mark(
            _ blocks: [(k: Int, l: Int, change: Float)], shift: SIMD2<Float>, level: Int, skip: Int
        ) {
            for block in blocks {
                let gain = block.change - rest(block, shift: shift, level: level, skip: skip)
                moving[block.l * columns + block.k] = gain > 0.25 * block.change
            }
        }

        var subject: Subject {
            var n = 0.0
            var sx = 0.0
            var sy = 0.0
            for l in 0..<rows {
                for k in 0..<columns where moving[l * columns + k] {
                    n += 1
                    sx += (Double(left + k) + 0.5) * Double(SubjectFinder.side)
                    sy += (Double(top + l) + 0.5) * Double(SubjectFinder.side)
                }
            }
            let (w, h) = (Double(finder.width), Double(finder.height))
            return Subject(
                x: Double(x), y: Double(y), sigma: Double(sigma),
                area: n * Double(SubjectFinder.side * SubjectFinder.side) / (w * h), middleX: sx / n / w * 2 - 1,
                middleY: sy / n / h * 2 - 1)
        }

        /// Samples of level 0.
        private static let longestWay: Float = 16

        private var speed: Float { max((x * x + y * y).squareRoot(), 1e-3) }

        private var shortest: Float {
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
                let still = SIMD2(Float(half.0), Float(half.1))
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
                    let moves = sum.x > 3 * (4 * sum.y).squareRoot() && own.x > 0
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
            guard let first = pairs.first else { return nil }
            lastSpan = Float(first.0.time - first.1.time)
            var xx: Float = 0
            var xy: Float = 0
            var yy: Float = 0
            var bx: Float = 0
            var by: Float = 0
            var noise: Float = 0
            let toLevel = 1 / Float(1 << level)
            let newest = finder.ring[finder.ring.count - 1]
            for (a, b) in pairs {
                let step = Float(a.time - b.time) * toLevel
                let ca = place(Float(a.time - newest.time) * toLevel)
                let cb = place(Float(b.time - newest.time) * toLevel)
                let ux = x * step - Float(ca.0 - cb.0)
                let uy = y * step - Float(ca.1 - cb.1)
                for l in 0..<rows {
                    for k in 0..<columns where moving[l * columns + k] {
                        guard let s = sums(a, b, level: level, k: k, l: l, c: ca, t: cb) else { continue }
                        // Blocks on the subject's edge fit neither; they count as little as they fit.
                        let rest = s.difference(at: SIMD2(ux, uy)) / s.n
                        let w = step / max(sigma2(newest, k, l, level: level), rest)
                        bx += w * (s.bx - s.hxx * ux - s.hxy * uy)
                        by += w * (s.by - s.hxy * ux - s.hyy * uy)
                        xx += w * step * s.hxx
                        xy += w * step * s.hxy
                        yy += w * step * s.hyy
                        noise += w * step * s.gradientNoise
                    }
                }
            }
            let trace = xx + yy
            // Where the gradients do not agree yet, the damped equations still lead the right way.
            let agree = xx > 0 && yy > 0 && xx * yy - xy * xy > 0.02 * trace * trace
            let ridge = agree ? 0.02 * trace : noise
            let det = (xx + ridge) * (yy + ridge) - xy * xy
            guard noise > 0, det > 1e-3 * (trace + 2 * ridge) * (trace + 2 * ridge) / 4 else { return nil }
            let dx = ((yy + ridge) * bx - xy * by) / det
            let dy = ((xx + ridge) * by - xy * bx) / det
            let limit = 2 * doubt
            let length = (dx * dx + dy * dy).squareRoot()
            let share = length > limit ? limit / length : 1
            x += dx * share
            y += dy * share
            sigma = (2 * (abs(trace) + 2 * noise)).squareRoot() / max(abs(trace), 1e-9)
            doubt = max(min(0.7 * doubt, 1.5 * length), 2 * sigma, 0.02 * speed, 0.2)
            return length * share
        }

        /// Where the subject was, whole samples of the level from where it is in the newest frame.
        private func place(_ time: Float) -> (Int, Int) { (nearest(x * time), nearest(y * time)) }

        /// Variance of the difference of two frames at `level`, at this block's brightness.
        private func sigma2(_ frame: AlignedFrame, _ k: Int, _ l: Int, level: Int) -> Float {
            let plane = frame.picture[2]
            let y = ((top + l) * SubjectFinder.side + SubjectFinder.side / 2) >> 2
            let x = ((left + k) * SubjectFinder.side + SubjectFinder.side / 2) >> 2
            return finder.noise.variance(plane.row(y)[x]) * finder.scales[level]
        }

        /// The sums of a block of the newest frame's place, `current` moved by `c` and `other` by `t` (samples of the
        /// level); nil where either lies outside.
        private func sums(
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
}
