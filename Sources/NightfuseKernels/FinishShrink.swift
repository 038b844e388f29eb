package import NightfuseCore

/// A small copy of a linear picture in blocks of `factor` x `factor` pixels, in linear sRGB primaries, from which a
/// look is worked out. The blocks of the last row and column may be narrower.
package final class FinishBlocks: Sendable {
    /// Pixels a block is wide and high, at least 1.
    package let factor: Int
    /// Mean red, green and blue of the block.
    package let mean: [Plane<Float>]
    /// Red, green and blue of the pixel in the block's middle: what statistics of single pixels are made of.
    package let sample: [Plane<Float>]
    /// The largest channel of any pixel in the block.
    package let peak: Plane<Float>

    package var width: Int { peak.width }
    package var height: Int { peak.height }

    /// Room for a picture of `width` x `height` pixels.
    package init(width: Int, height: Int, factor: Int) throws(NightfuseError) {
        let w = (width + factor - 1) / factor
        let h = (height + factor - 1) / factor
        self.factor = factor
        mean = [try Plane(width: w, height: h), try Plane(width: w, height: h), try Plane(width: w, height: h)]
        sample = [try Plane(width: w, height: h), try Plane(width: w, height: h), try Plane(width: w, height: h)]
        peak = try Plane(width: w, height: h)
    }
}

/// Fills rows `rows` of `blocks` from a picture's three planes.
///
/// - Parameter matrix: row by row, from the picture's primaries to linear sRGB.
/// Cost: each pixel is read once, 16 operations; scratch of four rows.
package func shrinkToBlocks(_ planes: [Plane<Float>], matrix: [Float], into blocks: FinishBlocks, rows: Range<Int>) {
    let width = planes[0].width
    let lanes = (width + 7) / 8
    withRoom(of: Lanes.self, count: lanes * 4) { sums in
        for row in rows {
            let first = row * blocks.factor
            let last = min(first + blocks.factor, planes[0].height)
            sums.update(repeating: Lanes(repeating: 0), count: lanes * 3)
            (sums + lanes * 3).update(repeating: Lanes(repeating: -Float.greatestFiniteMagnitude), count: lanes)
            for y in first..<last { addRow(planes, y, matrix: matrix, sums: sums, lanes: lanes) }
            gatherBlocks(
                Row(sums.lanes(lanes * 32)), stride: lanes * 8, width: width, height: last - first, matrix, blocks, row)
            takeSamples(planes, y: (first + last) / 2, matrix, blocks, row)
        }
    }
}

/// Adds a row's channels to the three sums and takes the largest converted channel into the fourth.
private func addRow(
    _ planes: [Plane<Float>], _ y: Int, matrix m: [Float], sums: MutableRow<Lanes>, lanes: Int
) {
    let r = planes[0].row(y).vectors(lanes)
    let g = planes[1].row(y).vectors(lanes)
    let b = planes[2].row(y).vectors(lanes)
    let (m0, m1, m2, m3, m4, m5, m6, m7, m8) = (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
    for i in 0..<lanes {
        let (red, green, blue) = (r[i], g[i], b[i])
        sums[i] += red
        sums[lanes &+ i] += green
        sums[2 &* lanes &+ i] += blue
        let top = greater(
            greater(red * m0 + green * m1 + blue * m2, red * m3 + green * m4 + blue * m5),
            red * m6 + green * m7 + blue * m8)
        sums[3 &* lanes &+ i] = greater(top, sums[3 &* lanes &+ i])
    }
}

/// Light as it is, or 0 where a broken pixel made it no number or more than any lamp is.
@inline(__always)
private func sane(_ light: Float) -> Float { abs(light) < 65536 ? light : 0 }

/// Sums columns to blocks and converts their means.
private func gatherBlocks(
    _ sums: Row<Float>, stride: Int, width: Int, height: Int, _ m: [Float], _ blocks: FinishBlocks, _ row: Int
) {
    let peaks = sums + stride * 3
    for block in 0..<blocks.width {
        let from = block * blocks.factor
        let to = min(from + blocks.factor, width)
        var (red, green, blue, peak) = (Float(0), Float(0), Float(0), -Float.greatestFiniteMagnitude)
        for x in from..<to {
            red += sums[x]
            green += sums[stride + x]
            blue += sums[2 * stride + x]
            peak = max(peak, peaks[x])
        }
        let scale = 1 / Float((to - from) * height)
        blocks.mean[0].mutableRow(row)[block] = sane((red * m[0] + green * m[1] + blue * m[2]) * scale)
        blocks.mean[1].mutableRow(row)[block] = sane((red * m[3] + green * m[4] + blue * m[5]) * scale)
        blocks.mean[2].mutableRow(row)[block] = sane((red * m[6] + green * m[7] + blue * m[8]) * scale)
        blocks.peak.mutableRow(row)[block] = sane(peak)
    }
}

private func takeSamples(_ planes: [Plane<Float>], y: Int, _ m: [Float], _ blocks: FinishBlocks, _ row: Int) {
    let half = blocks.factor / 2
    for block in 0..<blocks.width {
        let x = min(block * blocks.factor + half, planes[0].width - 1)
        let (red, green, blue) = (planes[0].row(y)[x], planes[1].row(y)[x], planes[2].row(y)[x])
        blocks.sample[0].mutableRow(row)[block] = sane(red * m[0] + green * m[1] + blue * m[2])
        blocks.sample[1].mutableRow(row)[block] = sane(red * m[3] + green * m[4] + blue * m[5])
        blocks.sample[2].mutableRow(row)[block] = sane(red * m[6] + green * m[7] + blue * m[8])
    }
}
