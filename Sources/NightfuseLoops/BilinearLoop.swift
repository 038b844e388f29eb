internal import CShuffles
package import NightfuseCore

/// A row of bilinear samples, eight at a time; `sampleBilinear` of the kernels says how.
package func sampleBilinear(
    _ base: Row<Float>, width: Int, height: Int, stride: Int, nodesX: Row<Float>,
    nodesY: Row<Float>, count: Int, into output: MutableRow<Float>
) {
    typealias V = SIMD8<Float>
    let (limitX, limitY) = (Float(width - 9), Float(height - 2))
    let lanes = V(0, 1, 2, 3, 4, 5, 6, 7)
    var x = 0
    while x < count {
        let k = x / 4
        let (ax, ay) = (nodesX[k], nodesY[k])
        let (bx, by) = (nodesX[k + 2], nodesY[k + 2])
        let (stepX, stepY) = ((bx - ax) * 0.125, (by - ay) * 0.125)
        let (driftX, driftY) = (7 * (stepX - 1), 7 * stepY)
        let bend = max(abs(nodesX[k + 1] - (ax + bx) * 0.5), abs(nodesY[k + 1] - (ay + by) * 0.5))
        let (middleX, middleY) = (ax + 0.5 * driftX, ay + 0.5 * driftY)
        if count - x >= 8 && max(abs(driftX), abs(driftY)) <= 0.125 && bend <= 1.0 / 64 && middleX >= 0 && middleY >= 0
            && middleX < limitX && middleY < limitY
        {
            // Whole samples by the middle: a phase may lie a sixteenth below 0 or above 1.
            let (wholeX, wholeY) = (Int(middleX), Int(middleY))
            let p = base + (wholeY * stride + wholeX)
            let fx = V(repeating: ax - Float(wholeX)) + lanes * (stepX - 1)
            let fy = V(repeating: ay - Float(wholeY)) + lanes * stepY
            let (a, b, c, d) = (load(p), load(p + 1), load(p + stride), load(p + stride + 1))
            let top = nfk_multiply_add(b - a, fx, a)
            let bottom = nfk_multiply_add(d - c, fx, c)
            store(nfk_multiply_add(bottom - top, fy, top), output + x)
        } else {
            var i = x
            while i < min(x + 8, count) {
                let node = i / 4
                let t = Float(i % 4) * 0.25
                let px = min(max(nodesX[node] + (nodesX[node + 1] - nodesX[node]) * t, 0), Float(width - 1))
                let py = min(max(nodesY[node] + (nodesY[node + 1] - nodesY[node]) * t, 0), Float(height - 1))
                let (ix, iy) = (min(Int(px), max(width - 2, 0)), min(Int(py), max(height - 2, 0)))
                let (fx, fy) = (px - Float(ix), py - Float(iy))
                let (right, down) = (width > 1 ? 1 : 0, height > 1 ? stride : 0)
                let p = base + iy * stride + ix
                let top = p[0] + (p[right] - p[0]) * fx
                let bottom = p[down] + (p[down + right] - p[down]) * fx
                output[i] = top + (bottom - top) * fy
                i += 1
            }
        }
        x += 8
    }
}
