internal import NightfuseKernels

/// The work of a session, one frame after the other: waits for the reference, aligns, merges, forgets.
///
/// Unchecked: a session lets one thread at a time in, its queue's or, when that is empty, its own.
final class BurstWork: @unchecked Sendable {
    private let options: FusionOptions
    private let workers: Workers
    private let progress: SessionProgress

    /// A frame that waits for the reference, with its number.
    private struct Held {
        var index: Int
        var frame: Source
    }

    /// A frame as it came: raw ones are developed when the reference is known, whose balance they get.
    enum Source: Sendable {
        case picture(FrameData)
        case raw(RawFrame)

        var info: CaptureInfo {
            switch self {
            case .picture(let frame): frame.info
            case .raw(let frame): frame.info
            }
        }

        var name: String {
            switch self {
            case .picture(let frame): frame.name
            case .raw(let frame): frame.name
            }
        }
    }

    private var held: [Held] = []
    private var fusion: Fusion?
    private var development: RawDevelopment?
    private var reports: [FrameReport] = []
    private var sharpnesses: [Int: Double] = [:]
    private var referenceIndex = 0
    private var deepest = 8
    private var used = 0
    /// Seconds of choosing the reference, for the books.
    private var choosing = 0.0
    /// Frames forgotten before they were merged, which are to be given again.
    private var owed: [Int] = []
    /// Peak bytes if long exposures are merged too.
    var bytesOfLong = 0
    /// Of frames that come one after the other, nil where they are there at once: one frame alone then costs nothing.
    private var headStart: HeadStart?

    /// - Parameter isEager: whether there is time to be used between one frame and the next.
    init(options: FusionOptions, workers: Workers, progress: SessionProgress, isEager: Bool) {
        (self.options, self.workers, self.progress) = (options, workers, progress)
        if isEager { headStart = makeHeadStart() }
    }

    /// Takes the next frame, which has `bits` significant bits.
    func add(_ frame: Source, bits: Int) throws(NightfuseError) {
        try workers.cancellation?.check()
        deepest = max(deepest, bits)
        let index = reports.count
        var report = FrameReport(name: frame.name)
        report.exposureSeconds = frame.info.exposureSeconds
        report.iso = frame.info.iso
        reports.append(report)
        if fusion == nil {
            held.append(Held(index: index, frame: frame))
            if case .picture(let frame) = frame, let headStart, isBase(.picture(frame)) {
                try headStart.add(index, frame)
            }
            if held.count == FusionSession.mostHeld { try start() }
        } else {
            switch frame {
            case .picture(let frame): try merge(frame, index)
            case .raw(let raw):
                if let development { try merge(try development.frame(raw, workers: workers), index) }
            }
        }
    }

    /// The frames to be given again, in this order, before any other; each is told once.
    func takeOwed() -> [Int] {
        defer { owed = [] }
        return owed
    }

    /// Takes a frame once more that was forgotten.
    func addAgain(_ frame: FrameData, _ index: Int) throws(NightfuseError) { try merge(frame, index) }

    /// Chooses the reference though more frames might be waited for: there are none.
    func begin() throws(NightfuseError) { if fusion == nil, !held.isEmpty { try start() } }

    // MARK: Reference

    private func makeHeadStart() -> HeadStart {
        var asked: Int?
        if case .index(let wanted) = options.reference { asked = wanted }
        // Raw frames are developed anew where the reference is another than the first: their pairs would be none.
        return HeadStart(asked: asked, measuresNoise: development == nil, workers: workers)
    }

    /// Whether a frame has the base exposure: the one told, or the first frame's; unknown exposures count as base.
    private func isBase(_ frame: Source) -> Bool {
        Self.isAlike(frame.info, options.baseExposureProduct ?? held.first?.frame.info.exposureProduct)
    }

    /// Whether a frame has this exposure; unknown ones count as alike.
    private static func isAlike(_ info: CaptureInfo, _ exposureProduct: Double?) -> Bool {
        guard let other = exposureProduct, let own = info.exposureProduct else { return true }
        // Tags are rounded to thirds of a percent at worst.
        return abs(own / other - 1) < 0.05
    }

    /// What there is when the reference is chosen.
    private struct Beginning {
        var reference: FrameData
        /// Other frames of its exposure.
        var partners: [FrameData]
        /// Its noise, where it is known already.
        var noise: NoiseEstimation?
        /// All that were held, as the pipeline sees them.
        var frames: [Int: FrameData]
    }

