internal import NightfuseCore

/// One way of looking for motion: which level of the pyramid, and over what time.
struct MotionChannel {
    let level: Int
    /// Seconds between the two frames; 0: the newest there is.
    let seconds: Double
    /// The frames it looks at: 0 every one, 1 the odd, 2 the even. Spans of several frames need not begin at each.
    var turn = 0
}

/// What a tile has shown so far through one channel: running sums of the equations (H s^2) v = s b, s the time between the
/// frames (in units that make v samples of level 0 a second), each weighed by the inverse of its noise.
struct TileMotion {
    var bx: Float = 0
    var by: Float = 0
    var hxx: Float = 0
    var hxy: Float = 0
    var hyy: Float = 0
    /// The noise in the gradients adds this to both of the covariance's diagonal elements.
    var noise: Float = 0

    mutating func fade(_ share: Float) {
        bx *= share
        by *= share
        hxx *= share
        hxy *= share
        hyy *= share
        noise *= share
    }

    mutating func add(_ s: BlockSums, rest: SIMD2<Float>, step: Float, weight: Float) {
        let w = weight * step
        bx += (s.bx - s.hxx * rest.x - s.hxy * rest.y) * w
        by += (s.by - s.hxy * rest.x - s.hyy * rest.y) * w
        let w2 = w * step
        hxx += s.hxx * w2
        hxy += s.hxy * w2
        hyy += s.hyy * w2
        noise += s.gradientNoise * w2
    }

    static func += (a: inout TileMotion, b: TileMotion) {
        a.bx += b.bx
        a.by += b.by
        a.hxx += b.hxx
        a.hxy += b.hxy
        a.hyy += b.hyy
        a.noise += b.noise
    }

    static func * (a: TileMotion, share: Float) -> TileMotion {
        var r = a
        r.fade(share)
        return r
    }

    /// b^T Cov^-1 b: chi-squared with 2 degrees of freedom where nothing moves.
    var evidence: Float {
        let xx = max(hxx, 0) + noise
        let yy = max(hyy, 0) + noise
        let det = max(xx * yy - hxy * hxy, 0.05 * xx * yy + 1e-12)
        return max((yy * bx * bx - 2 * hxy * bx * by + xx * by * by) / det, 0)
    }

    /// The velocity and its standard deviation (of the better-known direction's mean), samples of level 0 a second; nil
    /// where it cannot be known.
    var velocity: (x: Float, y: Float, sigma: Float)? {
        let trace = hxx + hyy
        // A little ridge keeps the direction along an edge, which cannot be seen, near zero.
        let ridge = max(noise * 0.1, trace * 0.01)
        let xx = hxx + ridge
        let yy = hyy + ridge
        let det = xx * yy - hxy * hxy
        guard trace > 0, xx > 0, yy > 0, det > 1e-3 * xx * yy else { return nil }
        let sigma2 = (trace + 2 * noise) / (trace * trace) * 2
        return ((yy * bx - hxy * by) / det, (xx * by - hxy * bx) / det, sigma2.squareRoot())
    }
}

/// Looks for what moves by itself: in every tile, at several levels of the pyramid and over several spans of time, so that
/// a slow thing is seen over a long span and a fast one over a short.
final class MotionField {
    static let channels = [
        MotionChannel(level: 3, seconds: 0), MotionChannel(level: 2, seconds: 0), MotionChannel(level: 1, seconds: 0),
        MotionChannel(level: 1, seconds: 0.133, turn: 1), MotionChannel(level: 0, seconds: 0.133, turn: 2),
        MotionChannel(level: 1, seconds: 0.35, turn: 1),
    ]
    /// Seconds over which a tile forgets.
    static let memory = 0.4

