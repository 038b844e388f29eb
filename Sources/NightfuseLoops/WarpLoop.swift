internal import CShuffles
package import NightfuseCore

/// Phases a sample in the tables of weights.
let phases = 256
/// Phases below 0 and above 1 in the table for runs, in samples.
let margin: Float = 1.0 / 16
/// Samples by which the phase may drift over a run: the weights' curvature then leaves less than 1/500 of a sample's
/// contrast (a windowed sinc bends by at most pi^2 / 3 a square sample).
private let largestDrift: Float = 1.0 / 16
/// Samples by which the middle of a run may lie off the line.
private let largestBend: Float = 1.0 / 64

/// A row of three planes resampled; `warpRow` of the kernels says how.
package func warpRow(_ a: WarpArguments) {
    let (limitX, limitY) = (a.limitX, a.limitY)
    var x = 0
    while x < a.count {
        let k = x / 4
        let (ax, ay) = (a.nodesX[k], a.nodesY[k])
        let (bx, by) = (a.nodesX[k + 2], a.nodesY[k + 2])
        // A pixel's step, and the drift of the phase over the seven steps of the run.
        let (stepX, stepY) = ((bx - ax) * 0.125, (by - ay) * 0.125)
        let (driftX, driftY) = (7 * (stepX - 1), 7 * stepY)
        let bend = max(abs(a.nodesX[k + 1] - (ax + bx) * 0.5), abs(a.nodesY[k + 1] - (ay + by) * 0.5))
        let (endX, endY) = (ax + 7 * stepX, ay + 7 * stepY)
        let isInside = min(ax, endX) > -0.5 && max(ax, endX) < limitX && min(ay, endY) > -0.5 && max(ay, endY) < limitY
        if a.count - x >= 8 && isInside && abs(driftX) <= largestDrift && abs(driftY) <= largestDrift
            && bend <= largestBend
        {
            warpRun(a, start: (ax, ay), drift: (driftX, driftY), at: x)
            store(SIMD8<Float>(repeating: 1), a.inside + x)
        } else {
            var i = x
            while i < min(x + 8, a.count) {
                let node = i / 4
                let t = Float(i % 4) * 0.25
                let px = a.nodesX[node] + (a.nodesX[node + 1] - a.nodesX[node]) * t
                let py = a.nodesY[node] + (a.nodesY[node + 1] - a.nodesY[node]) * t
                a.inside[i] = px > -0.5 && px < limitX && py > -0.5 && py < limitY ? 1 : 0
                warpPixel(a, min(max(px, -1), limitX + 0.5), min(max(py, -1), limitY + 0.5), at: i)
                i += 1
            }
        }
        x += 8
    }
}

