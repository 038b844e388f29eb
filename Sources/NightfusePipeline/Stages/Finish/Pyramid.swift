internal import NightfuseCore

/// Halves a plane: 1 4 6 4 1 over 16 both ways, edge samples repeated; sample (x, y) lies on (2x, 2y).
func halve(_ plane: Plane<Float>) throws(NightfuseError) -> Plane<Float> {
    let (w, h) = ((plane.width + 1) / 2, (plane.height + 1) / 2)
    let out = try Plane<Float>(width: w, height: h)
    let column = try Plane<Float>(width: plane.width, height: 1)
    defer { withExtendedLifetime(column) {} }
    let line = column.mutableRow(0)
    let lastY = plane.height - 1
    let lastX = plane.width - 1
    for y in 0..<h {
        let (a, b, c) = (plane.row(max(2 * y - 2, 0)), plane.row(max(2 * y - 1, 0)), plane.row(2 * y))
        let (d, e) = (plane.row(min(2 * y + 1, lastY)), plane.row(min(2 * y + 2, lastY)))
        for x in 0..<plane.width { line[x] = (a[x] + e[x]) + 4 * (b[x] + d[x]) + 6 * c[x] }
        let target = out.mutableRow(y)
        for x in 0..<w {
            let (l2, l1, r1, r2) = (max(2 * x - 2, 0), max(2 * x - 1, 0), min(2 * x + 1, lastX), min(2 * x + 2, lastX))
            target[x] = ((line[l2] + line[r2]) + 4 * (line[l1] + line[r1]) + 6 * line[2 * x]) * (1 / 256)
        }
    }
    return out
}

/// Calls `body` with every row of a plane doubled to `width` x `height`: 1 6 1 over 8 on samples, 1 1 over 2 between.
func doubled(
    _ plane: Plane<Float>, width: Int, height: Int, _ body: (_ y: Int, _ row: Row<Float>) -> Void
) throws(NightfuseError) {
    let column = try Plane<Float>(width: plane.width, height: 1)
    let out = try Plane<Float>(width: width, height: 1)
    defer { withExtendedLifetime((column, out)) {} }
    let (line, target) = (column.mutableRow(0), out.mutableRow(0))
    let (lastX, lastY) = (plane.width - 1, plane.height - 1)
    for y in 0..<height {
        let (up, here, down) = (plane.row(max(y / 2 - 1, 0)), plane.row(y / 2), plane.row(min(y / 2 + 1, lastY)))
        if y % 2 == 0 {
            for x in 0..<plane.width { line[x] = (up[x] + down[x] + 6 * here[x]) * 0.125 }
        } else {
            for x in 0..<plane.width { line[x] = (here[x] + down[x]) * 0.5 }
        }
        for x in 0..<plane.width {
            let (left, right) = (line[max(x - 1, 0)], line[min(x + 1, lastX)])
            target[2 * x] = (left + right + 6 * line[x]) * 0.125
            if 2 * x + 1 < width { target[2 * x + 1] = (line[x] + right) * 0.5 }
        }
        body(y, Row(target))
    }
}
