internal import NightfuseCore
internal import NightfuseKernels

/// How noisy frames of a reference's exposure are against it, each judged alone: for where tags do not tell.
///
/// A frame's Laplacian (see ``NoiseEstimation``) holds texture beside noise, the same in both frames, which only draws the
/// ratio towards 1. Costs a hundredth of a second a frame, whatever its size.
struct NoiseRatio {
    /// Ratio of variances beyond which a frame's noise counts as another: a frame that is sharper than the reference, or
    /// flickers, stays below.
    private static let clear = 2.0
    /// Exposures within this ratio are judged: beyond, texture would have to be brought to one scale as well.
    private static let mostExposure = 1.3

    /// The reference's noise by brightness; see ``levels(_:workers:)``.
    private let own: [Float]

    init(reference: FrameData, workers: Workers) { own = Self.levels(reference, workers: workers) }

    /// Noise variance of a frame over the reference's; 1 where the frame is not clearly the noisier one.
    ///
    /// - Parameter exposure: the frame's over the reference's.
    func of(_ frame: FrameData, exposure: Double, workers: Workers) -> Double {
        guard max(exposure, 1 / exposure) < Self.mostExposure else { return 1 }
        var ratios = zip(own, Self.levels(frame, workers: workers)).map { $1 / max($0, 1e-12) }
        let ratio = ratios.isEmpty ? 1 : Double(median(&ratios))
        return ratio > Self.clear ? ratio : 1
    }

    /// Median noise variance of green in the flattest fifth of blocks of like brightness, darkest first. Frames of one scene
    /// have the same brightness at the same place of the list.
    private static func levels(_ frame: FrameData, workers: Workers) -> [Float] {
        // Cancelled: nobody will look at it.
        guard let all = try? NoiseEstimation.blocks(frame, most: NoiseEstimation.mostBlocks / 4, workers: workers)
        else {
            return []
        }
        return NoiseEstimation.flattestByLight(all[all.count == 1 ? 0 : 1]).map { bin in
            var noise = bin.map(\.noise)
            return noise.isEmpty ? 0 : median(&noise)
        }
    }
}
