/// Finds the sharpest of any number of frames, one at a time, for a caller that can go over its frames twice
/// (``QualityMode/best``).
///
/// Frames of another exposure than the base do not count: their slopes tell of the exposure. One luma pyramid a frame;
/// nothing but the best number is kept.
public final class ReferenceChooser {
    private let workers: Workers
    private let base: Double?
    private var stabiliser: Stabiliser?
    private var best: (index: Int, sharpness: Double)?

    /// - Parameters:
    ///   - baseExposureProduct: exposure time x ISO of the base frames; nil: the first frame's.
    ///   - workers: the threads to use.
    public init(baseExposureProduct: Double?, workers: Workers) {
        base = baseExposureProduct
        self.workers = workers
    }

    private var firstProduct: Double?

    /// Looks at a frame; `index` is the caller's number for it.
    public func consider(_ picture: Picture, index: Int) throws(NightfuseError) {
        if firstProduct == nil { firstProduct = picture.info.exposureProduct }
        if let wanted = base ?? firstProduct, let product = picture.info.exposureProduct,
            abs(product / wanted - 1) > 0.05
        {
            return
        }
        let frame = FrameData(picture: picture)
        let scale =
            stabiliser
            ?? Fusion.lumaStabiliser(NoiseEstimation(frame: frame, workers: workers), clips: frame.clippedAtBlack)
        stabiliser = scale
        let luma = try LumaPyramid(frame: frame, radianceScale: 1, stabiliser: scale, workers: workers)
        let value = try sharpness(luma, workers: workers)
        // The first of equals: one part in a hundred is within what noise moves.
        if value > (best?.sharpness ?? -1) * 1.01 { best = (index, value) }
    }

    /// The number of the sharpest frame so far; nil where none was of the base exposure.
    public var choice: Int? { best?.index }
}
