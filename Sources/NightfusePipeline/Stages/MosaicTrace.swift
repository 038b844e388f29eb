internal import NightfuseCore

/// Whether a frame's pixels are a mosaic's samples with the rest interpolated from them, and nothing much done since.
///
/// An interpolated sample is a mean of others and has less noise, so noise alternates like the squares of a chessboard,
/// on which green was sampled (Popescu and Farid, "Exposing digital forgeries in color filter array interpolated images",
/// 2005). A camera that denoises, sharpens or scales its pictures leaves no such trace.
package struct MosaicTrace: Sendable {
    /// By how much noise on one colour of the chessboard exceeds that on the other, each taken at the nearer of its two
    /// squares of a 2 x 2 cell: 0 where there is no trace.
    package var contrast: Float = 0
    /// How sure that is: the difference over its standard error.
    package var certainty: Float = 0

    /// 1 where frames are a plain demosaic's beyond doubt, 0 where there is no sign of one.
    ///
    /// White noise and phones' JPEGs stay below 0.02 where there are enough blocks to tell; demosaiced frames measured
    /// 0.04 to 0.4 as JPEG (quality 92), 0.7 as PNG.
    package var strength: Float { contrast < 0.02 ? 0 : min(max((certainty - 3) / 2, 0), 1) }

    /// Side of the blocks, an even number of pixels.
    private static let side = 8
    private static let mostBlocks = 24_000

    private struct Block {
        var texture: Float
        /// Noise at the four places of a 2 x 2 cell, (0, 0), (1, 0), (0, 1), (1, 1).
        var noise: SIMD4<Float>
    }

    /// Looks at up to 24000 blocks of the frame's green.
    ///
    /// - Parameter stabiliser: green's.
    package init(frame: FrameData, stabiliser: Stabiliser) {
        let blocks = Self.blocks(frame, stabiliser)
        // The flatter half; of these, those with the most energy hold edges.
        let flat = blocks.sorted { $0.texture < $1.texture }.prefix(blocks.count / 2)
            .sorted { $0.noise.sum() < $1.noise.sum() }
        let kept = flat.prefix(flat.count * 19 / 20).map(\.noise)
        guard kept.count >= 64 else { return }
        let sum = kept.reduce(SIMD4<Float>(), +)
        guard sum.min() > 0 else { return }
        let white = max(min(sum[0], sum[3]) / max(sum[1], sum[2]), min(sum[1], sum[2]) / max(sum[0], sum[3]))
        contrast = max(white - 1, 0)
        let differences = kept.map { $0[0] + $0[3] - $0[1] - $0[2] }
        let error = differences.reduce(0) { $0 + $1 * $1 }.squareRoot()
        certainty = abs(differences.reduce(0, +)) / max(error, 1e-12)
    }

    private static func blocks(_ frame: FrameData, _ stabiliser: Stabiliser) -> [Block] {
        let size = side + 2
        var step = side
        while (frame.width / step) * (frame.height / step) > mostBlocks { step += 2 }
        var pixels = [Float](repeating: 0, count: size * size)
        var result: [Block] = []
        for y in Swift.stride(from: 0, through: frame.height - size, by: step) {
            for x in Swift.stride(from: 0, through: frame.width - size, by: step) {
                pixels.withMutableRow { base in
                    for row in 0..<size {
                        let line = base + row * size
                        frame.linearRow(channel: 1, y: y + row, from: x, count: size, into: line)
                    }
                }
                if pixels.contains(where: { $0 >= frame.whiteClip }) { continue }
                for k in pixels.indices { pixels[k] = stabiliser(pixels[k]) }
                result.append(block(pixels, size))
            }
        }
        return result
    }

    private static func block(_ pixels: [Float], _ size: Int) -> Block {
        var block = Block(texture: 0, noise: SIMD4())
        var (sum, squares) = (Float(0), Float(0))
        for y in Swift.stride(from: 1, to: size - 1, by: 2) {
            for x in Swift.stride(from: 1, to: size - 1, by: 2) {
                for (k, at) in [y * size + x, y * size + x + 1, (y + 1) * size + x, (y + 1) * size + x + 1].enumerated()
                {
                    let around = pixels[at - 1] + pixels[at + 1] + pixels[at - size] + pixels[at + size]
                    let fine = pixels[at] - 0.25 * around
                    block.noise[k] += fine * fine
                }
                let upper = pixels[y * size + x] + pixels[y * size + x + 1]
                let mean = upper + pixels[(y + 1) * size + x] + pixels[(y + 1) * size + x + 1]
                sum += mean
                squares += mean * mean
            }
        }
        block.texture = squares - sum * sum / 16
        return block
    }
}
