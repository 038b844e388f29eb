public import NightfuseCore

/// Weighted moments of a row for Lucas-Kanade: sums over x of w gx gx X^k, w gx gy X^k, w gy gy X^k (k = 0...4 each),
/// w gx e X^k, w gy e X^k (k = 0...2 each), in this order: 21 values.
///
/// Eight partial sums in a fixed order; positions X within -1...1. 30 operations a sample.
public func rowMoments(
    gx: Row<Float>, gy: Row<Float>, error: Row<Float>, weight: Row<Float>,
    position: Row<Float>, count: Int
) -> [Double] {
    typealias V = SIMD8<Float>
    var a0 = V(), a1 = V(), a2 = V(), a3 = V(), a4 = V()
    var b0 = V(), b1 = V(), b2 = V(), b3 = V(), b4 = V()
    var c0 = V(), c1 = V(), c2 = V(), c3 = V(), c4 = V()
    var d0 = V(), d1 = V(), d2 = V()
    var e0 = V(), e1 = V(), e2 = V()
    @inline(__always) func accumulate(_ gxv: V, _ gyv: V, _ ev: V, _ wv: V, _ x: V) {
        let x2 = x * x
        let wx = wv * gxv
        let wy = wv * gyv
        let xx = wx * gxv
        let xy = wx * gyv
        let yy = wy * gyv
        let xe = wx * ev
        let ye = wy * ev
        let x3 = x2 * x
        let x4 = x2 * x2
        a0 += xx
        a1 += xx * x
        a2 += xx * x2
        a3 += xx * x3
        a4 += xx * x4
        b0 += xy
        b1 += xy * x
        b2 += xy * x2
        b3 += xy * x3
        b4 += xy * x4
        c0 += yy
        c1 += yy * x
        c2 += yy * x2
        c3 += yy * x3
        c4 += yy * x4
        d0 += xe
        d1 += xe * x
        d2 += xe * x2
        e0 += ye
        e1 += ye * x
        e2 += ye * x2
    }
    var i = 0
    while i + 8 <= count {
        accumulate(load(gx + i), load(gy + i), load(error + i), load(weight + i), load(position + i))
        i += 8
    }
    if i < count {
        var tail = (V(), V(), V(), V(), V())
        for k in 0..<(count - i) {
            tail.0[k] = gx[i + k]
            tail.1[k] = gy[i + k]
            tail.2[k] = error[i + k]
            tail.3[k] = weight[i + k]
            tail.4[k] = position[i + k]
        }
        accumulate(tail.0, tail.1, tail.2, tail.3, tail.4)
    }
    let sums: [V] = [
        a0, a1, a2, a3, a4, b0, b1, b2, b3, b4, c0, c1, c2, c3, c4, d0, d1, d2, e0, e1, e2,
    ]
    return sums.map(laneSum)
}

/// The sum of eight lanes in double precision, in a fixed order.
private func laneSum(_ v: SIMD8<Float>) -> Double {
    var sum = 0.0
    for k in 0..<4 { sum += Double(v[k]) + Double(v[k + 4]) }
    return sum
}