/// Eight neighbours at once.
@inline(__always)
private func warpRun(_ source: WarpArguments, start: (x: Float, y: Float), drift: (x: Float, y: Float), at x: Int) {
    typealias V = SIMD8<Float>
    let table = source.runWeights
    let scale = Float(phases)
    // Whole samples by the middle of the run, so that the phases straddle 0 or 1 by half the drift at most.
    let wholeX = floorInt(start.x + 0.5 * drift.x)
    let wholeY = floorInt(start.y + 0.5 * drift.y)
    let phaseX = start.x - Float(wholeX) + margin
    let phaseY = start.y - Float(wholeY) + margin
    let xA = weights(table, Int(phaseX * scale + 0.5))
    let xB = weights(table, Int((phaseX + drift.x) * scale + 0.5))
    let yA = weights(table, Int(phaseY * scale + 0.5))
    let yB = weights(table, Int((phaseY + drift.y) * scale + 0.5))
    // Sixteen columns, three to the left of the first pixel and five to the right of the last; each row's weight goes
    // on along the line through the first and the last pixel.
    let left = V(-3, -2, -1, 0, 1, 2, 3, 4) * (1.0 / 7)
    let right = V(5, 6, 7, 8, 9, 10, 11, 12) * (1.0 / 7)
    let along = V(0, 1, 2, 3, 4, 5, 6, 7) * (1.0 / 7)
    let offset = (wholeY - source.firstRow - 3) * source.stride + wholeX - 3
    var (r0, r1, g0, g1, b0, b1) = (V(), V(), V(), V(), V(), V())
    var row = offset
    for t in 0..<8 {
        let (a, b) = (yA[t], yB[t])
        // Kernels of six taps leave the first or the last row alone, mostly both.
        if a != 0 || b != 0 {
            let (base, rise) = (V(repeating: a), V(repeating: b - a))
            let (w0, w1) = (nfk_multiply_add(rise, left, base), nfk_multiply_add(rise, right, base))
            r0 = nfk_multiply_add(load(source.red + row), w0, r0)
            r1 = nfk_multiply_add(load(source.red + row + 8), w1, r1)
            g0 = nfk_multiply_add(load(source.green + row), w0, g0)
            g1 = nfk_multiply_add(load(source.green + row + 8), w1, g1)
            b0 = nfk_multiply_add(load(source.blue + row), w0, b0)
            b1 = nfk_multiply_add(load(source.blue + row + 8), w1, b1)
        }
        row += source.stride
    }
    var (red, green, blue) = (V(), V(), V())
    @inline(__always)
    func tap(_ t: Int, _ r: V, _ g: V, _ b: V) {
        let w = nfk_multiply_add(V(repeating: xB[t] - xA[t]), along, V(repeating: xA[t]))
        red = nfk_multiply_add(r, w, red)
        green = nfk_multiply_add(g, w, green)
        blue = nfk_multiply_add(b, w, blue)
    }
    if xA[0] != 0 || xB[0] != 0 { tap(0, r0, g0, b0) }
    tap(1, nfk_window1(r0, r1), nfk_window1(g0, g1), nfk_window1(b0, b1))
    tap(2, nfk_window2(r0, r1), nfk_window2(g0, g1), nfk_window2(b0, b1))
    tap(3, nfk_window3(r0, r1), nfk_window3(g0, g1), nfk_window3(b0, b1))
    tap(4, nfk_window4(r0, r1), nfk_window4(g0, g1), nfk_window4(b0, b1))
    tap(5, nfk_window5(r0, r1), nfk_window5(g0, g1), nfk_window5(b0, b1))
    tap(6, nfk_window6(r0, r1), nfk_window6(g0, g1), nfk_window6(b0, b1))
    if xA[7] != 0 || xB[7] != 0 { tap(7, nfk_window7(r0, r1), nfk_window7(g0, g1), nfk_window7(b0, b1)) }
    store(red, source.outputs.0 + x)
    store(green, source.outputs.1 + x)
    store(blue, source.outputs.2 + x)
}

/// The eight weights of a row of the table.
@inline(__always)
private func weights(_ table: Row<SIMD8<Float>>, _ row: Int) -> Row<Float> { (table + row).lanes(8) }

/// One position.
private func warpPixel(_ source: WarpArguments, _ x: Float, _ y: Float, at i: Int) {
    typealias V = SIMD8<Float>
    let (wholeX, wholeY) = (floorInt(x), floorInt(y))
    let table = source.pixelWeights
    let last = phases - 1
    let wx = table[min(Int((x - Float(wholeX)) * Float(phases)), last)]
    let wy = weights(table, min(Int((y - Float(wholeY)) * Float(phases)), last))
    var row = (wholeY - source.firstRow - 3) * source.stride + wholeX - 3
    var (r, g, b) = (V(), V(), V())
    for t in 0..<8 {
        let w = wy[t]
        if w != 0 {
            r += load(source.red + row) * w
            g += load(source.green + row) * w
            b += load(source.blue + row) * w
        }
        row += source.stride
    }
    source.outputs.0[i] = laneSum(r * wx)
    source.outputs.1[i] = laneSum(g * wx)
    source.outputs.2[i] = laneSum(b * wx)
}
