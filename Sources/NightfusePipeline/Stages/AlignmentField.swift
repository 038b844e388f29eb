internal import NightfuseKernels
package import NightfuseCore

/// Where every pixel of the reference lies in a frame: a homography plus a grid of small local shifts.
///
/// Pixels are full-size, centres at whole numbers; the local shifts (pixels) stand at the centres of square tiles
/// `spacing` wide and are interpolated bilinearly, the outermost continued to the edge.
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
                for i in 0..<count {
                    let g = min(max(start + stride * Double(i), 0), Double(columns - 1))
                    let c0 = min(Int(g), max(columns - 2, 0))
                    let c1 = min(c0 + 1, columns - 1)
                    let fx = Float(g - Double(c0))
                    let a = row0 * columns
                    let b = row1 * columns
                    let topX = lx[a + c0] + (lx[a + c1] - lx[a + c0]) * fx
                    let bottomX = lx[b + c0] + (lx[b + c1] - lx[b + c0]) * fx
                    let topY = ly[a + c0] + (ly[a + c1] - ly[a + c0]) * fx
                    let bottomY = ly[b + c0] + (ly[b + c1] - ly[b + c0]) * fx
                    xs[i] += (topX + (bottomX - topX) * fy) * inverseSize
                    ys[i] += (topY + (bottomY - topY) * fy) * inverseSize
                }
            }
        }
    }

    /// Nodes that a row of `count` samples needs: every fourth, and what the last run of eight looks at.
    package static func nodeCount(_ count: Int) -> Int { (count + 7) / 8 * 2 + 2 }

    /// Samples `source`, which is pyramid level `level` of the frame, at the positions of that level's row `y`.
    ///
    /// - Parameter nodes: room for `2 * nodeCount(count)` values: the positions of every fourth sample, x then y.
    package func sample(
        _ source: Plane<Float>, row y: Int, count: Int, level: Int, nodes: UnsafeMutablePointer<Float>,
        into out: UnsafeMutablePointer<Float>
    ) {
        let n = Self.nodeCount(count)
        positions(row: y, from: 0, step: 4, count: n, level: level, xs: nodes, ys: nodes + n)
        sampleBilinear(source, nodes: (UnsafePointer(nodes), UnsafePointer(nodes + n)), count: count, into: out)
    }
}
