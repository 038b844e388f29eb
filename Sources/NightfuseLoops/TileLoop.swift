internal import CShuffles
package import NightfuseCore

/// `tileCost` of the kernels says what it computes. Windows of sixteen columns, the rule, go in two vectors.
package func tileCost(_ w: TileArguments, _ vx: Float, _ vy: Float, limit: Float) -> Float {
    let (ix, iy) = (floorInt(vx), floorInt(vy))
    let (fx, fy) = (vx - Float(ix), vy - Float(iy))
    let (lastX, lastY) = (w.warpedWidth - 1, w.warpedHeight - 1)
    let count = w.x1 - w.x0
    let inside = w.x0 + ix >= 0 && w.x1 + ix < w.warpedWidth
    var total: Float = 0
    var y = w.y0
    while y < w.y1 {
        let ref = w.image + y * w.imageStride + w.x0
        let top = w.warped + min(max(y + iy, 0), lastY) * w.warpedStride
        let bottom = w.warped + min(max(y + iy + 1, 0), lastY) * w.warpedStride
        if inside && count == 16 {
            let (a, b) = (top + w.x0 + ix, bottom + w.x0 + ix)
            let (a0, a1, a2, a3) = (load(a), load(a + 1), load(a + 8), load(a + 9))
            let (b0, b1, b2, b3) = (load(b), load(b + 1), load(b + 8), load(b + 9))
            let (wx, wy) = (SIMD8<Float>(repeating: fx), SIMD8<Float>(repeating: fy))
            let (t0, t1) = (nfk_multiply_add(a1 - a0, wx, a0), nfk_multiply_add(a3 - a2, wx, a2))
            let (u0, u1) = (nfk_multiply_add(b1 - b0, wx, b0), nfk_multiply_add(b3 - b2, wx, b2))
            let e0 = nfk_multiply_add(u0 - t0, wy, t0) - load(ref)
            let e1 = nfk_multiply_add(u1 - t1, wy, t1) - load(ref + 8)
            total += laneSum(nfk_multiply_add(e0, e0, e1 * e1))
            if total >= limit { return total }
        } else {
            var x = 0
            while x < count {
                let p = min(max(w.x0 + x + ix, 0), lastX)
                let q = min(max(w.x0 + x + ix + 1, 0), lastX)
                let t = top[p] + (top[q] - top[p]) * fx
                let u = bottom[p] + (bottom[q] - bottom[p]) * fx
                let e = t + (u - t) * fy - ref[x]
                total += e * e
                x += 1
            }
        }
        y += 1
    }
    return total
}

/// `tileSystem` of the kernels says what it computes.
package func tileSystem(_ w: TileArguments, _ vx: Float, _ vy: Float) -> TileSystem {
    let (ix, iy) = (floorInt(vx), floorInt(vy))
    let (fx, fy) = (vx - Float(ix), vy - Float(iy))
    let (lastX, lastY) = (w.warpedWidth - 1, w.warpedHeight - 1)
    let count = w.x1 - w.x0
    let isInside = min(w.x0 + ix, w.x0 - 1) >= 0 && max(w.x1 + ix, w.x1) <= lastX && count == 16
    var (xx, xy, yy, ex, ey) = (V(), V(), V(), V(), V())
    var system = TileSystem()
    var y = w.y0
    while y < w.y1 {
        let ref = w.image + y * w.imageStride + w.x0
        let above = w.image + max(y - 1, 0) * w.imageStride + w.x0
        let below = w.image + min(y + 1, lastY) * w.imageStride + w.x0
        let top = w.warped + min(max(y + iy, 0), lastY) * w.warpedStride
        let bottom = w.warped + min(max(y + iy + 1, 0), lastY) * w.warpedStride
        if isInside {
            for x in stride(from: 0, to: 16, by: 8) {
                let (a, b) = (top + w.x0 + ix + x, bottom + w.x0 + ix + x)
                let (p, q) = (load(a), load(b))
                let t = nfk_multiply_add(load(a + 1) - p, V(repeating: fx), p)
                let u = nfk_multiply_add(load(b + 1) - q, V(repeating: fx), q)
                let e = nfk_multiply_add(u - t, V(repeating: fy), t) - load(ref + x)
                let sx = (load(ref + x + 1) - load(ref + x - 1)) * 0.5
                let sy = (load(below + x) - load(above + x)) * 0.5
                xx = nfk_multiply_add(sx, sx, xx)
                xy = nfk_multiply_add(sx, sy, xy)
                yy = nfk_multiply_add(sy, sy, yy)
                ex = nfk_multiply_add(sx, e, ex)
                ey = nfk_multiply_add(sy, e, ey)
            }
        } else {
            for x in 0..<count {
                let p = min(max(w.x0 + x + ix, 0), lastX)
                let q = min(max(w.x0 + x + ix + 1, 0), lastX)
                let t = top[p] + (top[q] - top[p]) * fx
                let u = bottom[p] + (bottom[q] - bottom[p]) * fx
                let e = t + (u - t) * fy - ref[x]
                let (left, right) = (w.x0 + x > 0 ? x - 1 : x, w.x0 + x < lastX ? x + 1 : x)
                let sx = (ref[right] - ref[left]) * 0.5
                let sy = (below[x] - above[x]) * 0.5
                system.xx += sx * sx
                system.xy += sx * sy
                system.yy += sy * sy
                system.ex += sx * e
                system.ey += sy * e
            }
        }
        y += 1
    }
    system.xx += laneSum(xx)
    system.xy += laneSum(xy)
    system.yy += laneSum(yy)
    system.ex += laneSum(ex)
    system.ey += laneSum(ey)
    return system
}

private typealias V = SIMD8<Float>
