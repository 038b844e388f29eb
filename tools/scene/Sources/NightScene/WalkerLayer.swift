internal import NightfuseCore

/// Draws the walker, and its image in the wet ground, into a copy of the painting.
final class WalkerLayer: Sendable {
    let painting: Painting
    /// The painting with the walker in it.
    let planes: [Plane<Float>]

    init(_ painting: Painting) throws(NightfuseError) {
        self.painting = painting
        planes = [try painting.planes[0].copy(), try painting.planes[1].copy(), try painting.planes[2].copy()]
    }

    /// The part of the painting that the walker can touch: the figure, and its image below.
    private func region(_ w: Walker) -> (x: Range<Int>, y: Range<Int>)? {
        let view = painting.view
        let corner = w.foot + Vector(Walker.low.x, Walker.high.y, 0)
        let other = w.foot + Vector(Walker.high.x, -Walker.high.y, 0)
        guard let a = view.project(corner), let b = view.project(other) else { return nil }
        let x0 = max(Int(a.x) - 8, 0), x1 = min(Int(b.x) + 8, view.paintedWidth)
        let y0 = max(Int(a.y) - 8, 0), y1 = min(Int(b.y) + 8, view.paintedHeight)
        return x0 < x1 && y0 < y1 ? (x0..<x1, y0..<y1) : nil
    }

    /// Takes the walker out again.
    func clear(_ w: Walker) {
        guard let region = region(w) else { return }
        for c in 0..<3 {
            for y in region.y {
                let (from, to) = (painting.planes[c].row(y), planes[c].mutableRow(y))
                for x in region.x { to[x] = from[x] }
            }
        }
    }

    func draw(_ w: Walker, workers: Workers) throws(NightfuseError) {
        guard let region = region(w) else { return }
        let view = painting.view
        let grain = w.foot.z / (Float(view.focal) * Float(View.fine))
        try workers.bands(region.y.count, grain: 16) { (_, rows) in
            for y in rows {
                let py = y + region.y.lowerBound
                for x in region.x {
                    let d = view.direction(Float(x) + 0.5, Float(py) + 0.5)
                    let old = painting.light(x, py)
                    var new = old
                    if d.y < 0, painting.mirror.row(py)[x] > 0 { new = mirrorImage(w, d, x, py, old, grain) }
                    let reach = w.foot.z / d.z
                    let p = View.eye + d * reach
                    if let touch = w.touch(p.x - w.foot.x, p.y, grain: grain) {
                        new = mix(new, light(touch, p), touch.cover)
                    }
                    (planes[0].mutableRow(py)[x], planes[1].mutableRow(py)[x], planes[2].mutableRow(py)[x]) = (
                        new.x, new.y, new.z
                    )
                }
            }
        }
    }

    /// What the wet ground shows at a sample once the figure stands behind it, its foot's shadow included.
    private func mirrorImage(_ w: Walker, _ d: Vector, _ x: Int, _ y: Int, _ old: Vector, _ grain: Float) -> Vector {
        let p = View.eye + d * (-View.eye.y / d.y)
        let (dx, dz) = (p.x - w.foot.x, p.z - w.foot.z)
        let part = painting.mirroredPart.row(y)[x]
        let shadow = 1 - 0.6 * max(0, 1 - (dx * dx / 0.16 + dz * dz / 0.06))
        guard p.z < w.foot.z else { return old * (part + (1 - part) * shadow) }
        var hidden: Float = 0
        var image = Vector()
        let slopes: [Float] = [-0.075, -0.045, -0.02, 0, 0.02, 0.045, 0.075]
        for (number, slope) in slopes.enumerated() {
            let side = (Grain.cell(x / 3 + number, y / 3, 811) - 0.5) * 0.03
            let m = mirrored(d, Vector(side, 1, slope).unit)
            guard m.z > 0.05 else { continue }
            let q = p + m * ((w.foot.z - p.z) / m.z)
            if let touch = w.touch(q.x - w.foot.x, q.y, grain: grain * 2) {
                hidden += touch.cover
                image += light(touch, q) * touch.cover
            }
        }
        let share = 1 / Float(slopes.count)
        return old * (part * (1 - hidden * share) + (1 - part) * shadow) + image * (painting.mirror.row(y)[x] * share)
    }

    private func light(_ touch: Walker.Touch, _ p: Vector) -> Vector {
        let s = Surface(albedo: touch.colour, normal: touch.normal, openness: 0.9)
        return painting.street.lit(s, at: p, view: Vector(0, 0, 1), shadows: false)
    }
}
