package import NightfuseCore
internal import NightfuseKernels

/// Root mean square slope of the smoothed base-level luma, noise units a sample, with the noise's own share taken out.
///
/// Compares frames of one exposure: shake takes slope away. At least a hundredth of the noise's share, so that ratios
/// stay finite.
package func sharpness(_ luma: LumaPyramid, workers: Workers) throws(NightfuseError) -> Double {
    let image = luma.smooth[0]
    let sums = try Plane<Double>(width: 1, height: image.height)
    try workers.bands(image.height, grain: 32) { (_, rows) throws(NightfuseError) in
        for y in rows {
            let row = image.row(y)
            let below = image.row(min(y + 1, image.height - 1))
            let above = image.row(max(y - 1, 0))
            var sum: Float = 0
            for x in 1..<max(image.width - 1, 1) {
                let gx = (row[x + 1] - row[x - 1]) * 0.5
                let gy = (below[x] - above[x]) * 0.5
                sum += gx * gx + gy * gy
            }
            sums.mutableRow(y)[0] = Double(sum)
        }
    }
    var total = 0.0
    for y in 0..<image.height { total += sums.row(y)[0] }
    total /= Double(max((image.width - 2) * image.height, 1))
    // White noise of variance v at the base level has slopes of 0.833 x 9/64 v after (1 2 1) smoothing.
    let noise = (luma.base == 0 ? 1.0 : 0.25) * 0.833 * 9 / 64
    return max(total - noise, noise * 0.01).squareRoot()
}
