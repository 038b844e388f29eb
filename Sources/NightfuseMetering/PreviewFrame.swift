/// How the samples of a preview lie in memory; 8 bits each, coded with sRGB's curve or one near it.
public enum PreviewLayout: Equatable, Sendable {
    /// One sample a pixel (the Y plane of a YCbCr buffer, full range).
    case luma
    /// Three samples a pixel, red first.
    case rgb
    /// Four samples a pixel, red first, the fourth ignored.
    case rgba
    /// Four samples a pixel, blue first, the fourth ignored.
    case bgra

    /// Bytes from one pixel to the next.
    public var bytesPerPixel: Int {
        switch self {
        case .luma: 1
        case .rgb: 3
        case .rgba, .bgra: 4
        }
    }
}

/// When and how a preview frame was taken.
public struct PreviewTags: Equatable, Sendable {
    /// Exposure time in seconds, above 0.
    public var exposureSeconds: Double
    /// ISO speed, above 0.
    public var iso: Double
    /// When the exposure of the first row began, in seconds of any clock that runs evenly.
    public var timeSeconds: Double
    /// What messages call the frame (its file, as a rule); empty where it has no name.
    public var name: String

    /// Tags of a preview frame.
    public init(exposureSeconds: Double, iso: Double, timeSeconds: Double, name: String = "") {
        self.exposureSeconds = exposureSeconds
        self.iso = iso
        self.timeSeconds = timeSeconds
        self.name = name
    }
}

/// Angular rates of the camera, from a gyroscope.
public struct GyroscopeSample: Equatable, Sendable {
    /// On the clock of ``PreviewTags/timeSeconds``.
    public var timeSeconds: Double
    /// Radians per second about the camera's x axis (to the right, tilt), y axis (down, pan) and z axis (view, roll).
    public var x: Double
    /// Radians per second about the y axis (down: pan).
    public var y: Double
    /// Radians per second about the z axis (the view: roll).
    public var z: Double

    /// A sample of these rates.
    public init(timeSeconds: Double, x: Double, y: Double, z: Double) {
        self.timeSeconds = timeSeconds
        self.x = x
        self.y = y
        self.z = z
    }
}
