internal import NightfuseKernels
package import NightfuseCore

/// Where every pixel of the reference lies in a frame: a homography plus a grid of small local shifts.
///
/// Pixels are full-size, centres at whole numbers; the local shifts (pixels) stand at the centres of square tiles
/// `spacing` wide and are interpolated bilinearly where they are alike, the outermost continued to the edge.
package struct AlignmentField: Sendable {
    package var homography: Homography
    package let width: Int
    package let height: Int
    /// Tile size in pixels; the grid has `columns` x `rows` nodes at (i + 0.5) * spacing - 0.5.
    package var spacing = 64
    package var columns = 0
    package var rows = 0
    package var localX: [Float] = []
    package var localY: [Float] = []

    /// Vectors that differ by more than this, in pixels, belong to different things: between their tiles there is an edge,
    /// no slope, and each point has the vector of its own tile.
    private static let split: Float = 1.5

    package init(homography: Homography, width: Int, height: Int) {
        (self.homography, self.width, self.height) = (homography, width, height)
    }

    /// Half of the longer side: the unit of the homography's coordinates.
    package var half: Double { Double(max(width, height)) / 2 }
    package var centreX: Double { Double(width - 1) / 2 }
    package var centreY: Double { Double(height - 1) / 2 }

    /// The frame position, full-size pixels, of reference pixel (x, y) by the homography alone.
    package func global(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let q = homography.apply((x - centreX) / half, (y - centreY) / half)
        return (q.x * half + centreX, q.y * half + centreY)
    }

    /// Positions, in samples of pyramid level `level`, of `count` samples of that level's row `y`, every `step`th from
    /// `x` on.
    ///
    /// Level 0 is full size; level l's sample i stands at (i + 0.5) 2^l - 0.5.
    package func positions(
        row y: Int, from x: Int, step: Int = 1, count: Int, level: Int, xs: MutableRow<Float>,
        ys: MutableRow<Float>
    ) {
        let size = Double(1 << level)
        let m = homography.m
        let fullY = (Double(y) + 0.5) * size - 0.5
        let v = (fullY - centreY) / half
        // Affine in x above and below the line: evaluated in double at the first sample, stepped in float offsets.
        let u0 = ((Double(x) + 0.5) * size - 0.5 - centreX) / half
        let du = size * Double(step) / half
        let (nx0, ny0, w0) = (m[0] * u0 + m[1] * v + m[2], m[3] * u0 + m[4] * v + m[5], m[6] * u0 + m[7] * v + m[8])
        let (dnx, dny, dw) = (m[0] * du, m[3] * du, m[6] * du)
        let scale = half / size
        let offsetX = (centreX + 0.5) / size - 0.5
        let offsetY = (centreY + 0.5) / size - 0.5
        projectRow(
            ProjectionArguments(
                first: (nx0, ny0, w0), step: (dnx, dny, dw), scale: scale, offset: (offsetX, offsetY)),
            count: count, xs: xs, ys: ys)
        guard columns > 0 else { return }
        let gridY = min(max((fullY + 0.5) / Double(spacing) - 0.5, 0), Double(rows - 1))
        let row0 = min(Int(gridY), max(rows - 2, 0))
        let row1 = min(row0 + 1, rows - 1)
        let fy = Float(gridY - Double(row0))
        let inverseSize = Float(1 / size)
        let start = ((Double(x) + 0.5) * size) / Double(spacing) - 0.5
        let stride = size * Double(step) / Double(spacing)
        let line = GridLine(
            a: row0 * columns, b: row1 * columns, near: fy < 0.5 ? row0 * columns : row1 * columns, fy: fy,
            inverseSize: inverseSize, start: start, stride: stride)
        var done = 0
        // One, two or four nodes to a tile, as a rule: the same places in every tile.
        let each = Int(min(1 / stride, 8))
        if each > 0, each <= 4, stride * Double(each) == 1, columns > 2, start < 1 {
            let head = min(Int(((1 - start) * Double(each)).rounded(.up)), count)
            let cells = min((count - head) / each, columns - 3)
            if cells > 0 {
                addLocal(line, 0..<head, xs, ys)
                addWholeCells(line, from: head, cells: cells, each: each, xs, ys)
                done = head + each * cells
            }
        }
        addLocal(line, done..<count, xs, ys)
    }

    /// Where a row lies in the grid.
    private struct GridLine {
        /// Nodes of the rows above and below begin at `a` and `b`; at `near` those of the nearer one.
        var a, b, near: Int
        /// Share of the way from the one to the other.
        var fy: Float
        var inverseSize: Float
        /// Columns of the grid at which sample 0 stands, and from one sample to the next.
        var start, stride: Double
    }

    /// Vectors at the left and the right of a cell on a line, and whether it is split.
    @inline(__always)
    private func cell(
        _ line: GridLine, _ c0: Int, _ c1: Int, _ lx: Row<Float>, _ ly: Row<Float>
    ) -> (leftX: Float, stepX: Float, leftY: Float, stepY: Float, isSplit: Bool) {
        let x = SIMD4(lx[line.a + c0], lx[line.a + c1], lx[line.b + c0], lx[line.b + c1])
        let y = SIMD4(ly[line.a + c0], ly[line.a + c1], ly[line.b + c0], ly[line.b + c1])
        let leftX = (x[0] + (x[2] - x[0]) * line.fy) * line.inverseSize
        let leftY = (y[0] + (y[2] - y[0]) * line.fy) * line.inverseSize
        return (
            leftX, (x[1] + (x[3] - x[1]) * line.fy) * line.inverseSize - leftX,
            leftY, (y[1] + (y[3] - y[1]) * line.fy) * line.inverseSize - leftY,
            max(Self.span(x), Self.span(y)) > Self.split
        )
    }

    /// Adds the local shifts of the samples `range`.
    private func addLocal(
        _ line: GridLine, _ range: Range<Int>, _ xs: MutableRow<Float>, _ ys: MutableRow<Float>
    ) {
        localX.withRow { lx in
            localY.withRow { ly in
                var at = -1
                var found = (leftX: Float(0), stepX: Float(0), leftY: Float(0), stepY: Float(0), isSplit: false)
                for i in range {
                    let g = min(max(line.start + line.stride * Double(i), 0), Double(columns - 1))
                    let c0 = min(Int(g), max(columns - 2, 0))
                    let c1 = min(c0 + 1, columns - 1)
                    if c0 != at {
                        at = c0
                        found = cell(line, c0, c1, lx, ly)
                    }
                    let fx = Float(g - Double(c0))
                    if found.isSplit {
                        let k = line.near + (fx < 0.5 ? c0 : c1)
                        xs[i] += lx[k] * line.inverseSize
                        ys[i] += ly[k] * line.inverseSize
                    } else {
                        xs[i] += found.leftX + found.stepX * fx
                        ys[i] += found.leftY + found.stepY * fx
                    }
                }
            }
        }
    }

    /// The same for `cells` whole cells of the grid from the second one on, of `each` samples each, the first at `first`.
    ///
    /// Vectors on the line and whether a cell is split are worked out for all columns at once: the same sums as ``cell``'s.
    private func addWholeCells(
        _ line: GridLine, from first: Int, cells: Int, each: Int, _ xs: MutableRow<Float>,
        _ ys: MutableRow<Float>
    ) {
        let begin = Float(line.start + line.stride * Double(first) - 1)
        let step = Float(line.stride)
        let shares = SIMD4(begin, begin + step, begin + 2 * step, begin + 3 * step)
        let columns = cells + 2
        withRoom(of: Float.self, count: 4 * columns) { lineX in
            let (lineY, spanX, spanY) = (lineX + columns, lineX + 2 * columns, lineX + 3 * columns)
            localX.withRow { lx in
                localY.withRow { ly in
                    mix(line, columns, lx, into: lineX, spans: spanX)
                    mix(line, columns, ly, into: lineY, spans: spanY)
                    for c0 in 1...cells {
                        let i = first + each * (c0 - 1)
                        let isSplit = max(spanX[c0], spanY[c0]) > Self.split
                        let (leftX, stepX) = (lineX[c0], lineX[c0 + 1] - lineX[c0])
                        let (leftY, stepY) = (lineY[c0], lineY[c0 + 1] - lineY[c0])
                        for k in 0..<each {
                            let fx = shares[k]
                            if isSplit {
                                let near = line.near + (fx < 0.5 ? c0 : c0 + 1)
                                xs[i + k] += lx[near] * line.inverseSize
                                ys[i + k] += ly[near] * line.inverseSize
                            } else {
                                xs[i + k] += leftX + stepX * fx
                                ys[i + k] += leftY + stepY * fx
                            }
                        }
                    }
                }
            }
        }
    }

    /// Vectors of the first `columns` columns on a line between two rows of the grid, and by how much the four nodes around
    /// each cell differ (of the last column: not set).
    @inline(__always)
    private func mix(
        _ line: GridLine, _ columns: Int, _ nodes: Row<Float>, into mixed: MutableRow<Float>,
        spans: MutableRow<Float>
    ) {
        let (above, below) = (nodes + line.a, nodes + line.b)
        for c in 0..<columns { mixed[c] = (above[c] + (below[c] - above[c]) * line.fy) * line.inverseSize }
        for c in 0..<columns - 1 {
            let most = Swift.max(Swift.max(above[c], above[c + 1]), Swift.max(below[c], below[c + 1]))
            spans[c] = most - Swift.min(Swift.min(above[c], above[c + 1]), Swift.min(below[c], below[c + 1]))
        }
    }

    /// Largest less smallest.
    @inline(__always)
    private static func span(_ v: SIMD4<Float>) -> Float {
        max(max(v[0], v[1]), max(v[2], v[3])) - min(min(v[0], v[1]), min(v[2], v[3]))
    }

    /// Nodes that a row of `count` samples needs: every fourth, and what the last run of eight looks at.
    package static func nodeCount(_ count: Int) -> Int { (count + 7) / 8 * 2 + 2 }

    /// Samples `source`, which is pyramid level `level` of the frame, at the positions of that level's row `y`.
    ///
    /// - Parameter nodes: room for `2 * nodeCount(count)` values: the positions of every fourth sample, x then y. Where
    ///   tiles are smaller than four samples, positions are taken for every one.
    package func sample(
        _ source: Plane<Float>, row y: Int, count: Int, level: Int, nodes: MutableRow<Float>,
        into out: MutableRow<Float>
    ) {
        let n = Self.nodeCount(count)
        positions(row: y, from: 0, step: 4, count: n, level: level, xs: nodes, ys: nodes + n)
        if columns > 0 && spacing < 4 << level {
            withRoom(of: Float.self, count: 2 * count) { xs in
                positions(row: y, from: 0, count: count, level: level, xs: xs, ys: xs + count)
                sampleBilinear(source, xs: Row(xs), ys: Row(xs + count), count: count, into: out)
            }
            return
        }
        sampleBilinear(source, nodes: (Row(nodes), Row(nodes + n)), count: count, into: out)
    }
}
