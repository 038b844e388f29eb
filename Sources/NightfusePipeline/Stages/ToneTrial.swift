internal import NightfuseCore

extension Fusion {
    /// A frame that a tone curve brings onto the reference's light, and what else the curve changes.
    struct Toned {
        var frame: FrameData
        /// Of its blocks; see ``FrameLight``.
        var light: Plane<Float>
        var luma: LumaPyramid
        var fit: GlobalAlignment.Fit
        /// The exposure against the reference's: by the tags, else that of the median block.
        var ratio: Double
        /// On the reference's scale, by channel.
        var noise: [NoiseModel]
    }

    /// Tries a tone curve on a frame that no single ratio explains: by ranks, aligned by that, then by the aligned blocks. Nil
    /// where a curve does not explain it either, or is not needed.
    func toneMatched(_ frame: FrameData, tagged: Double?, guess: Homography?) throws(NightfuseError) -> Toned? {
        // Clipping at black lifts a mean of two sigma by half a per cent.
        let floor = noise.channels.map { Float(2 * $0.read) }
        let own = try toneBlocks.get()
        let blocks = try ToneBlocks(frame, workers: workers)
        guard let start = ToneMatch.byRank(blocks, reference: own, floor: floor) else { return nil }
        var luma = try LumaPyramid(
            frame: start.applied(to: frame, scale: 1), radianceScale: 1, stabiliser: stabiliser, workers: workers)
        var fit = try global.align(luma, guess: guess, workers: workers)
        guard
            let match = ToneMatch.aligned(
                blocks, reference: own, field: fit.field, floor: floor, noise: noise.channels)
        else { return nil }
        let frameNoise = match.noise(noise.channels, gain: frame.gain(over: reference) ?? 1)
        guard ToneMatch.tells(frameNoise, of: noise.channels) else { return nil }
        let ratio = tagged ?? match.ratio
        let toned = match.applied(to: frame, scale: ratio)
        let light = try FrameLight(toned, workers: workers)
        luma = try LumaPyramid(
            usingUp: light, radianceScale: Float(ratio), stabiliser: stabiliser, workers: workers)
        fit = try global.align(luma, guess: fit.field.homography, workers: workers)
        return Toned(
            frame: toned, light: light.blocks, luma: luma, fit: fit, ratio: ratio, noise: frameNoise)
    }
}
