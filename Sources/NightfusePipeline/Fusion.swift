package import NightfuseCore
package import NightfuseKernels

/// The pipeline: a reference, frame after frame aligned and merged onto it, and what is left of the noise taken out.
///
///     linearise -> estimate noise -> (each frame: expose -> align -> merge) -> denoise, undo clipping -> finish
///
/// Stages are under Stages/, one idea a file; what they share are planes of linear light and noise units. Choosing the
/// reference and keeping the books is the session's work; finishing is ``finish(_:colour:exposureProduct:residualNoise:options:workers:)``.
package final class Fusion {
    package let workers: Workers
    package let reference: FrameData
    package let noise: NoiseEstimation
    let stabiliser: Stabiliser
    private let pyramid: LumaPyramid
    let global: GlobalAlignment
    private let merge: Merge
    /// Of blocks; see ``FrameLight``.
    private let light: Plane<Float>
    private let blackLift: BlackLift?
    private let referenceSharpness: Double
    /// Light of the reference's blocks by channel, of use only where ``ToneMatch`` is tried.
    private(set) lazy var toneBlocks = Result { () throws(NightfuseError) in try ToneBlocks(reference, workers: workers)
    }
    private lazy var noiseRatio = NoiseRatio(reference: reference, workers: workers)
    private var last: AlignmentField?
    /// The alignment of the last frame in which what moves is about as sharp as in the reference, and when that was.
    private var sharp: (field: AlignmentField, elapsed: Double)?
    private var timing: BurstClock
    private var frames = 1
    private var black = BlackDrifts()
    package private(set) var seconds = StageSeconds()
    /// Asked before a long exposure is merged by frequency, which wants memory of its own.
    package var beforeLong: (() throws(NightfuseError) -> Void)?

    /// What became of a frame.
    package struct Outcome: Sendable {
        package var field: AlignmentField
        /// Mean trust, 0 to 1; 0 where the frame was left out.
        package var weight: Double
        package var ratio: Double
        /// Against the reference's.
        package var sharpness: Double
        /// Whether a tone curve of its own brought it onto the reference's light; see ``ToneMatch``.
        package var isToned = false
        /// Why the frame was left out or counts less.
        package var reason: String?
    }

    /// Starts with the reference. `partners`, other frames of the same exposure, let the noise be measured where it is
    /// not `known`.
    package init(
        reference: FrameData, partners: [FrameData], known: NoiseEstimation? = nil, workers: Workers
    ) throws(NightfuseError) {
        self.reference = reference
        self.workers = workers
        timing = BurstClock(seconds: reference.info.exposureSeconds)
        let clock = ContinuousClock()
        let start = clock.now
        if let known { noise = known } else { noise = try Self.noise(of: reference, partners, workers: workers) }
        stabiliser = Self.lumaStabiliser(noise, clips: reference.clippedAtBlack)
        blackLift =
            reference.clippedAtBlack
            ? BlackLift(noise.channels.map { [noise] in noise.beforeClipping($0, clips: true) }) : nil
        let light = try FrameLight(reference, workers: workers)
        blackLift?.undo(light.blocks)
        pyramid = try LumaPyramid(usingUp: light, radianceScale: 1, stabiliser: stabiliser, workers: workers)
        global = try GlobalAlignment(
            reference: pyramid, width: reference.width, height: reference.height, workers: workers)
        self.light = light.blocks
        referenceSharpness = try sharpness(pyramid, workers: workers)
        seconds.align += (clock.now - start).seconds
        merge = try Merge(
            reference: reference, noise: noise.channels, kernel: Self.kernel(reference), workers: workers)
    }

    /// Noise from pairs where there are any: two rounds, since aligning wants the noise and measuring it wants the
    /// alignment; large pictures have enough blocks for one.
    package static func noise(
        of reference: FrameData, _ partners: [FrameData], workers: Workers
    ) throws(NightfuseError) -> NoiseEstimation {
        let alone = NoiseEstimation(frame: reference, workers: workers)
        guard !partners.isEmpty else { return alone.withCoarseNoise(of: reference) }
        var noise = alone
        let rounds = measuresNoiseOnce(reference) ? 1 : 2
        for round in 1...rounds {
            var pairing = try NoisePairing(reference: reference, start: noise, workers: workers)
            for frame in partners { try pairing.add(frame) }
            guard pairing.hasPartners else { return alone.withCoarseNoise(of: reference) }
            noise = try pairing.estimation(isDraft: round < rounds)
        }
        return noise
    }

    /// Whether pairs with this reference are gone over once.
    package static func measuresNoiseOnce(_ reference: FrameData) -> Bool {
        reference.width * reference.height > LumaPyramid.fullSizePixels
    }

    /// Noise of (R + 2 G + B) / 4.
    static func lumaNoise(_ channels: [NoiseModel]) -> NoiseModel {
        let weights = [0.0625, 0.25, 0.0625]
        let shot = zip(weights, channels).reduce(0) { $0 + $1.0 * $1.1.shot }
        let read = zip(weights, channels).reduce(0) { $0 + $1.0 * $1.1.read * $1.1.read }.squareRoot()
        return NoiseModel(shot: shot, read: read)
    }

    package static func lumaStabiliser(_ noise: NoiseEstimation, clips: Bool) -> Stabiliser {
        Stabiliser(ClippedNoise(noise: lumaNoise(noise.channels), clips: clips))
    }

    /// How much longer an exposure counts as long: shake blurs it, and light clips in it, more than in the reference.
    private static let longExposure = 1.3
    /// Least correlation of a long exposure's light with the reference's, over blocks of 8 x 8 pixels: shake moves light by
    /// less than a block.
    private static let longCorrelation = 0.85

    /// Exposures within this ratio have one tone curve: what a camera does to one it does to the other.
    private static let otherExposure = 1.15

    /// Pixels by which what moves may be smeared in a longer exposure to be merged where it went: beyond, tiles of plain
    /// texture fit the smear anywhere.
    private static let mostSmear = 1.5

    /// Aligns and merges a frame; by `known` where the alignment is not to be found (what is lost to it is measured so).
    package func add(_ frame: FrameData, alignment known: AlignmentField? = nil) throws(NightfuseError) -> Outcome {
        let clock = ContinuousClock()
        var start = clock.now
        let own = try FrameLight(frame, workers: workers)
        var frameLight = own.blocks
        blackLift?.undo(frameLight)
        let floor = lightFloor(of: frame)
        let tagged = frame.exposureProduct.flatMap { p in reference.exposureProduct.map { p / $0 } }
        var ratio = ExposureRatio.byRank(light, frameLight, floor: floor) ?? tagged ?? 1
        // Ranks err by a fifth where frames show different parts of a scene: tags within half are what the aligned pixels
        // then confirm or correct. Without tags, frames are equal where ranks do not say otherwise.
        let isRaw = !frame.blackGains.isEmpty
        if abs(ratio / (tagged ?? 1) - 1) < (tagged == nil ? 0.15 : 0.5) { ratio = tagged ?? 1 }
        let exposed = ratio
        var luma = try LumaPyramid(
            usingUp: own, radianceScale: Float(ratio), stabiliser: stabiliser, workers: workers)
        var fit = try global.align(luma, guess: last?.homography, workers: workers)
        if let known { fit.field = known }
        let pairs = ExposureRatio.pairs(light, frameLight, field: fit.field, expected: ratio, floor: floor)
        if let measured = ExposureRatio.aligned(
            pairs, blackError: isRaw ? floor / 2 : Float(0.3 * noise.channels[1].read)),
            abs(measured.ratio / ratio - 1) < 0.5
        {
            // Within two parts in a hundred, and what the measurement may err by, the tags (or equality) are the better
            // witness.
            let agrees = abs(measured.ratio / (tagged ?? 1) - 1) <= 0.02 + 3 * measured.error
            ratio = agrees ? tagged ?? 1 : measured.ratio
        }
        var (frame, drift) = (frame, 0.0)
        let toned =
            isRaw || known != nil || max(ratio, 1 / ratio) < Self.otherExposure
                || !ToneMatch.isCalledFor(pairs, noise: Self.lumaNoise(noise.channels))
            ? nil : try toneMatched(frame, tagged: tagged, guess: last?.homography)
        if let toned {
            (frame, frameLight, luma, fit, ratio) = (toned.frame, toned.light, toned.luma, toned.fit, toned.ratio)
        }
        let found = blackDrift(frame, frameLight, field: fit.field, ratio: ratio)
        if let found {
            drift = Double(found.offset)
            frame = frame.loweringBlack(by: found.offset)
        }
        if found != nil || toned == nil && abs(ratio / exposed - 1) > 0.02 {
            luma = try LumaPyramid(
                frame: frame, radianceScale: Float(ratio), stabiliser: stabiliser, workers: workers)
        }
        let aligned = try global.aligned(luma, field: fit.field, workers: workers)
        let times = frame.info.exposureSeconds.flatMap { e in reference.info.exposureSeconds.map { e / $0 } }
        timing.next(exposure: times ?? ratio)
        // Pictures' long exposures are merged by frequency, which leaves out what they smear.
        let reach = isRaw ? timing.reach(smear: Self.mostSmear) : .infinity
        var field = fit.field
        if known == nil {
            // What went on steadily has gone on since.
            let history = sharp.map {
                TileAlignment.History(field: $0.field, growth: Float(timing.elapsed / $0.elapsed))
            }
            var tiles = TileAlignment(reference: global, width: reference.width, height: reference.height)
            tiles.farthest = Float(reach)
            tiles.caution = Float(noise.coarseness)
            field = try tiles.refine(aligned, global: fit.field, history: history, workers: workers)
        }
        let frameNoise = toned?.noise ?? noise(of: frame, ratio: ratio)
        let sharpness = try NightfusePipeline.sharpness(luma, workers: workers) / referenceSharpness
        let lift = liftCurve(frameNoise)
        let motion = try MotionMap(
            reference: pyramid, frame: luma, field: field, noise: aligned.noise, lift: lift, workers: workers)
        seconds.align += (clock.now - start).seconds
        start = clock.now
        let unmodelled = Self.unmodelled(aligned.noise[0], noise: noise, base: pyramid.base)
        var tuning: Merge.Tuning = isRaw ? .demosaiced : .init()
        tuning.unmodelled = unmodelled
        tuning.suit(coarseness: noise.coarseness)
        let item = Merge.Contribution(
            frame: frame, field: field, motion: motion, radianceScale: Float(ratio), noise: frameNoise, trust: 1)
        // What only feigns a longer exposure, being another scene, must not be merged for its coarse shapes.
        let isLong =
            ratio > Self.longExposure && !isRaw
            && NoisePartner(reference: light, frame: frameLight, field: field)
                .showsTheScene(noise: Self.lumaNoise(noise.channels), correlation: Self.longCorrelation)
        if isLong { try beforeLong?() }
        let weight =
            isLong
            ? try merge.addByFrequency(item, spectrum: noise.spectrum, tuning: tuning, workers: workers)
            : try merge.add(item, tuning: tuning, workers: workers)
        seconds.merge += (clock.now - start).seconds
        frames += 1
        black.add(drift / ratio, weight: weight)
        last = field
        if reach == .infinity { sharp = (field, timing.elapsed) }
        var outcome = Outcome(
            field: field, weight: weight, ratio: ratio, sharpness: sharpness, isToned: toned != nil)
        if weight < 0.02 {
            outcome.reason = "nothing in it agrees with the reference"
        }
        return outcome
    }

    /// A frame's noise on the reference's scale.
    private func noise(of frame: FrameData, ratio: Double) -> [NoiseModel] {
        // Shot noise grows with the gain, as read noise does.
        if let gain = frame.gain(over: reference) {
            return noise.channels.map { NoiseModel(shot: $0.shot * gain / ratio, read: $0.read * gain / ratio) }
        }
        let isRaw = !frame.blackGains.isEmpty
        let excess = isRaw ? 1 : noiseRatio.of(frame, exposure: ratio, workers: workers)
        return noise.channels.map {
            NoiseModel(shot: $0.shot * excess / ratio, read: $0.read * excess.squareRoot() / ratio)
        }
    }

    /// Light of a block that tells an exposure: above the noise of its mean, and in raw above what blacks drift by.
    private func lightFloor(of frame: FrameData) -> Float {
        let read = noise.channels[1].read
        guard frame.clippedAtBlack else { return Float(3 * read) }
        // Half the read noise of a pixel is four sigma of the mean of 64 whose noise is white; less so where it is coarse.
        return Float(0.5 * read * noise.coarseness.squareRoot())
    }

    /// How far a raw frame's black lies above the reference's.
    private func blackDrift(
        _ frame: FrameData, _ frameLight: Plane<Float>, field: AlignmentField, ratio: Double
    ) -> BlackDrift? {
        guard !frame.blackGains.isEmpty else { return nil }
        let (r, g, b) = (noise.channels[0], noise.channels[1], noise.channels[2])
        // Of (R + 2 G + B) / 4 over a block of 64.
        let block = NoiseModel(
            shot: (r.shot + 4 * g.shot + b.shot) / (16 * 64),
            read: ((r.read * r.read + 4 * g.read * g.read + b.read * b.read) / (16 * 64)).squareRoot())
        return BlackDrift.between(
            light, frameLight, field: field, ratio: Float(ratio), noise: block, gains: frame.blackGains)
    }

    /// The merge as it stands, until ``finish(strength:mode:)`` uses it up.
    package var merged: Merge { merge }

    /// How far the frames' mean black lies above that of the reference, which the merge has; sensor light.
    package var blackDrift: BlackDrifts.Mean { black.mean }

    /// How much more than its noise the median block of an aligned frame differs, as a ratio of variances, 1 to 6.
    ///
    /// What differs everywhere is no motion: a camera's own denoising leaves less noise in flat places, where it is
    /// measured, than on texture. Beyond 6 the frame shows something else.
    private static func unmodelled(_ difference: Float, noise: NoiseEstimation, base: Int) -> Float {
        // Both frames' noise, the resampled one's a little less; at half size a quarter is left.
        let expected = noise.smoothedLumaPower * (base == 0 ? 1.8 : 0.45)
        let ratio = Double(difference) * Double(difference) / max(expected, 1e-9)
        return ratio > 6 ? 1 : Float(max(ratio, 1))
    }

    /// How clipping at black alone sets a frame of other noise apart; nil where noise is alike or nothing was clipped.
    private func liftCurve(_ frameNoise: [NoiseModel]) -> LiftCurve? {
        let (own, other) = (Self.lumaNoise(noise.channels), Self.lumaNoise(frameNoise))
        guard reference.clippedAtBlack, abs(other.read / max(own.read, 1e-9) - 1) > 0.1 else { return nil }
        return LiftCurve(
            own: ClippedNoise(noise: own, clips: true), other: ClippedNoise(noise: other, clips: true),
            stabiliser: stabiliser)
    }

    /// Eight taps keep 0.2 dB more than six where noise is low, and cost a sixth of the whole time: small pictures have it.
    package static func kernel(_ frame: FrameData) -> WarpKernel {
        .lanczos(lobes: frame.width * frame.height > LumaPyramid.fullSizePixels ? 3 : 4)
    }

    /// What the merge left: the picture in linear light, and the effective frames a pixel (one over the variance).
    package struct Restored: Sendable {
        package var image: LinearImage
        /// How far the frames' mean black lies above that of the reference, which the image has.
        package var blackDrift: BlackDrifts.Mean
        /// Noise variance of every block of 2 x 2 pixels before denoising, one frame = 1.
        package var variance: Plane<Float>
    }

    /// Denoises the merge and undoes the clipping. The fusion is used up.
    package func finish(strength: Float, mode: QualityMode) throws(NightfuseError) -> Restored {
        let clock = ContinuousClock()
        let start = clock.now
        var denoise = Denoise(spectrum: merge.leftSpectrum(noise.spectrum))
        denoise.strength = strength
        if frames == 1 { denoise.suitOneFrame() }
        if mode == .best { denoise.collaborate() }
        var restore = Restore(noise: noise, clips: reference.clippedAtBlack, strength: strength, frames: frames)
        if strength > 0 {
            let blur = DemosaicBlur(reference: reference, noise: noise)
            denoise.suitDemosaic(blur.strength)
            restore.blur = blur
        }
        let image = try restore.apply(merge, denoise: denoise, workers: workers)
        seconds.denoise += (clock.now - start).seconds
        return Restored(image: image, blackDrift: blackDrift, variance: merge.weight2)
    }
}

extension FrameData {
    /// Exposure time x ISO, nil where either is unknown.
    var exposureProduct: Double? { info.exposureProduct }

    /// ISO over the reference's, nil where either is unknown.
    func gain(over reference: FrameData) -> Double? {
        info.iso.flatMap { iso in reference.info.iso.map { iso / $0 } }
    }
}

extension Duration {
    /// The same in seconds.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
