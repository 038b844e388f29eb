package import NightfuseCore

/// Turns balanced camera colours into others, in place: linear, values of any size.
///
/// Cost: 15 operations a pixel.
package func convertColour(_ image: LinearImage, by matrix: Matrix3, workers: Workers) throws(NightfuseError) {
    let m = matrix.m.map { Float($0) }
    let width = image.width
    try workers.bands(image.height, grain: 64) { (_, rows) throws(NightfuseError) in
        let (m0, m1, m2, m3, m4, m5, m6, m7, m8) = (m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])
        for y in rows {
            let (r, g, b) = (
                image.planes[0].mutableRow(y), image.planes[1].mutableRow(y), image.planes[2].mutableRow(y)
            )
            for x in 0..<width {
                let (red, green, blue) = (r[x], g[x], b[x])
                r[x] = m0 * red + m1 * green + m2 * blue
                g[x] = m3 * red + m4 * green + m5 * blue
                b[x] = m6 * red + m7 * green + m8 * blue
            }
        }
    }
}
