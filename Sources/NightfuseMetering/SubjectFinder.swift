internal import NightfuseCore

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

    /// Speed expected a little later, samples of level 0 a second.
    var ahead: Double
    /// Mean code (0 to 255) of its luma.
    var code: Double

    var speed: Double { (x * x + y * y).squareRoot() }
}

/// Follows what the seeds point at through the last frames: which blocks move with it, and exactly how fast.
///
/// Two explanations are held against each other for every block of 8 x 8 samples: that it stays where the scene is, and that
/// it moves with the subject. The velocity comes from the blocks that the second one fits better, over spans of time that
/// grow with what is known, so that a slow subject is measured over half a second and a fast one over two frames.
struct SubjectFinder {
    let ring: FrameRing
    let noise: NoiseCurve
    /// Variance of a difference over that of one frame, by level.
    let scales: [Float]
    let width: Int
    let height: Int
    private(set) var subjects: [Subject] = []

    /// Samples a side of a block.
    static let side = 8
    private static let most = 4
    /// A quarter of a tile's samples: less is no subject.
    static let leastBlocks = 6
    /// Share of the camera's speed by which faint parts of a JPEG preview have been seen to lag.
    private static let mostStick: Float = 0.35
    /// Slower than this (samples of level 0 a second) is no subject: a sixth of a sample over the time that the ring
    /// holds, and more where the camera moves.
    let slowest: Float
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
            if let track = SubjectTrack(self, group: group) {
                subjects.append(track.subject)
            } else if let rough = rough(group) {
                subjects.append(rough)
            }
            open.removeAll { seed in group.contains { abs($0.column - seed.column) <= 2 && abs($0.row - seed.row) <= 2 }
            }
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
            middleY: y / Double(height) * 2 - 1, ahead: Double(middle.speed),
            code: sure.reduce(0.0) { $0 + Double(tileCode($1)) } / n)
    }

    /// Code in the middle of a tile of the newest frame.
    private func tileCode(_ seed: MotionSeed) -> Float {
        let side = TileGrid.finestSide >> 2
        return ring[ring.count - 1].picture[2].row(seed.row * side + side / 2)[seed.column * side + side / 2]
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
}
