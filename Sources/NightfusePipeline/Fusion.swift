package import NightfuseCore
import Glibc
internal import NightfuseKernels

/// The pipeline: a reference, frame after frame aligned and merged onto it, and what is left of the noise taken out.
///
/// `linearise -> estimate noise -> (each frame: align -> merge) -> denoise and undo clipping`; finishing is the
/// session's. Stages are under Stages/, one idea a file; what they share are planes of linear light and noise units.
package final class Fusion {
    package let workers: Workers
    package private(set) var noise: NoiseEstimation
    private let reference: FrameData
    private var stabiliser: Stabiliser
    private var pyramid: LumaPyramid
    private var global: GlobalAlignment
    private var merge: Merge
    private var lastHomography: Homography?
    private var frames = 1
    private let kernel = InterpolationKernel.lanczos(lobes: 4)

    /// Starts with the reference. `partner`, another frame of the same exposure, lets the noise be measured.
    package init(reference: FrameData, partner: FrameData?, workers: Workers) throws(NightfuseError) {
        self.reference = reference
        self.workers = workers
        var noise = NoiseEstimation(frame: reference)
        for round in 0..<(partner == nil ? 0 : 2) {
            guard let partner else { break }
            let stabiliser = Self.lumaStabiliser(noise, clips: reference.clippedAtBlack)
            let a = try LumaPyramid(frame: reference, radianceScale: 1, stabiliser: stabiliser, workers: workers)
            let b = try LumaPyramid(frame: partner, radianceScale: 1, stabiliser: stabiliser, workers: workers)
            let global = try GlobalAlignment(
                reference: a, width: reference.width, height: reference.height, workers: workers)
            let fit = try global.align(b, guess: nil, workers: workers)
            noise = NoiseEstimation(reference: reference, frame: partner, field: fit.field, start: noise)
            if round == 0 && reference.width * reference.height > LumaPyramid.fullSizePixels { break }
        }
        self.noise = noise
        stabiliser = Self.lumaStabiliser(noise, clips: reference.clippedAtBlack)
        pyramid = try LumaPyramid(frame: reference, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        global = try GlobalAlignment(
            reference: pyramid, width: reference.width, height: reference.height, workers: workers)
        merge = try Merge(reference: reference, noise: noise.channels, kernel: kernel, workers: workers)
    }

    /// Noise of (R + 2 G + B) / 4.
    private static func lumaStabiliser(_ noise: NoiseEstimation, clips: Bool) -> Stabiliser {
        let weights = [0.0625, 0.25, 0.0625]
        let c = noise.channels
        let shot = zip(weights, c).reduce(0) { $0 + $1.0 * $1.1.shot }
        let read = zip(weights, c).reduce(0) { $0 + $1.0 * $1.1.read * $1.1.read }.squareRoot()
        return Stabiliser(ClippedNoise(noise: NoiseModel(shot: shot, read: read), clips: clips))
    }

    /// Aligns and merges a frame; gives its field and its mean trust.
    package func add(_ frame: FrameData) throws(NightfuseError) -> (field: AlignmentField, weight: Double) {
        let luma = try LumaPyramid(frame: frame, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        let fit = try global.align(luma, guess: lastHomography, workers: workers)
        lastHomography = fit.field.homography
        let levels = try global.noise(of: luma, field: fit.field, workers: workers)
        let field = getenv("NF_NOTILE") != nil ? fit.field : try TileAlignment(reference: global, width: reference.width, height: reference.height)
            .refine(fit, frame: luma, noise: levels, workers: workers)
        let motion = getenv("NF_NOMOT") != nil ? nil : try MotionMap(
            reference: pyramid, frame: luma, field: field, noise: levels, workers: workers)
        let weight = try merge.add(
            .init(
                frame: frame, field: field, motion: motion, radianceScale: 1, noise: noise.channels, trust: 1),
            tuning: .init(), workers: workers)
        frames += 1
        return (field, weight)
    }

    /// Denoises the merge. The fusion is used up.
    package func finish(strength: Float) throws(NightfuseError) -> LinearImage {
        var denoise = Denoise(spectrum: noise.spectrum)
        denoise.strength = strength
        return try Restore(
            noise: noise, clips: reference.clippedAtBlack, strength: strength, frames: frames
        ).apply(merge, denoise: denoise, workers: workers)
    }
}
