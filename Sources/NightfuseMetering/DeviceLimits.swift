public import NightfuseCore

/// How the noise of a camera's full-size frames grows with signal and ISO.
public struct SensorNoise: Equatable, Sendable {
    /// Variance per unit of signal and ISO, on a scale where full scale is 1; above 0. Default 2.2e-6.
    public var shotPerISO = 2.2e-6
    /// Read noise before the amplifier, in electrons; at least 0. Default 1.6.
    public var readElectrons = 1.6
    /// Noise after the amplifier, whatever the ISO, as a fraction of full scale; at least 0. Default 0.0013.
    public var readFloor = 0.0013

    /// The defaults: a phone's main camera.
    public init() {}

    /// Noise of one frame at `iso`: variance = k iso x + (readElectrons k iso)^2 + readFloor^2.
    public func model(iso: Double) -> NoiseModel {
        let shot = shotPerISO * iso
        let read = readElectrons * shot
        return NoiseModel(shot: shot, read: (read * read + readFloor * readFloor).squareRoot())
    }
}

/// What a camera can be asked to do, as `device.json` has it. The defaults are those of a phone's main camera.
public struct DeviceLimits: Equatable, Sendable {
    /// Shortest and longest exposure of one frame, in seconds. `exposure_s`.
    public var minExposureSeconds = 0.000125
    /// Longest exposure of one frame, in seconds. `exposure_s`.
    public var maxExposureSeconds = 1.0
    /// Longest exposure of one frame when the camera is held in the hand. `handheld_exposure_s`.
    public var handheldExposureSeconds = 0.333
    /// Lowest and highest ISO. `iso`.
    public var minISO = 50.0
    /// Highest ISO. `iso`.
    public var maxISO = 6400.0
    /// Most frames of one burst. `max_frames`.
    public var maxFrames = 15
    /// Time from the end of one frame to the start of the next, in seconds. `frame_gap_s`.
    public var frameGapSeconds = 0.005
    /// Size of the frames that will be shot; nil: the preview's. `frame_width`, `frame_height`.
    public var frameWidth: Int?
    /// Height of the frames that will be shot; nil: the preview's. `frame_height`.
    public var frameHeight: Int?
    /// `noise`.
    public var noise = SensorNoise()

    /// The defaults: a phone's main camera.
    public init() {}

    /// These limits, if they make sense together.
    ///
    /// - Throws: `NightfuseError.argument` with the key as `device.json` spells it, its value and what it must be.
    public func validated() throws(NightfuseError) -> DeviceLimits {
        try Self.check(minExposureSeconds, maxExposureSeconds, key: "exposure_s", unit: " s")
        try Self.check(minISO, maxISO, key: "iso", unit: "")
        guard handheldExposureSeconds >= minExposureSeconds, handheldExposureSeconds <= Self.most else {
            throw .argument(
                "handheld_exposure_s is \(handheldExposureSeconds); it must be at least the shortest exposure, "
                    + "\(minExposureSeconds) s, and at most \(Self.most) s")
        }
        guard 1...1000 ~= maxFrames else { throw .argument("max_frames is \(maxFrames); it must be 1 to 1000") }
        guard frameGapSeconds.isFinite, 0...10 ~= frameGapSeconds else {
            throw .argument("frame_gap_s is \(frameGapSeconds); it must be 0 to 10 s")
        }
        for (key, size) in [("frame_width", frameWidth), ("frame_height", frameHeight)] {
            guard let size else { continue }
            guard 16...(1 << 20) ~= size else { throw .argument("\(key) is \(size); it must be 16 to 1048576 pixels") }
        }
        guard noise.shotPerISO.isFinite, noise.shotPerISO > 0 else {
            throw .argument("noise.shot_per_iso is \(noise.shotPerISO); it must be above 0")
        }
        // A signal of 1 with more noise than signal, at ISO 1, is no picture.
        guard noise.shotPerISO >= Self.least * Self.least, noise.shotPerISO <= 1 else {
            throw .argument(
                "noise.shot_per_iso is \(noise.shotPerISO); it must be from \(Self.least * Self.least) to 1")
        }
        for (key, value) in [("read_electrons", noise.readElectrons), ("read_floor", noise.readFloor)] {
            guard value.isFinite, value >= 0 else { throw .argument("noise.\(key) is \(value); it must be at least 0") }
            guard value <= Self.most else {
                throw .argument("noise.\(key) is \(value); it must be at most \(Self.most)")
            }
        }
        return self
    }

    /// What exposure times, ISO values and noise may be: far beyond any camera's, and such that their squares and products
    /// stay numbers.
    private static let least = 1e-9
    private static let most = 1e9

    private static func check(
        _ low: Double, _ high: Double, key: String, unit: String
    ) throws(NightfuseError) {
        guard low.isFinite, high.isFinite, low > 0 else {
            throw .argument("\(key) is [\(low), \(high)]; both must be above 0\(unit)")
        }
        guard low <= high else {
            throw .argument("\(key) is [\(low), \(high)]; the first must not be above the second")
        }
        guard low >= Self.least, high <= Self.most else {
            throw .argument("\(key) is [\(low), \(high)]; it must be from \(Self.least) to \(Self.most)\(unit)")
        }
    }
}
