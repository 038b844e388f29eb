package import NightfuseCore
internal import NightfuseKernels

/// Noise measured on pairs of frames, one partner at a time, as they come in.
package struct NoisePairing {
    private let reference: FrameData
    private let start: NoiseEstimation
    private let stabiliser: Stabiliser
    private let global: GlobalAlignment
    private let workers: Workers
    private let light: Plane<Float>
    private let sharp: Double
    /// Made when tags do not tell of a frame's gain.
    private var ratio: NoiseRatio?

    /// Least sharpness of a frame that noise is measured with, the reference's = 1. Shaken frames lie between a half and
    /// 0.8, and tell more of motion than of noise.
    private static let leastSharpness = 0.7

    /// Sharpness above which slopes are the scene's: that of white noise is 0.34.
    private static let clearSlope = 0.5

    private var partners: [NoiseEstimation.Partner] = []

    /// - Parameters:
    ///   - reference: the frame that all others are paired with.
    ///   - start: its noise as far as it is known: aligning wants some.
    package init(reference: FrameData, start: NoiseEstimation, workers: Workers) throws(NightfuseError) {
        (self.reference, self.start, self.workers) = (reference, start, workers)
        stabiliser = Fusion.lumaStabiliser(start, clips: reference.clippedAtBlack)
        let own = try FrameLight(reference, workers: workers)
        let pyramid = try LumaPyramid(usingUp: own, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        global = try GlobalAlignment(
            reference: pyramid, width: reference.width, height: reference.height, workers: workers)
        light = own.blocks
        sharp = try sharpness(pyramid, workers: workers)
    }

    /// Whether any frame was fit to be paired.
    package var hasPartners: Bool { !partners.isEmpty }

    /// Aligns one more frame of the same exposure, and leaves it out where it is not fit to tell noise by. The order of
    /// frames counts.
    package mutating func add(_ frame: FrameData) throws(NightfuseError) {
        let own = try FrameLight(frame, workers: workers)
        let luma = try LumaPyramid(usingUp: own, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        // What a blurred frame has lost of the scene's texture would count as noise. Where slopes are mostly noise there is
        // little to lose, and nothing to tell blur by.
        let isBlurred = try sharpness(luma, workers: workers) < Self.leastSharpness * sharp
        if sharp > Self.clearSlope, isBlurred { return }
        let field = try global.align(luma, guess: nil, workers: workers).field
        let partner = NoisePartner(reference: light, frame: own.blocks, field: field)
        guard partner.isFit(noise: Fusion.lumaNoise(start.channels)) else { return }
        // A pair tells the mean of both frames' noise.
        if frame.gain(over: reference) == nil {
            let ratio = self.ratio ?? NoiseRatio(reference: reference, workers: workers)
            self.ratio = ratio
            if ratio.of(frame, exposure: 1, workers: workers) > 1 { return }
        }
        partners.append(.init(frame: frame, field: field))
    }

    /// The noise of all pairs; what was known at the start where there are none.
    ///
    /// - Parameter isDraft: whether it is for aligning only: fewer blocks are looked at, and no spectrum is taken.
    package func estimation(isDraft: Bool = false) throws(NightfuseError) -> NoiseEstimation {
        guard hasPartners else { return start }
        return try NoiseEstimation(
            reference: reference, partners: partners, start: start, isDraft: isDraft, workers: workers)
    }
}
