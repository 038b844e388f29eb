#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif
public import NightfuseCore

/// Whether the camera stands on something firm.
public enum SteadyChoice: String, CaseIterable, Sendable {
    /// As metered.
    case auto
    case yes
    case no
}

/// Decides what to shoot: a pure function of the scene, the device and the time allowed.
///
/// The frames are those with the smallest error predicted for the fused picture: base frames whose exposure balances noise
/// against blur, and, where something moves or the camera shakes less than the shade is deep, long frames for what stands
/// still. The first frames are base frames, one of which becomes the reference.
public struct CapturePlanner: Sendable {
    /// What the camera can be asked to do.
    public let device: DeviceLimits

    /// Longest shot from the hand, and what is taken for the time allowed where nothing is said.
    private static let longestHandheld = 6.0
    private static let usualHandheld = 3.0
    private static let usualSteady = 10.0

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
        if let maxSeconds {
            guard maxSeconds > 0, maxSeconds.isFinite else {
                throw .argument("the time allowed is \(maxSeconds) s; it must be above 0")
            }
            guard maxSeconds >= device.minExposureSeconds else {
                throw .argument(
                    "the time allowed is \(maxSeconds) s; the shortest exposure takes \(device.minExposureSeconds) s")
            }
        }
        let isSteady = steady == .yes || (steady == .auto && scene.steady)
        let allowed =
            isSteady
            ? maxSeconds ?? Self.usualSteady : min(maxSeconds ?? Self.usualHandheld, Self.longestHandheld)
        let drafted = PlanDraft(
            scene: scene, device: device, isSteady: isSteady, allowed: allowed, asked: maxSeconds, choice: steady)
        return drafted.plan()
    }
}
