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
    private let width: Int
    private let height: Int
    private(set) var subjects: [Subject] = []

    /// Samples a side of a block.
    private static let side = 8
    private static let most = 4
    /// A quarter of a tile's samples: less is no subject.
    private static let leastBlocks = 6

    /// Reading time only; allocates.
    init(field: MotionField, ring: FrameRing, noise: NoiseCurve) {
        (self.ring, self.noise) = (ring, noise)
        (width, height) = (field.width, field.height)
        guard ring.count >= 2 else { return }
        var open = MotionSeeds(field).seeds.sorted { $0.evidence > $1.evidence }
        while let first = open.first, subjects.count < Self.most {
            let group = Self.group(open, around: first)
            if let track = Track(self, seed: group.mean, tiles: group.tiles) { subjects.append(track.subject) }
            open.removeAll { seed in group.tiles.contains { abs($0.0 - seed.column) <= 2 && abs($0.1 - seed.row) <= 2 } }
        }
    }

    /// The seeds that hang together with the first one and move alike; their mean, weighed by what is known of each.
    private static func group(_ seeds: [MotionSeed], around first: MotionSeed) -> (mean: MotionSeed, tiles: [(Int, Int)]) {
        var tiles = [(first.column, first.row)]
        var next = 0
        var taken = [first]
        while next < tiles.count {
            let (column, row) = tiles[next]
            next += 1
            for seed in seeds where abs(seed.column - column) <= 2 && abs(seed.row - row) <= 2 {
                guard !tiles.contains(where: { $0 == (seed.column, seed.row) }) else { continue }
                let dx = seed.x - first.x
                let dy = seed.y - first.y
                let alike = 0.5 * (first.x * first.x + first.y * first.y).squareRoot() + 3 * (seed.doubt + first.doubt)
                guard dx * dx + dy * dy < alike * alike else { continue }
                tiles.append((seed.column, seed.row))
                taken.append(seed)
            }
        }
        var mean = first
        var total: Float = 0
        (mean.x, mean.y) = (0, 0)
        for seed in taken {
            let w = 1 / (seed.doubt * seed.doubt)
            mean.x += w * seed.x
            mean.y += w * seed.y
            total += w
        }
        mean.x /= total
        mean.y /= total
        return (mean, tiles)
    }

    /// One subject being followed.
    private struct Track {
        private let finder: SubjectFinder
        private var x: Float
        private var y: Float
        private var doubt: Float
        private var sigma: Float = 0
        /// Blocks looked at: first column and row, and counts.
        private let left: Int
        private let top: Int
        private let columns: Int
        private let rows: Int
        private var moving: [Bool]

        /// Nil where the motion does not stand up to the test.
        init?(_ finder: SubjectFinder, seed: MotionSeed, tiles: [(Int, Int)]) {
            self.finder = finder
            (x, y) = (seed.x, seed.y)
            let speed = (x * x + y * y).squareRoot()
            doubt = max(0.35 * speed, seed.doubt)
            // The field's tiles lag behind by about half of its memory.
            let ahead = Float(MotionField.memory) * 0.75
            let perTile = TileGrid.finestSide / SubjectFinder.side
            let ax = x * ahead / Float(SubjectFinder.side)
            let ay = y * ahead / Float(SubjectFinder.side)
            let blocksX = finder.width / SubjectFinder.side
            let blocksY = finder.height / SubjectFinder.side
            var box = (tiles[0].0, tiles[0].1, tiles[0].0, tiles[0].1)
            for (c, r) in tiles { box = (min(box.0, c), min(box.1, r), max(box.2, c), max(box.3, r)) }
            left = max(0, (box.0 - 2) * perTile + Int(min(ax, 0)))
            top = max(0, (box.1 - 2) * perTile + Int(min(ay, 0)))
            columns = min(blocksX, (box.2 + 3) * perTile + Int(max(ax, 0))) - left
            rows = min(blocksY, (box.3 + 3) * perTile + Int(max(ay, 0))) - top
            guard columns > 0, rows > 0 else { return nil }
            moving = [Bool](repeating: false, count: columns * rows)
            for (c, r) in tiles {
                for by in 0..<perTile {
                    for bx in 0..<perTile {
                        let (k, l) = (c * perTile + bx - left, r * perTile + by - top)
                        if k >= 0, l >= 0, k < columns, l < rows { moving[l * columns + k] = true }
                    }
                }
            }
            for round in 0..<4 {
                if round > 0 || tiles.count < 2 { assign() }
                guard moving.contains(true), refine() else { return nil }
            }
            assign()
            guard moving.count(where: { $0 }) >= SubjectFinder.leastBlocks else { return nil }
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

        /// The pyramid's level and the frames to compare, newest first: spans over which the doubt stays within reach.
        private func view() -> (level: Int, frames: [AlignedFrame]) {
            let ring = finder.ring
            let newest = ring[ring.count - 1]
            let shortest = Float(newest.time - ring[ring.count - 2].time)
            var level = 0
            while level < 2, doubt * shortest / Float(1 << level) > 0.6 { level += 1 }
            let speed = max((x * x + y * y).squareRoot(), 1e-3)
            // Not further than half of a small subject's own size: beyond, it has turned or left the picture.
            let longest = min(0.6 * Float(1 << level) / doubt, 32 / speed, 0.55)
            var fitting = [newest]
            for i in stride(from: ring.count - 2, through: 0, by: -1) {
                if Float(newest.time - ring[i].time) > max(longest, shortest * 1.01) { break }
                fitting.append(ring[i])
            }
            let want = 5
            guard fitting.count > want else { return (level, fitting) }
            return (level, (0..<want).map { fitting[$0 * (fitting.count - 1) / (want - 1)] })
        }

        /// Says of every block whether it moves along.
        private mutating func assign() {
            let (_, frames) = view()
            let newest = frames[0]
            for l in 0..<rows {
                for k in 0..<columns {
                    var gain: Float = 0
                    var variance: Float = 0
                    for other in frames.dropFirst() {
                        let span = Float(newest.time - other.time)
                        let nx = nearest(-x * span)
                        let ny = nearest(-y * span)
                        if nx == 0, ny == 0 { continue }
                        guard let still = sums(newest, other, level: 0, k: k, l: l, c: (0, 0), t: (0, 0)),
                            let along = sums(newest, other, level: 0, k: k, l: l, c: (0, 0), t: (nx, ny))
                        else { continue }
                        // What is left of the shift after rounding is put right by the equations.
                        let rest = Self.leastDifference(along, ux: x * span + Float(nx), uy: y * span + Float(ny))
                        gain += still.dd - rest
                        let s2 = sigma2(newest, k, l)
                        variance += 4 * s2 * s2 * still.n
                    }
                    moving[l * columns + k] = gain > 3 * variance.squareRoot() && gain > 0
                }
            }
            clean()
        }

        private static func leastDifference(_ s: BlockSums, ux: Float, uy: Float) -> Float {
            s.dd - 2 * (s.bx * ux + s.by * uy) + s.hxx * ux * ux + 2 * s.hxy * ux * uy + s.hyy * uy * uy
        }

        /// Fills holes and drops lone blocks.
        private mutating func clean() {
            var counts = [Int](repeating: 0, count: moving.count)
            for l in 0..<rows {
                for k in 0..<columns {
                    for dl in max(l - 1, 0)...min(l + 1, rows - 1) {
                        for dk in max(k - 1, 0)...min(k + 1, columns - 1) where moving[dl * columns + dk] {
                            counts[l * columns + k] += 1
                        }
                    }
                }
            }
            for i in moving.indices { moving[i] = moving[i] ? counts[i] >= 3 : counts[i] >= 5 }
        }

        /// A step of least squares for the velocity over the moving blocks; false where nothing can be said.
        private mutating func refine() -> Bool {
            let (level, frames) = view()
            var xx: Float = 0
            var xy: Float = 0
            var yy: Float = 0
            var bx: Float = 0
            var by: Float = 0
            var noise: Float = 0
            let toLevel = 1 / Float(1 << level)
            let newest = frames[0]
            for a in 0..<frames.count {
                for b in a + 1..<frames.count {
                    let span = Float(frames[a].time - frames[b].time)
                    let ca = place(Float(frames[a].time - newest.time) * toLevel)
                    let cb = place(Float(frames[b].time - newest.time) * toLevel)
                    let step = span * toLevel
                    let ux = x * step - Float(ca.0 - cb.0)
                    let uy = y * step - Float(ca.1 - cb.1)
                    for l in 0..<rows {
                        for k in 0..<columns where moving[l * columns + k] {
                            guard let s = sums(frames[a], frames[b], level: level, k: k, l: l, c: ca, t: cb) else {
                                continue
                            }
                            let w = step / sigma2(newest, k, l)
                            bx += w * (s.bx - s.hxx * ux - s.hxy * uy)
                            by += w * (s.by - s.hxy * ux - s.hyy * uy)
                            xx += w * step * s.hxx
                            xy += w * step * s.hxy
                            yy += w * step * s.hyy
                            noise += w * step * s.gradientNoise
                        }
                    }
                }
            }
            let trace = xx + yy
            let ridge = 0.02 * trace
            let det = (xx + ridge) * (yy + ridge) - xy * xy
            guard trace > 0, det > 1e-3 * trace * trace / 4 else { return false }
            let dx = ((yy + ridge) * bx - xy * by) / det
            let dy = ((xx + ridge) * by - xy * bx) / det
            let limit = 2 * doubt
            let length = (dx * dx + dy * dy).squareRoot()
            let share = length > limit ? limit / length : 1
            x += dx * share
            y += dy * share
            sigma = (2 * (trace + 2 * noise)).squareRoot() / trace
            let speed = (x * x + y * y).squareRoot()
            doubt = max(0.5 * doubt * (share < 1 ? 2 : 1), 2 * sigma, 0.02 * speed, 0.2)
            return true
        }

        /// Where the subject was, whole samples of the level from where it is in the newest frame.
        private func place(_ time: Float) -> (Int, Int) { (nearest(x * time), nearest(y * time)) }

        private func sigma2(_ frame: AlignedFrame, _ k: Int, _ l: Int) -> Float {
            let plane = frame.picture[0]
            let y0 = (top + l) * SubjectFinder.side + SubjectFinder.side / 2
            let x0 = (left + k) * SubjectFinder.side + SubjectFinder.side / 2
            return finder.noise.variance(plane.row(y0)[x0]) * 2
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
