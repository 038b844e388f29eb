internal import NightfuseCore

/// Whether a frame is fit to tell the reference's noise by its difference to it.
///
/// The difference of two frames is noise only where both show one scene in one exposure. Of another scene, or a
/// bracket taken for equal frames, its flattest blocks hold texture and steps of brightness, and denoising by what they
/// tell leaves less than the reference had.
struct NoisePartner {
    /// How far exposures may lie apart: what lamps flicker by. Beyond, the noise is another too.
    private static let mostRatio = 1.5
    /// Least correlation of the light of blocks, noise taken out. Aligned frames with movers have 0.9 and more,
    /// unrelated ones less than 0.5; a wall and its mirror image reach 0.7.
    private static let leastCorrelation = 0.85
    /// Least share of the reference's blocks that the frame shows unclipped.
    private static let leastShare = 0.3
    /// Variance of the blocks' light, in units of their noise, below which the picture is taken for flat.
    private static let flat = 3.0

    private var (count, x, y, xx, yy, xy) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    private var unclipped = 0.0

    /// - Parameters:
    ///   - reference: light of the reference's blocks of 8 x 8 pixels, minus infinity where clipped (see `blockLight`).
    ///   - frame: the same of the frame, on its own scale.
    init(reference: Plane<Float>, frame: Plane<Float>, field: AlignmentField) {
        let nodes = Floats(2 * reference.width)
        let (xs, ys) = (nodes.base, nodes.base + reference.width)
        for row in 0..<reference.height {
            field.positions(row: row, from: 0, count: reference.width, level: 3, xs: xs, ys: ys)
            let light = reference.row(row)
            for column in 0..<reference.width where light[column] > -.infinity {
                unclipped += 1
                let (fx, fy) = (xs[column] + 0.5, ys[column] + 0.5)
                guard fx >= 0, fy >= 0, fx < Float(frame.width), fy < Float(frame.height) else { continue }
                let other = frame.row(Int(fy))[Int(fx)]
                guard other > -.infinity else { continue }
                let (a, b) = (Double(light[column]), Double(other))
                count += 1
                x += a
                y += b
                xx += a * a
                yy += b * b
                xy += a * b
            }
        }
    }

    /// - Parameter noise: of luma, a pixel.
    func isFit(noise: NoiseModel) -> Bool {
        // Nothing to go by in the smallest pictures.
        guard unclipped >= 12 else { return true }
        guard count >= Self.leastShare * unclipped else { return false }
        let (meanX, meanY) = (x / count, y / count)
        // Of a block of 64 pixels.
        let variance = (noise.shot * max(meanX, 0) + noise.read * noise.read) / 64
        let (low, high) = (min(meanX, meanY), max(meanX, meanY))
        guard high - low < 4 * variance.squareRoot() || high < Self.mostRatio * low else { return false }
        return showsTheScene(noise: noise, correlation: Self.leastCorrelation)
    }

    /// Whether the frame shows what the reference shows, in whatever exposure: its blocks are bright where the
    /// reference's are.
    ///
    /// - Parameter correlation: least correlation of the light of blocks, noise taken out.
    func showsTheScene(noise: NoiseModel, correlation: Double) -> Bool {
        guard unclipped >= 12, count > 0 else { return true }
        let (meanX, meanY) = (x / count, y / count)
        let variance = (noise.shot * max(meanX, 0) + noise.read * noise.read) / 64
        let (varX, varY) = (xx / count - meanX * meanX, yy / count - meanY * meanY)
        guard max(varX, varY) > Self.flat * variance else { return true }
        let (cleanX, cleanY) = (max(varX - variance, 0), max(varY - variance, 0))
        return (xy / count - meanX * meanY) > correlation * (cleanX * cleanY).squareRoot()
            && min(cleanX, cleanY) > 0
    }
}
