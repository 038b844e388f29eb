internal import NightfuseCore
internal import NightfuseKernels

/// A gain (stops) as a straight function of a small picture's `stops`, fitted around every block: what carries the gain
/// to full size along the picture's edges (guided filter, He, Sun and Tang 2013; subsampled, He and Sun 2015).
///
/// The window is 5 x 5 blocks, its fits averaged over 5 x 5 more. `contrastFloor`: variance in stops^2 below which a
/// window counts as flat and gets one gain.
func gainMaps(
    of gain: Plane<Float>, over stops: Plane<Float>, sigma: Plane<Float>, factor: Int
) throws(NightfuseError) -> LookMaps {
    let (w, h) = (stops.width, stops.height)
    let square = try Plane<Float>(width: w, height: h)
    let cross = try Plane<Float>(width: w, height: h)
    for y in 0..<h {
        let (b, g) = (stops.row(y), gain.row(y))
        for x in 0..<w {
            square.mutableRow(y)[x] = b[x] * b[x]
            cross.mutableRow(y)[x] = b[x] * g[x]
        }
    }
    let meanStops = try boxed(stops)
    let meanGain = try boxed(gain)
    let meanSquare = try boxed(square)
    let meanCross = try boxed(cross)
    for y in 0..<h {
        let (m, g, q, c) = (meanStops.row(y), meanGain.row(y), meanSquare.mutableRow(y), meanCross.mutableRow(y))
        for x in 0..<w {
            let variance = max(q[x] - m[x] * m[x], 0)
            let slope = (c[x] - m[x] * g[x]) / (variance + contrastFloor)
            // A gain that rises with light, or falls faster than light itself rises, is no tone curve.
            q[x] = min(max(slope, -1), 0.5)
            c[x] = g[x] - q[x] * m[x]
        }
    }
    return LookMaps(factor: factor, slope: try boxed(meanSquare), offset: try boxed(meanCross), sigma: sigma)
}

/// (0.1 stop)^2.
private let contrastFloor: Float = 0.005
private let reach = 2

/// Mean over 5 x 5 samples, fewer at the edges.
private func boxed(_ plane: Plane<Float>) throws(NightfuseError) -> Plane<Float> {
    let (w, h) = (plane.width, plane.height)
    let out = try Plane<Float>(width: w, height: h)
    let column = try Plane<Float>(width: w, height: 1)
    defer { withExtendedLifetime(column) {} }
    let line = column.mutableRow(0)
    for y in 0..<h {
        let rows = max(y - reach, 0)...min(y + reach, h - 1)
        for x in 0..<w { line[x] = 0 }
        for v in rows {
            let row = plane.row(v)
            for x in 0..<w { line[x] += row[x] }
        }
        let target = out.mutableRow(y)
        for x in 0..<w {
            let columns = max(x - reach, 0)...min(x + reach, w - 1)
            var sum: Float = 0
            for u in columns { sum += line[u] }
            target[x] = sum / Float(rows.count * columns.count)
        }
    }
    return out
}