    /// Chooses the reference among the held frames, and merges the others, each of which is then forgotten.
    private func start() throws(NightfuseError) {
        progress.begin(.align)
        let order = held.map(\.index)
        guard var beginning = try chooseReference() else { return }
        held = []
        if options.memory == .lean, development == nil {
            // Measured before the sums are made, then the partners go.
            if beginning.noise == nil {
                beginning.noise = try Fusion.noise(of: beginning.reference, beginning.partners, workers: workers)
            }
            (beginning.partners, beginning.frames) = ([], [:])
            owed = order.filter { $0 != referenceIndex }
        }
        let fusion = try Fusion(
            reference: beginning.reference, partners: beginning.partners, known: beginning.noise, workers: workers)
        fusion.beforeLong = { [options, bytesOfLong, name = beginning.reference.name] () throws(NightfuseError) in
            try MemoryEstimate.check(bytesOfLong, name: name, limits: options.limits)
        }
        self.fusion = fusion
        // Each goes when it is merged.
        beginning.partners = []
        reports[referenceIndex].used = true
        reports[referenceIndex].weight = 1
        sharpnesses[referenceIndex] = 1
        used = 1
        progress.end(.align)
        for index in order where index != referenceIndex {
            if let frame = beginning.frames.removeValue(forKey: index) { try merge(frame, index) }
        }
        // So many frames are never there again.
        fusion.reference.samples.releaseOthers()
    }

    private func chooseReference() throws(NightfuseError) -> Beginning? {
        let base = held.filter { isBase($0.frame) }
        // The reference, and what noise is measured against: of one exposure.
        var candidates = base.isEmpty ? held : base
        var chosen = candidates[0].index
        var asked: Int?
        if case .index(let wanted) = options.reference {
            guard let reference = held.first(where: { $0.index == wanted }) else {
                throw .argument(
                    "frame \(wanted) is to be the reference, but it is not among the first \(held.count) added")
            }
            (chosen, asked) = (wanted, wanted)
            candidates = held.filter { Self.isAlike($0.frame.info, reference.frame.info.exposureProduct) }
        }
        var frames = try developed(held, reference: chosen, candidates)
        // Of raw frames nothing can be done before the first is chosen.
        var head = headStart?.reference == nil ? nil : headStart
        if head == nil, asked == nil, candidates.count > 1 {
            let made = makeHeadStart()
            for item in candidates { if let frame = frames[item.index] { try made.add(item.index, frame) } }
            head = made
        }
        if asked == nil, let reference = head?.reference {
            chosen = reference
            frames = try developed(held, reference: chosen, candidates, frames)
        }
        choosing = head?.seconds ?? 0
        guard let reference = frames[chosen] else { return nil }
        referenceIndex = chosen
        let pairs = head?.reference == chosen ? try head?.noise() : nil
        headStart = nil
        return Beginning(
            reference: reference,
            partners: candidates.filter { $0.index != chosen }.compactMap { frames[$0.index] },
            noise: development?.noise(of: reference) ?? pairs, frames: frames)
    }

    /// The held frames as the pipeline sees them; raw ones developed as the reference asks for, `before` where that is
    /// how they were developed already.
    private func developed(
        _ held: [Held], reference: Int, _ candidates: [Held], _ before: [Int: FrameData] = [:]
    ) throws(NightfuseError) -> [Int: FrameData] {
        guard case .raw(let frame)? = held.first(where: { $0.index == reference })?.frame else {
            return Dictionary(
                uniqueKeysWithValues: held.compactMap { item in
                    if case .picture(let frame) = item.frame { (item.index, frame) } else { nil }
                })
        }
        if let development, development.suits(frame) { return before }
        let raws = candidates.compactMap { item in if case .raw(let raw) = item.frame { raw } else { nil } }
        let development = try RawDevelopment(
            reference: frame, held: raws, isPicture: !options.mergedRaw, workers: workers)
        self.development = development
        var frames: [Int: FrameData] = [:]
        for item in held {
            if case .raw(let raw) = item.frame {
                frames[item.index] = try development.frame(raw, workers: workers)
            }
        }
        return frames
    }

    // MARK: Merge

