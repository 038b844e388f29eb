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
        row y: Int, from x: Int, step: Int = 1, count: Int, level: Int, xs: UnsafeMutablePointer<Float>,
        ys: UnsafeMutablePointer<Float>
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
        for i in 0..<count {
            let d = Double(i)
            let w = w0 + dw * d
            let inverse = scale / w
            xs[i] = Float((nx0 + dnx * d) * inverse + offsetX)
            ys[i] = Float((ny0 + dny * d) * inverse + offsetY)
        }
        guard columns > 0 else { return }
        let gridY = min(max((fullY + 0.5) / Double(spacing) - 0.5, 0), Double(rows - 1))
        let row0 = min(Int(gridY), max(rows - 2, 0))
        let row1 = min(row0 + 1, rows - 1)
        let fy = Float(gridY - Double(row0))
        let inverseSize = Float(1 / size)
        let start = ((Double(x) + 0.5) * size) / Double(spacing) - 0.5
        let stride = size * Double(step) / Double(spacing)
        localX.withUnsafeBufferPointer { lx in
            localY.withUnsafeBufferPointer { ly in
                var cell = -1
                var (leftX, stepX, leftY, stepY) = (Float(0), Float(0), Float(0), Float(0))
                var isSplit = false
                let (a, b) = (row0 * columns, row1 * columns)
                let near = fy < 0.5 ? a : b
                for i in 0..<count {
                    let g = min(max(start + stride * Double(i), 0), Double(columns - 1))
                    let c0 = min(Int(g), max(columns - 2, 0))
                    let c1 = min(c0 + 1, columns - 1)
                    if c0 != cell {
                        cell = c0
                        let xs4 = SIMD4(lx[a + c0], lx[a + c1], lx[b + c0], lx[b + c1])
                        let ys4 = SIMD4(ly[a + c0], ly[a + c1], ly[b + c0], ly[b + c1])
                        isSplit = max(Self.span(xs4), Self.span(ys4)) > Self.split
                        leftX = (xs4[0] + (xs4[2] - xs4[0]) * fy) * inverseSize
                        stepX = (xs4[1] + (xs4[3] - xs4[1]) * fy) * inverseSize - leftX
                        leftY = (ys4[0] + (ys4[2] - ys4[0]) * fy) * inverseSize
                        stepY = (ys4[1] + (ys4[3] - ys4[1]) * fy) * inverseSize - leftY
                    }
                    let fx = Float(g - Double(c0))
                    if isSplit {
                        let k = near + (fx < 0.5 ? c0 : c1)
                        xs[i] += lx[k] * inverseSize
                        ys[i] += ly[k] * inverseSize
                    } else {
                        xs[i] += leftX + stepX * fx
                        ys[i] += leftY + stepY * fx
                    }
                }
            }
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
        _ source: Plane<Float>, row y: Int, count: Int, level: Int, nodes: UnsafeMutablePointer<Float>,
        into out: UnsafeMutablePointer<Float>
    ) {
        let n = Self.nodeCount(count)
        positions(row: y, from: 0, step: 4, count: n, level: level, xs: nodes, ys: nodes + n)
        if columns > 0 && spacing < 4 << level {
            withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * count) { room in
                guard let xs = room.baseAddress else { return }
                positions(row: y, from: 0, count: count, level: level, xs: xs, ys: xs + count)
                sampleBilinear(source, xs: xs, ys: xs + count, count: count, into: out)
            }
            return
        }
        sampleBilinear(source, nodes: (UnsafePointer(nodes), UnsafePointer(nodes + n)), count: count, into: out)
    }
}
