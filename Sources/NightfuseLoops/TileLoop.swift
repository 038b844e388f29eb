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
