package import NightfuseCore
internal import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Local shifts on top of the global model: parallax, rolling shutter, things that move by themselves.
///
/// On every level from coarse to fine, each tile (8 samples wide, looked at through a window of 16) starts from the
/// best of its parent's vector, the parent's neighbours', what the frame before had here and where that leads, and zero
/// (the global prediction), searches a few whole samples around it where the misfit calls for it, and takes a
/// Lucas-Kanade step to sub-sample precision. A vector other than zero is kept only where its gain in misfit beats what
/// noise alone would give (see `gate`); one near a vector that has already shown so needs to show less.
package struct TileAlignment {
    /// Tile width in samples of its level; the window is twice as wide.
    static let tile = 8
    /// Gain in summed squared misfit, over the noise variance of a difference, that a local vector must bring:
    /// with smoothed noise two free parameters gain about 4, a search over 25 places about 14 (measured on noise).
    static let gate: Float = 80
    /// Share of the misfit that it must bring on top: resampling leaves some on texture, which a shift may lessen.
    static let gateShare: Float = 0.2
    /// The same for a vector within `vouched` samples of its parent's: evidence is there already, and it only must not be
    /// noise. What the frame before had is weaker evidence, for it is handed on from frame to frame (at a gate of 12, a
    /// tenth of a picture at a pixel SNR of 0.3 was lost to vectors that noise once had found).
    static let parentGate: Float = 20
    static let historyGate: Float = 45
    static let vouchedShare: Float = 0.1
    static let vouched: Float = 1.5
    /// Vectors this many samples apart are different motions; of such, half a tile takes a neighbour's that fits by so
    /// much better than its own.
    static let apart: Float = 1
    static let splitGate: Float = 40
    static let splitShare: Float = 0.1

    /// Weight of the prior on a step: 0.3 samples, and smoothed noise of which five samples tell as much as one.
    static let prior: Float = 55

    /// What all gates are multiplied by: coarse noise (a camera's own denoising, demosaicing) has fewer independent samples
    /// in a window than white noise, and gains more by chance.
    package var caution: Float = 1
    /// The longest vector that is kept, in full-size pixels.
    package var farthest: Float = .infinity

    private let reference: GlobalAlignment
    private let width: Int
    private let height: Int

    package init(reference: GlobalAlignment, width: Int, height: Int) {
        (self.reference, self.width, self.height) = (reference, width, height)
    }

    /// The alignment of the frame before, and how much farther things that go on as they did are by now.
    package struct History: Sendable {
        package var field: AlignmentField
        package var growth: Float
        package init(field: AlignmentField, growth: Float) { (self.field, self.growth) = (field, growth) }
    }

    /// A grid of vectors on one level, in samples of that level.
    private struct Grid {
        var columns: Int
        var rows: Int
        var x: [Float]
        var y: [Float]
        init(columns: Int, rows: Int) {
            (self.columns, self.rows) = (columns, rows)
            x = [Float](repeating: 0, count: columns * rows)
            y = x
        }
        var isZero: Bool { x.allSatisfy { $0 == 0 } && y.allSatisfy { $0 == 0 } }
    }

    /// Fills the field's local shifts.
    ///
    /// - Parameter aligned: the frame brought onto the reference by `global`, which the shifts come on top of.
    package func refine(
        _ aligned: GlobalAlignment.Aligned, global: AlignmentField, history: History? = nil, workers: Workers
    ) throws(NightfuseError) -> AlignmentField {
        var field = global
        let base = reference.pyramid.base
        let top = aligned.warped.count - 1
        let noise = aligned.noise
        var grid: Grid?
        for level in stride(from: top, through: 0, by: -1) {
            let image = reference.pyramid.smooth[level]
            grid = try refine(
                level: level, parent: grid, history: history.flatMap { candidates($0, level: level) },
                image: image, warped: aligned.warped[level], noise: noise[level],
                workers: workers)
        }
        guard var grid, !grid.isZero else { return field }
        let variance = max(noise[0] * noise[0], 1e-8)
        grid = try split(
            grid, image: reference.pyramid.smooth[0], warped: aligned.warped[0], variance: variance, workers: workers)
        let scale = Float(1 << base)
        field.spacing = Self.spacing(base: base)
        field.columns = grid.columns
        field.rows = grid.rows
        field.localX = grid.x.map { $0 * scale }
        field.localY = grid.y.map { $0 * scale }
        return field
    }

    /// Full-size pixels between the nodes of the field: half a tile of the base level.
    package static func spacing(base: Int) -> Int { (tile / 2) << base }

    /// Halves the finest tiles. Where neighbours moved apart, each half takes, of the nine vectors around, the one that
    /// fits it best, so that edges of what moves stand to half a tile; elsewhere vectors run on evenly.
    private func split(
        _ grid: Grid, image: Plane<Float>, warped: Plane<Float>, variance: Float, workers: Workers
    ) throws(NightfuseError) -> Grid {
        let half = Self.tile / 2
        let out = GridRows(columns: (image.width + half - 1) / half, rows: (image.height + half - 1) / half)
        try workers.bands(out.rows, grain: 8) { (_, rows) throws(NightfuseError) in
            for row in rows {
                let ty = min(row / 2, grid.rows - 1)
                for column in 0..<out.columns {
                    let tx = min(column / 2, grid.columns - 1)
                    let own = ty * grid.columns + tx
                    var vector = (x: grid.x[own], y: grid.y[own])
                    var others: [(x: Float, y: Float)] = []
                    for y in max(ty - 1, 0)...min(ty + 1, grid.rows - 1) {
                        for x in max(tx - 1, 0)...min(tx + 1, grid.columns - 1) {
                            let k = y * grid.columns + x
                            if max(abs(grid.x[k] - vector.x), abs(grid.y[k] - vector.y)) > Self.apart {
                                others.append((grid.x[k], grid.y[k]))
                            }
                        }
                    }
                    if others.isEmpty {
                        vector = Self.between(grid, column, row)
                    } else {
                        let window = Self.window(
                            image, warped, x0: column * half - half / 2, y0: row * half - half / 2, size: 2 * half)
                        let own = tileCost(window, vector.x, vector.y, limit: .infinity)
                        var best = own - caution * Self.splitGate * variance - Self.splitShare * own
                        for v in others {
                            let c = tileCost(window, v.x, v.y, limit: .infinity)
                            if c < best { (best, vector) = (c, v) }
                        }
                    }
                    out.set(column, row, vector)
                }
            }
        }
        return out.grid()
    }

    /// A node of the halved grid between those of the grid, bilinear.
    private static func between(_ grid: Grid, _ column: Int, _ row: Int) -> (x: Float, y: Float) {
        let (u, v) = (
            min(max((Float(column) + 0.5) / 2 - 0.5, 0), Float(grid.columns - 1)),
            min(max((Float(row) + 0.5) / 2 - 0.5, 0), Float(grid.rows - 1))
        )
        let (c0, r0) = (Int(u), Int(v))
        let (c1, r1) = (min(c0 + 1, grid.columns - 1), min(r0 + 1, grid.rows - 1))
        let (fx, fy) = (u - Float(c0), v - Float(r0))
        func value(_ p: [Float]) -> Float {
            let top = p[r0 * grid.columns + c0] * (1 - fx) + p[r0 * grid.columns + c1] * fx
            let bottom = p[r1 * grid.columns + c0] * (1 - fx) + p[r1 * grid.columns + c1] * fx
            return top * (1 - fy) + bottom * fy
        }
        return (value(grid.x), value(grid.y))
    }

    private func refine(
        level: Int, parent: Grid?, history: [Grid]?, image: Plane<Float>, warped: Plane<Float>, noise: Float,
        workers: Workers
    ) throws(NightfuseError) -> Grid {
        let tile = Self.tile
        let out = GridRows(columns: (image.width + tile - 1) / tile, rows: (image.height + tile - 1) / tile)
        let variance = max(noise * noise, 1e-8)
        try workers.bands(out.rows, grain: 2) { (_, rows) throws(NightfuseError) in
            for ty in rows {
                for tx in 0..<out.columns {
                    let window = Self.window(
                        image, warped, x0: tx * tile - tile / 2, y0: ty * tile - tile / 2, size: 2 * tile)
                    let vector = self.vector(
                        window, parent: parent, history: history, tx: tx, ty: ty, variance: variance,
                        farthest: farthest / Float(1 << (level + reference.pyramid.base)))
                    out.set(tx, ty, vector)
                }
            }
        }
        return out.grid()
    }

    /// A window of `size` x `size` samples, as far as it lies within the pictures.
    @inline(__always)
    private static func window(
        _ image: Plane<Float>, _ warped: Plane<Float>, x0: Int, y0: Int, size: Int
    ) -> TileArguments {
        TileArguments(
            image: Row(image.base), imageStride: image.stride, warped: Row(warped.base), warpedStride: warped.stride,
            warpedWidth: warped.width, warpedHeight: warped.height, x0: max(x0, 0), y0: max(y0, 0),
            x1: min(x0 + size, image.width), y1: min(y0 + size, image.height))
    }

    /// Vectors of the frame before on a level's grid, in its samples: as they were, and gone on with. Of the finest tiles
    /// that a tile here covers, the one that moved farthest speaks.
    private func candidates(_ history: History, level: Int) -> [Grid]? {
        let field = history.field
        guard field.columns > 0 else { return nil }
        // Nodes of the field to a tile of this level, each way.
        let count = 2 << level
        var same = Grid(columns: (field.columns + count - 1) / count, rows: (field.rows + count - 1) / count)
        let scale = 1 / Float(1 << (level + reference.pyramid.base))
        for row in 0..<field.rows {
            for column in 0..<field.columns {
                let (x, y) = (field.localX[row * field.columns + column], field.localY[row * field.columns + column])
                let k = row / count * same.columns + column / count
                let (vx, vy) = (x * scale, y * scale)
                if vx * vx + vy * vy > same.x[k] * same.x[k] + same.y[k] * same.y[k] {
                    (same.x[k], same.y[k]) = (vx, vy)
                }
            }
        }
        var further = same
        for k in same.x.indices {
            further.x[k] *= history.growth
            further.y[k] *= history.growth
        }
        return [same, further]
    }

    private func vector(
        _ window: TileArguments, parent: Grid?, history: [Grid]?, tx: Int, ty: Int, variance: Float,
        farthest: Float
    ) -> (x: Float, y: Float) {
        let zero = tileCost(window, 0, 0, limit: .infinity)
        let area = Float((window.x1 - window.x0) * (window.y1 - window.y0))
        var best = (x: Float(0), y: Float(0), cost: zero)
        // Agreement within the noise: no vector could gain what the gates ask for.
        if zero < variance * area * 0.9 { return (0, 0) }
        var known: [(x: Float, y: Float)] = []
        if let parent {
            let px = min(tx / 2, parent.columns - 1)
            let py = min(ty / 2, parent.rows - 1)
            let sideX = min(max(px + (tx % 2 == 0 ? -1 : 1), 0), parent.columns - 1)
            let sideY = min(max(py + (ty % 2 == 0 ? -1 : 1), 0), parent.rows - 1)
            for (cx, cy) in [(px, py), (sideX, py), (px, sideY)] {
                let k = cy * parent.columns + cx
                if parent.x[k] != 0 || parent.y[k] != 0 { known.append((parent.x[k] * 2, parent.y[k] * 2)) }
            }
        }
        let parents = known.count
        if let history {
            for grid in history {
                let k = min(ty, grid.rows - 1) * grid.columns + min(tx, grid.columns - 1)
                if grid.x[k] != 0 || grid.y[k] != 0 { known.append((grid.x[k], grid.y[k])) }
            }
        }
        if known.isEmpty && zero < variance * area * 1.25 { return (0, 0) }
        for v in known {
            let c = tileCost(window, v.x, v.y, limit: .infinity)
            if c < best.cost { best = (v.x, v.y, c) }
        }
        let start = best
        let radius = 2
        for dy in -radius...radius {
            for dx in -radius...radius where dx != 0 || dy != 0 {
                let (vx, vy) = (start.x + Float(dx), start.y + Float(dy))
                let c = tileCost(window, vx, vy, limit: best.cost)
                if c < best.cost { best = (vx, vy, c) }
            }
        }
        for _ in 0..<2 {
            guard let d = Self.lucasKanade(window, best.x, best.y, variance) else { break }
            let (vx, vy) = (best.x + d.x, best.y + d.y)
            let c = tileCost(window, vx, vy, limit: .infinity)
            if c < best.cost { best = (vx, vy, c) } else { break }
        }
        if best.x * best.x + best.y * best.y > farthest * farthest { return (0, 0) }
        // Where nothing beats the noise, the global prediction stands.
        func isNear(_ v: (x: Float, y: Float)) -> Bool {
            max(abs(v.x - best.x), abs(v.y - best.y)) <= Self.vouched
        }
        let gate =
            known[..<parents].contains(where: isNear)
            ? Self.parentGate : known.contains(where: isNear) ? Self.historyGate : Self.gate
        let asked = caution * gate * variance + (gate == Self.gate ? Self.gateShare : Self.vouchedShare) * zero
        return zero - best.cost > asked ? (best.x, best.y) : (0, 0)
    }

    /// One Lucas-Kanade step from a vector, shrunk by a prior of one sample: d = (H + I / prior^2)^-1 b, in noise units.
    private static func lucasKanade(
        _ window: TileArguments, _ vx: Float, _ vy: Float, _ variance: Float
    ) -> (x: Float, y: Float)? {
        let sums = tileSystem(window, vx, vy)
        let (hxx, hyy) = (sums.xx + prior * variance, sums.yy + prior * variance)
        let det = hxx * hyy - sums.xy * sums.xy
        guard det > 1e-12 else { return nil }
        let dx = -(hyy * sums.ex - sums.xy * sums.ey) / det
        let dy = -(hxx * sums.ey - sums.xy * sums.ex) / det
        return (min(max(dx, -1), 1), min(max(dy, -1), 1))
    }

    /// Rows of a grid that bands write.
    private final class GridRows: @unchecked Sendable {
        // Unchecked: every band writes its own rows, read after all bands are done.
        let columns: Int
        let rows: Int
        private let memory: MutableRow<Float>
        private let room: Floats
        init(columns: Int, rows: Int) {
            (self.columns, self.rows) = (columns, rows)
            room = Floats(2 * columns * rows)
            memory = room.base
            memory.update(repeating: 0, count: 2 * columns * rows)
        }
        func set(_ x: Int, _ y: Int, _ v: (x: Float, y: Float)) {
            memory[2 * (y * columns + x)] = v.x
            memory[2 * (y * columns + x) + 1] = v.y
        }
        func grid() -> Grid {
            var g = Grid(columns: columns, rows: rows)
            for i in 0..<columns * rows {
                g.x[i] = memory[2 * i]
                g.y[i] = memory[2 * i + 1]
            }
            return g
        }
    }
}
