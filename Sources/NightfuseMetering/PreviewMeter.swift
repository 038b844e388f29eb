public import NightfuseCore

/// Watches the viewfinder: fed one preview frame at a time, it knows at any moment what the scene and the hand do.
///
/// One meter belongs to one thread at a time. Everything it needs is allocated at the first frame.
public final class PreviewMeter {
    /// Night mode goes on below this mean radiance (full scale at ISO 100 in one second) ...
    public static let nightOnLuminance = 1.0
    /// ... and off above this one.
    public static let nightOffLuminance = 1.4

    /// A meter for shots of the given size.
    ///
    /// - Parameters:
    ///   - frameWidth: width of the frames that will be shot, in pixels; nil: the preview's.
    ///   - frameHeight: their height; nil: the preview's.
    ///   - focalLength: of the lens, in widths of the frame; only used to turn a gyroscope's rates into pixels.
    ///     Default 0.72, a phone's main camera (26 mm of 36).
    public init(frameWidth: Int? = nil, frameHeight: Int? = nil, focalLength: Double = 0.72) {}

    /// Takes in one frame; its buffer is free again on return.
    ///
    /// - Parameters:
    ///   - base: the first sample of the top row.
    ///   - stride: bytes from one row to the next, at least a row's.
    /// - Throws: `NightfuseError.argument`, or `.file` where the frame has a name: a size that is not the frames' before
    ///   or below 16 x 16, a stride shorter than a row, exposure or ISO that is not above 0, a time stamp that is not
    ///   after the last one. The meter is then as it was before.
    public func add(
        _ base: UnsafeRawPointer, width: Int, height: Int, stride: Int, layout: PreviewLayout, tags: PreviewTags
    ) throws(NightfuseError) {}

    /// Takes in one decoded picture (grey or RGB, sRGB or a curve near it), as ``add(_:width:height:stride:layout:tags:)``.
    public func add(_ picture: Picture, tags: PreviewTags) throws(NightfuseError) {}

    /// Takes in angular rates; from then on (as long as samples keep coming) they stand for the camera's motion.
    public func add(_ sample: GyroscopeSample) throws(NightfuseError) {}

    /// What is known now; nil before the first frame.
    public func reading() -> SceneReading? { nil }

    /// Forgets all frames; sizes may then change.
    public func reset() {}
}
