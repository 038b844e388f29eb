internal import NightfuseCore

/// A frame brought to the reference's place, tile by tile.
final class AlignedFrame {
    let picture: WorkPyramid
    /// Which tiles of level 0 lie inside the frame; the others hold the reference's own content.
    let valid: Tiles<Bool>
    /// Where the reference's (0, 0) lay when this was made, in samples of level 0; multiples of 32.
    var originX = 0
    var originY = 0
    var time = 0.0
    /// What of the camera's motion is left in the picture (found after it was warped).
    var rest = RigidMotion()

    private let width: Int
    private let height: Int
    private let grid: TileGrid

    init(width: Int, height: Int) throws(NightfuseError) {
        (self.width, self.height) = (width, height)
        grid = TileGrid(width: width, height: height, level: 0)
        picture = try WorkPyramid(width: width, height: height)
        valid = Tiles(grid.count, true)
    }

    /// Fills the finest level with `frame` moved back by `motion` (bilinear, one shift a tile) and says which tiles are
    /// valid; the rest come from `reference`. Returns the share of valid tiles. About 0.4 ns a sample.
    func warp(_ frame: WorkPlane, by motion: RigidMotion, outside reference: WorkPlane) -> Float {
        let side = grid.side
        let out = picture[0]
        var inside = 0
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                let i = row * grid.columns + column
                let x0 = column * side
                let y0 = row * side
                let m = grid.middle(column, row, width: width, height: height)
                let p = motion.at(m.x, m.y)
                // Eighths of a sample at the least, so that a still camera's frames are not blurred by a hair's breadth.
                let nx = nearest(p.x - 0.499)
                let ny = nearest(p.y - 0.499)
                let sx = x0 + nx
                let sy = y0 + ny
                let ok = sx >= 0 && sy >= 0 && sx + side <= frame.width && sy + side <= frame.height
                valid[i] = ok
                if ok {
                    inside += 1
                    blend(
                        frame.row(sy) + sx, stride: frame.stride, fx: p.x - Float(nx), fy: p.y - Float(ny),
                        into: out.mutableRow(y0) + x0, outStride: out.stride)
                } else {
                    for y in 0..<side {
                        (out.mutableRow(y0 + y) + x0).update(from: reference.row(y0 + y) + x0, count: side)
                    }
                }
            }
        }
        out.closeBorder()
        return Float(inside) / Float(grid.count)
    }

    private func blend(
        _ source: Row<Float>, stride: Int, fx: Float, fy: Float, into out: MutableRow<Float>,
        outStride: Int
    ) {
        typealias V = SIMD4<Float>
        let ax = V(repeating: 1 - fx)
        let bx = V(repeating: fx)
        let ay = V(repeating: 1 - fy)
        let by = V(repeating: fy)
        for strip in 0..<grid.side / 4 {
            let from = source + strip * 4
            let to = out + strip * 4
            var above = load4(from) * ax + load4(from + 1) * bx
            for y in 0..<grid.side {
                let next = from + (y + 1) * stride
                let below = load4(next) * ax + load4(next + 1) * bx
                store4(above * ay + below * by, to + y * outStride)
                above = below
            }
        }
    }
}

/// The last frames in the reference's place, newest last.
final class FrameRing {
    /// Half a second at 30 frames a second.
    static let capacity = 16
    /// Frames closer together than this say little more than one of them.
    static let shortestStep = 0.025

    private var frames: [AlignedFrame] = []
    private var first = 0
    private(set) var count = 0

    init(width: Int, height: Int) throws(NightfuseError) {
        // One more than are kept: the frame being made.
        for _ in 0...Self.capacity { frames.append(try AlignedFrame(width: width, height: height)) }
    }

    /// The `i`-th oldest.
    subscript(i: Int) -> AlignedFrame { frames[(first + i) % frames.count] }

    /// The frame being made; not counted before ``keep()``.
    var next: AlignedFrame { frames[(first + count) % frames.count] }

    /// Counts the frame being made; the oldest goes when there are too many, and all that are older than `age` seconds.
    func keep(age: Double) {
        count += 1
        let newest = self[count - 1].time
        while count > Self.capacity || (count > 1 && self[0].time < newest - age) {
            first = (first + 1) % frames.count
            count -= 1
        }
    }

    func removeAll() { count = 0 }

    /// The frame whose age before `time` is nearest to `age` seconds, if any is within a third of it.
    func frame(before time: Double, by age: Double) -> AlignedFrame? {
        var best: AlignedFrame?
        var gap = age / 3
        for i in 0..<count {
            let off = abs(time - self[i].time - age)
            if off <= gap { (best, gap) = (self[i], off) }
        }
        return best
    }
}
