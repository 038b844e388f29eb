/// What a frame is for.
public enum FrameRole: String, CaseIterable, Sendable {
    /// The picture's own exposure; one of the first three of these becomes the reference.
    case base
    /// Shorter: guards what moves and what clips.
    case short
    /// Longer: lifts the shadows.
    case long
}

/// One frame to shoot.
public struct PlannedFrame: Equatable, Sendable {
    /// Exposure time in seconds.
    public var exposureSeconds: Double
    /// ISO speed.
    public var iso: Double
    /// What the frame is for.
    public var role: FrameRole

    /// A frame of this exposure.
    public init(exposureSeconds: Double, iso: Double, role: FrameRole) {
        self.exposureSeconds = exposureSeconds
        self.iso = iso
        self.role = role
    }
}

/// What the fused picture will be like.
public struct ExpectedResult: Equatable, Sendable {
    /// Signal to noise of the shadows that matter after the merge, before any denoise: 20 log10(signal / noise).
    public var shadowSNRdB = 0.0
    /// Length of the blur of the base frames, in pixels of the full frame: camera and subject (where there is one).
    public var blurPx = 0.0

    /// An expectation; see the properties.
    public init(shadowSNRdB: Double = 0, blurPx: Double = 0) {
        self.shadowSNRdB = shadowSNRdB
        self.blurPx = blurPx
    }
}

/// What to shoot, in this order, and why.
public struct CapturePlan: Equatable, Sendable {
    /// Whether a night shot is worth it. The frames are what to shoot all the same.
    public var nightMode: Bool
    /// At least one frame.
    public var frames: [PlannedFrame]
    /// From the first frame's start to the last one's end, gaps included, in seconds.
    public var fusionTimeSeconds: Double
    /// The scene that the plan is for.
    public var scene: SceneReading
    /// What the fused picture will be like.
    public var expected: ExpectedResult
    /// What drove the plan, in words and numbers, a clause each.
    public var because: [String]

    /// A plan of these parts; at least one frame.
    public init(
        nightMode: Bool, frames: [PlannedFrame], fusionTimeSeconds: Double, scene: SceneReading,
        expected: ExpectedResult, because: [String]
    ) {
        self.nightMode = nightMode
        self.frames = frames
        self.fusionTimeSeconds = fusionTimeSeconds
        self.scene = scene
        self.expected = expected
        self.because = because
    }

    /// Exposure time x ISO of the base frames, which the fusion takes as its own.
    public var baseExposureProduct: Double {
        let base = frames.first { $0.role == .base } ?? frames[0]
        return base.exposureSeconds * base.iso
    }

    /// The plan in brackets of at most `size` frames (at least 1), for cameras that take so many in one go: ranges of
    /// ``frames``, in order. The cuts fall so that each bracket has about as many frames as the next; every bracket is
    /// shot at once after the one before, and all of them go into one fusion.
    public func brackets(of size: Int) -> [Range<Int>] {
        let size = max(size, 1)
        let count = (frames.count + size - 1) / size
        return (0..<count).map { frames.count * $0 / count..<frames.count * ($0 + 1) / count }
    }
}
