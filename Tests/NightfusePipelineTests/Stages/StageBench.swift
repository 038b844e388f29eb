import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport

/// Two frames with what the stages between them need, the noise being known.
struct StageBench {
    let workers = Workers(threads: 2)
    let reference: FrameData
    let frame: FrameData
    let noise: NoiseEstimation
    let pyramid: LumaPyramid
    let luma: LumaPyramid
    let global: GlobalAlignment

    init(_ a: Picture, _ b: Picture, noise model: NoiseModel, ratio: Float = 1) throws {
        reference = FrameData(picture: a)
        frame = FrameData(picture: b)
        var noise = NoiseEstimation(frame: reference)
        noise.channels = [model, model, model]
        self.noise = noise
        let stabiliser = Fusion.lumaStabiliser(noise, clips: true)
        pyramid = try LumaPyramid(frame: reference, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        luma = try LumaPyramid(frame: frame, radianceScale: ratio, stabiliser: stabiliser, workers: workers)
        global = try GlobalAlignment(
            reference: pyramid, width: reference.width, height: reference.height, workers: workers)
    }

    func fit() throws -> GlobalAlignment.Fit { try global.align(luma, guess: nil, workers: workers) }

    /// Errors, in pixels and rising, of an alignment on a grid of points that lie in both frames.
    static func errors(_ field: AlignmentField, truth: Matrix3) -> [Double] {
        var errors: [Double] = []
        for y in stride(from: 4, to: field.height, by: 8) {
            for x in stride(from: 4, to: field.width, by: 8) {
                let p = TestBurst.position(Double(x), Double(y), by: truth)
                guard p.x >= 0, p.y >= 0, p.x < Double(field.width), p.y < Double(field.height) else { continue }
                let q = field.global(Double(x), Double(y))
                errors.append(((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y)).squareRoot())
            }
        }
        return errors.sorted()
    }
}
