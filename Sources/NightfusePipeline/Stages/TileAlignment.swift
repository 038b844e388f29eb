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
/// best of its parent's vector, the parent's neighbours' and zero (the global prediction), searches a few whole
/// samples around it where the misfit calls for it, and takes a Lucas-Kanade step to sub-sample precision. A vector
/// other than zero is kept only where its gain in misfit beats what noise alone would give (see `gate`).
package struct TileAlignment {
    /// Tile width in samples of its level; the window is twice as wide.
    static let tile = 8
    /// Gain in summed squared misfit, over the noise variance of a difference, that a local vector must bring:
    /// with smoothed noise two free parameters gain about 4, a search over 25 places about 14 (measured on noise).
    static let gate: Float = 80

    /// Weight of the prior on a step: 0.3 samples, and smoothed noise of which five samples tell as much as one.
    static let prior: Float = 55

    private let reference: GlobalAlignment
    private let width: Int
    private let height: Int

    package init(reference: GlobalAlignment, width: Int, height: Int) {
        (self.reference, self.width, self.height) = (reference, width, height)
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
    }

    /// Fills the field's local shifts.
    ///
    /// - Parameter noise: standard deviation of the difference of two aligned smoothed lumas, one a level, measured.
    package func refine(
        _ fit: GlobalAlignment.Fit, frame: LumaPyramid, noise: [Float], workers: Workers
    ) throws(NightfuseError) -> AlignmentField {
        var field = fit.field
        let base = reference.pyramid.base
        let top = min(reference.pyramid.smooth.count - 1, 3)
        var grid: Grid?
        for level in stride(from: top, through: 0, by: -1) {
            let image = reference.pyramid.smooth[level]
            // The frame brought onto the reference's grid by the global model.
            let warped = try Plane<Float>(width: image.width, height: image.height, isZero: false)
            try warp(frame.smooth[level], field: fit.field, level: level + base, into: warped, workers: workers)
            grid = try refine(
                level: level, parent: grid, image: image, warped: warped, noise: noise[min(level, noise.count - 1)],
                workers: workers)
        }
        guard let grid else { return field }
        let scale = Float(1 << base)
        field.spacing = Self.tile << base
        field.columns = grid.columns
        field.rows = grid.rows
        field.localX = grid.x.map { $0 * scale }
        field.localY = grid.y.map { $0 * scale }
        if field.localX.allSatisfy({ $0 == 0 }) && field.localY.allSatisfy({ $0 == 0 }) { field.columns = 0 }
        return field
    }

    private func warp(
        _ source: Plane<Float>, field: AlignmentField, level: Int, into output: Plane<Float>, workers: Workers
    ) throws(NightfuseError) {
        let w = output.width
        try workers.bands(
            output.height, grain: 16, scratch: { Floats(2 * AlignmentField.nodeCount(w)) }
        ) { (work, _, rows) throws(NightfuseError) in
            for y in rows {
                field.sample(source, row: y, count: w, level: level, nodes: work.base, into: output.row(y))
            }
        }
    }

    private func refine(
        level: Int, parent: Grid?, image: Plane<Float>, warped: Plane<Float>, noise: Float, workers: Workers
    ) throws(NightfuseError) -> Grid {
        let tile = Self.tile
        let out = GridRows(columns: (image.width + tile - 1) / tile, rows: (image.height + tile - 1) / tile)
        let variance = max(noise * noise, 1e-8)
        try workers.bands(out.rows, grain: 2) { (_, rows) throws(NightfuseError) in
            for ty in rows {
                for tx in 0..<out.columns {
                    let x0 = max(tx * tile - tile / 2, 0)
                    let y0 = max(ty * tile - tile / 2, 0)
                    let window = Window(
                        x0: x0, y0: y0, x1: min(tx * tile + tile + tile / 2, image.width),
                        y1: min(ty * tile + tile + tile / 2, image.height))
                    let vector = self.vector(
                        window, parent: parent, tx: tx, ty: ty, image: image, warped: warped, variance: variance)
                    out.set(tx, ty, vector)
                }
            }
        }
        return out.grid()
    }

    private struct Window { var x0, y0, x1, y1: Int }

    private func vector(
        _ window: Window, parent: Grid?, tx: Int, ty: Int, image: Plane<Float>, warped: Plane<Float>, variance: Float
    ) -> (x: Float, y: Float) {
        let zero = cost(window, 0, 0, image, warped)
        let area = Float((window.x1 - window.x0) * (window.y1 - window.y0))
        var best = (x: Float(0), y: Float(0), cost: zero)
        // Agreement within the noise: no vector could gain what the gate asks for.
        if zero < variance * area * 1.25 { return (0, 0) }
        if let parent {
            let px = min(tx / 2, parent.columns - 1)
            let py = min(ty / 2, parent.rows - 1)
            let sideX = min(max(px + (tx % 2 == 0 ? -1 : 1), 0), parent.columns - 1)
            let sideY = min(max(py + (ty % 2 == 0 ? -1 : 1), 0), parent.rows - 1)
            for (cx, cy) in [(px, py), (sideX, py), (px, sideY)] {
                let k = cy * parent.columns + cx
                let (vx, vy) = (parent.x[k] * 2, parent.y[k] * 2)
                if vx == 0 && vy == 0 { continue }
                let c = cost(window, vx, vy, image, warped)
                if c < best.cost { best = (vx, vy, c) }
            }
        }
        let start = best
        let radius = 2
        for dy in -radius...radius {
            for dx in -radius...radius where dx != 0 || dy != 0 {
                let (vx, vy) = (start.x + Float(dx), start.y + Float(dy))
                let c = cost(window, vx, vy, image, warped, limit: best.cost)
                if c < best.cost { best = (vx, vy, c) }
            }
        }
        for _ in 0..<2 {
            guard let d = lucasKanade(window, best.x, best.y, image, warped, variance) else { break }
            let (vx, vy) = (best.x + d.x, best.y + d.y)
            let c = cost(window, vx, vy, image, warped)
            if c < best.cost { best = (vx, vy, c) } else { break }
        }
        // Where nothing beats the noise, the global prediction stands.
        return zero - best.cost > Self.gate * variance + 0.2 * zero ? (best.x, best.y) : (0, 0)
    }

    private func cost(
        _ w: Window, _ vx: Float, _ vy: Float, _ image: Plane<Float>, _ warped: Plane<Float>,
        limit: Float = .infinity
    ) -> Float {
        tileCost(
            TileArguments(
                image: image.base, imageStride: image.stride, warped: warped.base, warpedStride: warped.stride,
                warpedWidth: warped.width, warpedHeight: warped.height, x0: w.x0, y0: w.y0, x1: w.x1, y1: w.y1),
            vx, vy, limit: limit)
    }

    /// One Lucas-Kanade step from a vector, shrunk by a prior of one sample: d = (H + I / prior^2)^-1 b, in noise units.
    private func lucasKanade(
        _ w: Window, _ vx: Float, _ vy: Float, _ image: Plane<Float>, _ warped: Plane<Float>, _ variance: Float
    ) -> (x: Float, y: Float)? {
        let ix = floorInt(vx)
        let iy = floorInt(vy)
        let fx = vx - Float(ix)
        let fy = vy - Float(iy)
        let (lastX, lastY) = (warped.width - 1, warped.height - 1)
        var (hxx, hxy, hyy, bx, by) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        for y in w.y0..<w.y1 {
            let ref = image.row(y)
            let above = image.row(max(y - 1, 0))
            let below = image.row(min(y + 1, image.height - 1))
            let top = warped.row(min(max(y + iy, 0), lastY))
            let bottom = warped.row(min(max(y + iy + 1, 0), lastY))
            for x in w.x0..<w.x1 {
                let p = min(max(x + ix, 0), lastX)
                let q = min(max(x + ix + 1, 0), lastX)
                let t = top[p] + (top[q] - top[p]) * fx
                let u = bottom[p] + (bottom[q] - bottom[p]) * fx
                let e = t + (u - t) * fy - ref[x]
                let sx = (ref[min(x + 1, image.width - 1)] - ref[max(x - 1, 0)]) * 0.5
                let sy = (below[x] - above[x]) * 0.5
                hxx += sx * sx
                hxy += sx * sy
                hyy += sy * sy
                bx += sx * e
                by += sy * e
            }
        }
        hxx += Self.prior * variance
        hyy += Self.prior * variance
        let det = hxx * hyy - hxy * hxy
        guard det > 1e-12 else { return nil }
        let dx = -(hyy * bx - hxy * by) / det
        let dy = -(hxx * by - hxy * bx) / det
        return (min(max(dx, -1), 1), min(max(dy, -1), 1))
    }

    /// Rows of a grid that bands write.
    private final class GridRows: @unchecked Sendable {
        // Unchecked: every band writes its own rows, read after all bands are done.
        let columns: Int
        let rows: Int
        private let memory: UnsafeMutablePointer<Float>
        init(columns: Int, rows: Int) {
            (self.columns, self.rows) = (columns, rows)
            memory = .allocate(capacity: 2 * columns * rows)
            memory.initialize(repeating: 0, count: 2 * columns * rows)
        }
        deinit { memory.deallocate() }
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