    private func merge(_ frame: FrameData, _ index: Int) throws(NightfuseError) {
        guard let fusion else { return }
        progress.begin(.merge)
        let outcome = try fusion.add(frame)
        let field = outcome.field
        let centre = field.global(field.centreX, field.centreY)
        reports[index].shift = (centre.x - field.centreX, centre.y - field.centreY)
        reports[index].rotationDegrees = field.homography.rotation * 180 / .pi
        reports[index].exposureRatio = outcome.ratio
        reports[index].weight = outcome.weight
        reports[index].reason = outcome.reason
        reports[index].used = outcome.weight > 0
        sharpnesses[index] = outcome.sharpness
        if outcome.weight > 0 { used += 1 }
        progress.end(.merge)
    }

    // MARK: Result

    /// Ends the burst and gives the picture, of `bits` or as many as the options say.
    func finish(_ shape: BurstShape, bits: Int?) throws(NightfuseError) -> FusionResult {
        if fusion == nil { try start() }
        guard let fusion else { throw .argument("there is no frame to fuse") }
        // A session may live on for its reports: its planes need not.
        defer { (self.fusion, development) = (nil, nil) }
        progress.begin(.denoise)
        let brighten = try options.brighten.map { (choice) throws(NightfuseError) in
            try BrightenPlan(
                choice, strength: options.strength, reference: fusion.reference, colour: shape.colour, workers: workers)
        }
        let mergedRaw = options.mergedRaw ? try development?.merged(fusion, workers: workers) : nil
        let restored: Fusion.Restored
        if mergedRaw != nil, let development {
            // A merged raw is not denoised: its developers do that.
            restored = try development.preview(fusion)
        } else {
            restored = try fusion.finish(
                strength: Float(brighten?.strength ?? options.strength), mode: options.qualityMode)
        }
        progress.end(.denoise)
        progress.begin(.finish)
        let clock = ContinuousClock()
        let start = clock.now
        let effective = try EffectiveFrames(variance: restored.variance, workers: workers)
        let bits = mergedRaw != nil ? 8 : bits ?? options.bits ?? (deepest > 8 ? 16 : 8)
        let image = try development?.finish(restored, workers: workers) ?? restored.image
        let finished = try NightfusePipeline.finish(
            image, colour: shape.colour, exposureProduct: fusion.reference.info.exposureProduct,
            residualNoise: nil,
            options: FinishOptions(
                look: mergedRaw == nil ? options.look : .natural, brightnessEV: options.brightnessEV,
                brighten: brighten?.amount),
            workers: workers)
        let dither = ditherIsDue(look: options.look, bits: bits, sourceBits: deepest, frames: used)
        let samples: Samples
        if mergedRaw != nil, let development {
            let planes = try encode(finished, colour: shape.colour, bits: bits, dither: dither, workers: workers)
            samples = .words(try development.upright(planes))
        } else if bits == 8 {
            samples = .bytes(try encodeBytes(finished, colour: shape.colour, dither: dither, workers: workers))
        } else {
            samples = .words(
                try encode(finished, colour: shape.colour, bits: bits, dither: dither, workers: workers))
        }
        var seconds = fusion.seconds
        seconds.align += choosing
        seconds.finish = (clock.now - start).seconds
        let sharpestFrame = sharpnesses.values.max() ?? 1
        for (index, value) in sharpnesses { reports[index].sharpness = value / sharpestFrame }
        progress.end(.finish)
        let size = (width: fusion.reference.width, height: fusion.reference.height)
        var result = FusionResult(
            picture: Picture(
                samples: shape.isGrey ? samples.firstOnly : samples, maxCode: bits == 8 ? 255 : 65535, bits: bits,
                name: fusion.reference.name, colour: shape.colour, info: fusion.reference.info,
                exif: fusion.reference.exif, icc: fusion.reference.icc, format: shape.format),
            mergedRaw: mergedRaw, notes: development?.colour.notes ?? [], reference: referenceIndex, frames: reports,
            noise: fusion.noise.channels[1],
            effectiveFrames: (effective.mean, effective.p10),
            effectiveFrameMap: options.maps
                ? try EffectiveFrames.map(restored.variance, width: size.width, height: size.height) : nil,
            motionMap: options.maps
                ? try EffectiveFrames.motion(
                    restored.variance, width: size.width, height: size.height, frames: used) : nil,
            seconds: seconds)
        result.brightenAmount = brighten?.amount
        result.holdsNoLight = brighten?.isBlack ?? false
        if options.keepsReference, development == nil { result.referencePicture = shape.picture(fusion.reference) }
        return result
    }
}
