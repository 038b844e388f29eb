/// What a frame says about how it was taken. Nil is unknown; never a guess.
public struct CaptureInfo: Equatable, Sendable {
    /// Exposure time in seconds, above 0.
    public var exposureSeconds: Double?
    /// ISO speed, above 0.
    public var iso: Double?
    /// When the exposure began: seconds since 1970-01-01 of the camera's own clock, with its sub-seconds.
    public var timeSeconds: Double?
    /// The same as the file has it, "YYYY:MM:DD HH:MM:SS[.fff]".
    public var date: String?
    /// EXIF orientation, 1 to 8; 1 once it has been applied to the pixels.
    public var orientation: Int = 1
    /// The camera's maker.
    public var make: String?
    /// The camera's model.
    public var model: String?
    /// The lens, as the file names it.
    public var lens: String?

    /// Nothing is known.
    public init() {}

    /// Exposure time x ISO, the amount of signal for a given light; nil unless both are known.
    public var exposureProduct: Double? {
        guard let exposureSeconds, let iso else { return nil }
        return exposureSeconds * iso
    }
}