    let width: Int
    let height: Int
    let grids: [TileGrid]
    let tiles: [Tiles<TileMotion>]
    /// Mean time between the frames compared, by channel; 0 where none were.
    private(set) var spans: [Double]
    /// Measured noise over that expected, by channel.
    private var noiseRatio: [Float]
    private var frames = 0
    private let ratios: Tiles<Float>
    private let found: Tiles<BlockSums>

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        grids = Self.channels.map { TileGrid(width: width, height: height, level: $0.level) }
        tiles = grids.map { Tiles($0.count, TileMotion()) }
        spans = [Double](repeating: 0, count: grids.count)
        noiseRatio = [Float](repeating: 1, count: grids.count)
        let most = TileGrid(width: width, height: height, level: 0).count
        ratios = Tiles(most, 0)
        found = Tiles(most, BlockSums())
    }

    /// Variance of the difference of two frames at `level`, over that of one frame at level 0.
    func differenceScale(level: Int) -> Float {
        let channel = Self.channels.firstIndex { $0.level == level } ?? 0
        return 2 * noiseRatio[channel] / Float(1 << (2 * level))
    }

    func reset() {
        for t in tiles { t.fill(TileMotion()) }
        for i in spans.indices { (spans[i], noiseRatio[i]) = (0, 1) }
    }

    /// Moves what was learned along with the reference: today's (0, 0) is what was (x, y) before.
    func shift(byX x: Int, y: Int) {
        for (channel, grid) in grids.enumerated() {
            let size = grid.side << grid.level
            let (dx, dy) = (x / size, y / size)
            let list = tiles[channel]
            // In the order in which no tile is overwritten before it was read.
            for k in 0..<list.count {
                let i = dy > 0 || dy == 0 && dx >= 0 ? k : list.count - 1 - k
                let (column, row) = (i % grid.columns + dx, i / grid.columns + dy)
                let inside = column >= 0 && row >= 0 && column < grid.columns && row < grid.rows
                list[i] = inside ? list[row * grid.columns + column] : TileMotion()
            }
        }
    }

    /// Compares `frame` with those of the ring, `elapsed` seconds after the last call.
    func add(_ frame: AlignedFrame, ring: FrameRing, noise: NoiseCurve, codes: Tiles<Float>, elapsed: Double) {
        let share = Float(1 / (1 + elapsed / Self.memory))
        frames += 1
        for (i, channel) in Self.channels.enumerated() {
            for k in 0..<tiles[i].count { tiles[i][k].fade(share) }
            if channel.turn != 0, channel.turn % 2 != frames % 2 { continue }
            let other: AlignedFrame?
            if channel.seconds == 0 {
                other = ring.count > 0 ? ring[ring.count - 1] : nil
            } else {
                other = ring.frame(before: frame.time, by: channel.seconds)
            }
            guard let other else { continue }
            compare(frame, other, channel: i, noise: noise, codes: codes)
            spans[i] = frame.time - other.time
        }
    }

    private func compare(
        _ frame: AlignedFrame, _ other: AlignedFrame, channel: Int, noise: NoiseCurve, codes: Tiles<Float>
    ) {
        let grid = grids[channel]
        let level = grid.level
        let toLevel = 1 / Float(1 << level)
        let step = Float(frame.time - other.time) * toLevel
        // The older frame's samples for the place (x, y) of today's reference.
        let dx = frame.originX - other.originX
        let dy = frame.originY - other.originY
        let finest = TileGrid(width: width, height: height, level: 0)
        let perTile = (grid.side << level) / TileGrid.finestSide
        let scale = 2 * toLevel * toLevel * noiseRatio[channel]
        let c = frame.picture[level]
        let t = other.picture[level]
        var seen = 0
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let i = row * grid.columns + column
                let fx = column * perTile
                let fy = row * perTile
                let ox = fx + dx / TileGrid.finestSide
                let oy = fy + dy / TileGrid.finestSide
                guard ox >= 0, oy >= 0, ox + perTile <= finest.columns, oy + perTile <= finest.rows else { continue }
                var valid = true
                for y in 0..<perTile {
                    for x in 0..<perTile {
                        valid =
                            valid && frame.valid[(fy + y) * finest.columns + fx + x]
                            && other.valid[(oy + y) * finest.columns + ox + x]
                    }
                }
                guard valid else { continue }
                let x0 = column * grid.side
                let y0 = row * grid.side
                let s = BlockSums.measure(
                    current: c.row(y0) + x0, currentStride: c.stride,
                    other: t.row(y0 + dy >> level) + x0 + dx >> level, otherStride: t.stride, width: grid.side,
                    height: grid.side)
                let sigma2 = noise.variance(codes[fy * finest.columns + fx]) * scale
                let m = grid.middle(column, row, width: width, height: height)
                let a = frame.rest.at(m.x, m.y)
                let b = other.rest.at(m.x, m.y)
                tiles[channel][i].add(
                    s, rest: SIMD2((a.x - b.x) * toLevel, (a.y - b.y) * toLevel), step: step, weight: 1 / sigma2)
                ratios[seen] = s.dd / (s.n * sigma2)
                seen += 1
            }
        }
        guard seen >= 4 else { return }
        // More than half of the tiles show nothing but noise, as a rule; the ratio follows slowly.
        let median = ratios.median(of: seen)
        noiseRatio[channel] *= 1 + (min(max(median, 0.25), 4) - 1) * 0.25
    }
}
