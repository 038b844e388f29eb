public import NightfuseCore

/// How the fused picture is finished.
public enum Look: String, CaseIterable, Sendable {
    /// Bright enough to see, dark enough to be night: shadows lifted, lamps held, white balance made neutral.
    case night
    /// The reference's brightness, neutral white balance, lamps rolled off, no lift of shadows.
    case natural
    /// Exposure, white balance and tone curve of the reference frame, only cleaner.
    case none
}

/// Which frame the others are aligned to.
public enum ReferenceChoice: Equatable, Sendable {
    /// The sharpest of the first three usable frames of the base exposure. Where no tags tell an exposure but the frames
    /// clearly differ in it: of them the one that is clipped least.
    case auto
    /// The frame with this number, from 0, in the order given: 0, 1 or 2, since no later frame is waited for.
    case index(Int)
}

/// How much work a fusion may do.
public enum QualityMode: String, CaseIterable, Sendable {
    /// One pass, each frame touched once.
    case fast
    /// Every frame may be the reference, and a second pass is allowed.
    case best
}

/// Light for a photograph already taken, in place of a fused night's ceiling and white balance.
public enum Brightening: Equatable, Sendable {
    /// As much as the photograph lacks; none where it is not dark.
    case auto
    /// 0 (as it is) to 1 (the brightness of day).
    case amount(Double)
}

/// Everything that decides what a fusion makes of its frames.
public struct FusionOptions: Sendable {
    /// How the picture is finished. Default `night`.
    public var look: Look = .night
    /// Stops added to the finished picture; with `look == .none` to linear light. -8 to 8, default 0.
    public var brightnessEV: Double = 0
    /// Only with `look == .night`; nil: the night look for fused frames.
    public var brighten: Brightening?
    /// Noise reduction after the merge: 0 (merge only) to 2, default 1 (as the noise was measured).
    public var strength: Double = 1
    /// Which frame the others are aligned to. Default `auto`.
    public var reference: ReferenceChoice = .auto
    /// How much work may be done. Default `fast`.
    public var qualityMode: QualityMode = .fast
    /// Bits of the result's samples, 8 or 16; nil: 16 where any frame has more than 8, else 8.
    public var bits: Int?
    /// Exposure time x ISO of the base frames, where the caller knows it (the plan's role `base`); nil: as the
    /// first frame's.
    public var baseExposureProduct: Double?
    /// Whether the effective-frame and motion maps are kept for the result.
    public var maps = false
    /// Whether the result brings the reference frame with it, as it was given.
    public var keepsReference = false
    /// Whether raw frames give a merged raw frame (instead of a picture).
    public var mergedRaw = false
    /// What may be allocated.
    public var limits = Limits()
    /// How memory is used, for the same picture.
    package var memory: MemoryUse = .whole

    /// The defaults.
    public init() {}
}

/// How a fusion uses memory. The picture is the same.
package enum MemoryUse: Sendable {
    /// Whatever saves time.
    case whole
    /// The caller gives frames once more when the session asks for them: those held while the reference was chosen are
    /// forgotten, which is a fifth less. Pictures only.
    case lean
    /// Large planes live in files (`ScratchPlanes`): what is in memory grows with a picture's width, not with its pixels.
    case scratch
}

/// What became of one frame, in the order frames were added.
public struct FrameReport: Sendable {
    /// The frame's name.
    public var name: String
    /// Whether any of it was merged.
    public var used = false
    /// Why the frame was left out or down-weighted; nil where all is well.
    public var reason: String?
    /// Exposure time in seconds, as the frame tells it.
    public var exposureSeconds: Double?
    /// ISO speed, as the frame tells it.
    public var iso: Double?
    /// Radiance scale against the reference, measured from the pixels and held against EXIF: 2 where the frame got
    /// twice the light.
    public var exposureRatio = 1.0
    /// Where the reference's centre lies in this frame minus the centre, full-size pixels, x right, y down.
    public var shift: (x: Double, y: Double) = (0, 0)
    /// Turn of this frame against the reference, degrees, clockwise as seen.
    public var rotationDegrees = 0.0
    /// Gradient energy with the noise's share taken out; 1 is the sharpest frame of the burst.
    public var sharpness = 1.0
    /// Mean share of the frame that was merged, 0 to 1.
    public var weight = 0.0

    /// A report on a frame that nothing is known of yet.
    public init(name: String) { self.name = name }
}

/// Seconds of wall time that each stage took.
public struct StageSeconds: Sendable {
    /// Alignment, with the reference's choice and noise.
    public var align = 0.0
    /// Merging.
    public var merge = 0.0
    /// Taking out the noise that is left.
    public var denoise = 0.0
    /// The look, and codes from light.
    public var finish = 0.0
    /// No time has passed.
    public init() {}
}

/// What a fusion made.
public struct FusionResult: Sendable {
    /// The finished picture, in the reference frame's colour space (sRGB for raw frames), `bits` deep, upright. Beside a
    /// merged raw frame: a small preview of it.
    public var picture: Picture
    /// The merged raw frame, where it was asked for.
    public var mergedRaw: RawFrame?
    /// Things assumed, a sentence each.
    public var notes: [String]
    /// Number of the reference frame.
    public var reference: Int
    /// What became of every frame, in the order they were added.
    public var frames: [FrameReport]
    /// Green's noise of one frame, on a scale where full scale is 1.
    public var noise: NoiseModel
    /// Effective frames merged a pixel: mean, and the value that nine pixels in ten reach.
    public var effectiveFrames: (mean: Double, p10: Double)
    /// How much light was given, 0 to 1, where ``FusionOptions/brighten`` was asked for.
    public var brightenAmount: Double?
    /// Whether the photograph that was to be brightened is black all over, so that nothing could be done for it.
    public var holdsNoLight = false
    /// The reference frame, where ``FusionOptions/keepsReference`` asked for it; nil of raw frames.
    public var referencePicture: Picture?
    /// 256 = one effective frame.
    public var effectiveFrameMap: Plane<UInt16>?
    /// 255 = nothing agreed with the reference here.
    public var motionMap: Plane<UInt8>?
    /// How long it took.
    public var seconds: StageSeconds

    /// Width and height of what was asked for, upright: of the merged raw frame's crop, or of the picture.
    public var size: (width: Int, height: Int) {
        guard let mergedRaw else { return (picture.width, picture.height) }
        let crop = mergedRaw.crop
        return mergedRaw.info.orientation >= 5 ? (crop.height, crop.width) : (crop.width, crop.height)
    }

    /// A result of these parts.
    public init(
        picture: Picture, mergedRaw: RawFrame? = nil, notes: [String] = [], reference: Int, frames: [FrameReport],
        noise: NoiseModel,
        effectiveFrames: (mean: Double, p10: Double), effectiveFrameMap: Plane<UInt16>? = nil,
        motionMap: Plane<UInt8>? = nil, seconds: StageSeconds
    ) {
        self.picture = picture
        self.mergedRaw = mergedRaw
        self.notes = notes
        self.reference = reference
        self.frames = frames
        self.noise = noise
        self.effectiveFrames = effectiveFrames
        self.effectiveFrameMap = effectiveFrameMap
        self.motionMap = motionMap
        self.seconds = seconds
    }
}

/// A stage of a fusion, for progress.
public enum FusionStage: String, Sendable {
    case align, merge, denoise, finish
}
