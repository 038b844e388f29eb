package import NightfuseCore
internal import NightfuseKernels

/// Noise measured on pairs of frames, one partner at a time, as they come in.
package struct NoisePairing {
    private let reference: FrameData
    private let start: NoiseEstimation
    private let stabiliser: Stabiliser
    private let global: GlobalAlignment
    private let workers: Workers
    private var partners: [NoiseEstimation.Partner] = []

    /// - Parameters:
    ///   - reference: the frame that all others are paired with.
    ///   - start: its noise as far as it is known: aligning wants some.
    package init(reference: FrameData, start: NoiseEstimation, workers: Workers) throws(NightfuseError) {
        (self.reference, self.start, self.workers) = (reference, start, workers)
        stabiliser = Fusion.lumaStabiliser(start, clips: reference.clippedAtBlack)
        let pyramid = try LumaPyramid(frame: reference, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        global = try GlobalAlignment(
            reference: pyramid, width: reference.width, height: reference.height, workers: workers)
    }

    /// Aligns one more frame of the same exposure. The order of frames counts.
    package mutating func add(_ frame: FrameData) throws(NightfuseError) {
        let luma = try LumaPyramid(frame: frame, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        partners.append(.init(frame: frame, field: try global.align(luma, guess: nil, workers: workers).field))
    }

    /// The noise of all pairs; what was known at the start where there are none.
    package var estimation: NoiseEstimation {
        partners.isEmpty ? start : NoiseEstimation(reference: reference, partners: partners, start: start)
    }
}
