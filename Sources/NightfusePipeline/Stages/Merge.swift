package import NightfuseCore
package import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The running merge: the reference first, then frame after frame, each resampled once and added with a weight.
///
/// All samples are linear light on the reference's radiance scale. A frame's weight at a pixel is the inverse of its
/// noise variance against the reference's, times a trust from 0 to 1 that is decided once for all channels; see
/// ``trust`` below.
package final class Merge: @unchecked Sendable {
    // Unchecked: the two variables are set before an `add` starts its bands, and bands write their own rows only.

    /// Weighted sums of the three channels.
    package let sums: [Plane<Float>]
    /// Sum of weights u a, where a is the inverse variance against the reference's and u the trust: one a block of 2 x 2
    /// pixels, as trust is.
    package let weight: Plane<Float>
    /// Sum of u^2 a: what is left of the reference's noise variance is `weight2 / weight^2`.
    package let weight2: Plane<Float>
    /// Weights of frames whose noise differs from the reference's (other exposures); nil where there are none.
    package private(set) var otherWeight: Plane<Float>?
    /// Their noise, one a channel, by the frames' weights in the dark.
    package private(set) var otherNoise: [NoiseModel]?
    private var otherPrecision = 0.0
    /// What frames merged by frequency add to the weight of coarse shapes; nil where there are none.
    var coarseWeight: Plane<Float>?
    /// Their blurs, and the mean weight that each added.
    var coarseBlurs: [(blur: ShakeBlur, weight: Double)] = []
    package let reference: FrameData
    let kernel: WarpKernel
    let curves: [VarianceCurve]
    /// The reference's noise, one a channel: what the curves were made from.
    private let noise: [NoiseModel]
    package let width: Int
    package let height: Int
    /// Of the threads that add frames.
    let scratches = ScratchPool<MergeScratch>()

    /// Rows a band; with a halo of two for the window and what the frame's turn needs.
    static let bandRows = 32

    package struct Tuning: Sendable {
        /// Misfit over noise up to which a difference is noise: 75 samples (5 x 5, three channels) scatter by 0.2.
        package var tolerance: Float = 0.35
        /// How fast trust falls beyond it.
        package var steepness: Float = 4
        /// What alignment and resampling leave, as a shift in pixels times the local slope.
        package var slack: Float = 0.55
        /// By how much the ratio may exceed 1 before what slack explains is weighed as an error of the frame. White noise: errors
        /// are the resampling's. See ``suit(coarseness:)``.
        package var errorTolerance: Float = 0.1
        /// How much of a frame's inverse variance (against the reference's) its errors are multiplied by.
        package var lever: Float = 0.25
        /// Ratio by which every aligned frame of the burst differs more than its noise.
        package var unmodelled: Float = 1
        package init() {}

        /// Errors that compression and demosaic make of the scene, in units of noise variance: they differ from frame to frame and
        /// average out as noise does, so that a frame is not to be weighed down for them. JPEG, quality 92 and 75, and a plain
        /// demosaic: 3.5 costs them nothing, 0.1 costs 0.3 dB.
        private static let compressionErrors: Float = 3.5
        private static let mosaicErrors: Float = 12

        /// Coarse noise (``NoiseEstimation/coarseness``) tells of compression or interpolation: 1.6 to 2.3 was measured on bursts
        /// of white noise, 2.7 to 12 on those that went through either.
        package mutating func suit(coarseness: Double) {
            let share = Float(min(max((coarseness - 2.1) / 0.5, 0), 1))
            errorTolerance += (max(Self.compressionErrors, errorTolerance) - errorTolerance) * share
        }

        /// For frames made of a mosaic: their noise is alike in neighbours and colours, so that the ratio scatters by
        /// three times as much; and colours that were sampled at every other pixel are wrong where light is steep, in
        /// every frame another way, which averages out: half as much slack again keeps 0.05 dB where noise is low. (Twice as
        /// much keeps 0.1, but darkens rims of saturated areas by 3 %.)
        package static var demosaiced: Tuning {
            var tuning = Tuning()
            tuning.tolerance = 1.2
            tuning.slack = 0.8
            tuning.errorTolerance = mosaicErrors
            return tuning
        }
    }

    package init(
        reference: FrameData, noise: [NoiseModel], kernel: WarpKernel, workers: Workers
    ) throws(NightfuseError) {
        self.reference = reference
        self.kernel = kernel
        width = reference.width
        height = reference.height
        self.noise = noise
        curves = noise.map { Self.curve(ClippedNoise(noise: $0, clips: reference.clippedAtBlack)) }
        sums = [
            try Plane(width: width, height: height, isZero: false),
            try Plane(width: width, height: height, isZero: false),
            try Plane(width: width, height: height, isZero: false),
        ]
        weight = try Plane(width: (width + 1) / 2, height: (height + 1) / 2, isZero: false)
        weight2 = try Plane(width: weight.width, height: weight.height, isZero: false)
        weight.fill(1)
        weight2.fill(1)
        try workers.bands(height, grain: Self.bandRows) { (_, rows) throws(NightfuseError) in
            for y in rows {
                for c in 0..<3 {
                    self.reference.linearRow(
                        channel: c, y: y, from: 0, count: self.width, into: self.sums[c].mutableRow(y))
                }
            }
        }
    }

    /// What is left of white noise by resampling.
    package var resamplingNoise: Float { kernel.kernel.noiseGain * kernel.kernel.noiseGain }

    /// Variance against mean, as a table where clipping acts.
    package static func curve(_ clipped: ClippedNoise) -> VarianceCurve {
        let reach = max(clipped.reach, 1e-6)
        let table = (0..<512).map { Float(clipped.variance(mean: reach * Double($0) / 511)) }
        return VarianceCurve(
            table: table, reach: Float(reach), shot: Float(clipped.noise.shot),
            readSquared: Float(clipped.noise.read * clipped.noise.read))
    }

    /// The same with the squared difference that clipping makes between a frame and the reference.
    private static func curve(_ clipped: ClippedNoise, against own: ClippedNoise) -> VarianceCurve {
        let reach = max(own.reach, clipped.reach, 1e-6)
        let table = (0..<512).map { i -> Float in
            let mean = reach * Double(i) / 511
            let x = own.signal(mean: mean)
            let moments = clipped.moments(x)
            let lift = mean - moments.mean
            return Float(moments.variance + lift * lift)
        }
        return VarianceCurve(
            table: table, reach: Float(reach), shot: Float(clipped.noise.shot),
            readSquared: Float(clipped.noise.read * clipped.noise.read))
    }

    /// Inverse variance of a frame's green against the reference's, by the reference's mean green.
    private static func ratioCurve(_ item: Contribution, own: NoiseModel) -> [Float] {
        let clips = item.frame.clippedAtBlack
        let (a, b) = (ClippedNoise(noise: own, clips: clips), ClippedNoise(noise: item.noise[1], clips: clips))
        return (0..<ratioSteps).map { i in
            // Even in the square root of the mean, 0 to 1.
            let root = Double(i) / Double(ratioSteps - 1)
            let mean = root * root
            let x = a.signal(mean: mean)
            let (one, other) = (a.moments(x), b.moments(x))
            // Where clipping lifts it by more, a noisier frame tells less than it confuses: what does not average away
            // counts as noise of some 64 frames.
            let lift = max(other.mean - mean, 0)
            return Float(one.variance / max(other.variance + 64 * lift * lift, 1e-14))
        }
    }

    static let ratioSteps = 512

    /// Weights of row `y`, one a pixel.
    package func pixelWeights(_ y: Int, into out: MutableRow<Float>) {
        doubleRow(weight.row(y / 2), count: width, into: out)
    }

    /// A frame ready to be added.
    package struct Contribution: Sendable {
        package var frame: FrameData
        package var field: AlignmentField
        package var motion: MotionMap?
        /// The frame's linear light is divided by this to stand on the reference's scale.
        package var radianceScale: Float
        /// The frame's noise on the reference's scale, one a channel.
        package var noise: [NoiseModel]
        /// Upper bound of the frame's trust (blurred frames count less).
        package var trust: Float
        package init(
            frame: FrameData, field: AlignmentField, motion: MotionMap?, radianceScale: Float, noise: [NoiseModel],
            trust: Float
        ) {
            self.frame = frame
            self.field = field
            self.motion = motion
            self.radianceScale = radianceScale
            self.noise = noise
            self.trust = trust
        }
    }

    /// Adds a frame; gives the mean trust over the picture, 0 to 1.
    package func add(_ item: Contribution, tuning: Tuning, workers: Workers) throws(NightfuseError) -> Double {
        try noteNoise(of: item)
        let others = isOther(item)
        // Blacks lifted by another amount are a difference, but none of motion.
        let frameCurves = zip(item.noise, zip(noise, curves).map { (model: $0, curve: $1) }).map { noise, own in
            // As a rule it is the reference's, and so is the table.
            if !others, item.frame.clippedAtBlack == reference.clippedAtBlack, noise == own.model { return own.curve }
            let clipped = ClippedNoise(noise: noise, clips: item.frame.clippedAtBlack)
            return others
                ? Self.curve(clipped, against: ClippedNoise(noise: own.curve.noise, clips: item.frame.clippedAtBlack))
                : Self.curve(clipped)
        }
        let ratios = hasOtherNoise(item) ? Self.ratioCurve(item, own: curves[1].noise) : nil
        let bands = (height + Self.bandRows - 1) / Self.bandRows
        let totals = Totals(bands)
        try workers.bands(
            height, grain: Self.bandRows,
            scratch: { self.scratches.take { MergeScratch(width: self.width, rows: Self.bandRows) } }
        ) { (lease, band, rows) throws(NightfuseError) in
            totals.set(
                band,
                self.addBand(
                    item, rows: rows, curves: frameCurves, ratios: ratios, tuning: tuning, work: lease.scratch))
        }
        return totals.sum() / Double(weight.width * weight.height)
    }

    /// Whether a frame's noise differs from the reference's: its read noise by a tenth.
    private func hasOtherNoise(_ item: Contribution) -> Bool {
        abs(Float(item.noise[1].read * item.noise[1].read) / max(curves[1].readSquared, 1e-12) - 1) > 0.2
    }

    /// Whether a frame's blacks are lifted by another amount than the reference's.
    func isOther(_ item: Contribution) -> Bool { item.frame.clippedAtBlack && hasOtherNoise(item) }

    /// Keeps the mean noise of frames with other noise, weighted by what they tell of the dark.
    private func noteNoise(of item: Contribution) throws(NightfuseError) {
        guard isOther(item) else { return }
        if otherWeight == nil { otherWeight = try Plane(width: weight.width, height: weight.height) }
        let precision = 1 / max(item.noise[1].read * item.noise[1].read, 1e-12)
        let share = precision / (otherPrecision + precision)
        otherPrecision += precision
        let old = otherNoise ?? item.noise
        otherNoise = zip(old, item.noise).map { a, b in
            NoiseModel(shot: a.shot + (b.shot - a.shot) * share, read: a.read + (b.read - a.read) * share)
        }
    }
}

/// A number a band, summed in band order.
struct Totals {
    private let slots: BandResults<Double>
    init(_ count: Int) { slots = BandResults(count, 0) }
    func set(_ index: Int, _ value: Double) { slots.put(index, value) }
    func sum() -> Double { slots.all.reduce(0, +) }
}

extension VarianceCurve {
    /// The model the curve was made from.
    var noise: NoiseModel { NoiseModel(shot: Double(shot), read: Double(readSquared).squareRoot()) }
}
