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

/// Watches the viewfinder: fed one preview frame at a time, it knows at any moment what the scene and the hand do.
///
/// One meter belongs to one thread at a time. Everything it needs is allocated at the first frame.
public final class PreviewMeter {
    /// Night mode goes on below this mean radiance (full scale at ISO 100 in one second) ...
    public static let nightOnLuminance = 1.6
    /// ... and off above this one.
    public static let nightOffLuminance = 2.2

    private let frameWidth: Int?
    private let frameHeight: Int?
    private let focalLength: Double
    private var state: MeterState?

    /// A meter for shots of the given size.
    ///
    /// - Parameters:
    ///   - frameWidth: width of the frames that will be shot, in pixels; nil: the preview's.
    ///   - frameHeight: their height; nil: the preview's.
    ///   - focalLength: of the lens, in widths of the frame; only used to turn a gyroscope's rates into pixels.
    ///     Default 0.72, a phone's main camera (26 mm of 36).
    public init(frameWidth: Int? = nil, frameHeight: Int? = nil, focalLength: Double = 0.72) {
        self.frameWidth = frameWidth
        self.frameHeight = frameHeight
        self.focalLength = focalLength
    }

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
    ) throws(NightfuseError) {
        let buffer = PreviewBuffer(base: base, width: width, height: height, stride: stride, layout: layout)
        try check(buffer, tags)
        if state == nil { state = try MeterState(width: width, height: height) }
        state?.add(buffer, tags)
    }

    private func check(_ buffer: PreviewBuffer, _ tags: PreviewTags) throws(NightfuseError) {
        func fail(_ reason: String) throws(NightfuseError) {
            if tags.name.isEmpty { throw .argument("preview: \(reason)") }
            throw .file(tags.name, reason)
        }
        let (width, height) = (buffer.width, buffer.height)
        guard width >= 16, height >= 16, width <= 1 << 16, height <= 1 << 16 else {
            return try fail("a preview must be 16 to 65536 pixels wide and high, this one is \(width) x \(height)")
        }
        guard buffer.stride >= width * buffer.layout.bytesPerPixel else {
            return try fail(
                "stride is \(buffer.stride) bytes; a row of \(width) pixels takes "
                    + "\(width * buffer.layout.bytesPerPixel)")
        }
        guard tags.exposureSeconds > 0, tags.exposureSeconds.isFinite else {
            return try fail("exposure time is \(tags.exposureSeconds) s; it must be above 0")
        }
        guard tags.iso > 0, tags.iso.isFinite else { return try fail("ISO is \(tags.iso); it must be above 0") }
        guard tags.timeSeconds.isFinite else { return try fail("time stamp is \(tags.timeSeconds)") }
        guard let state else { return }
        guard width == state.width, height == state.height else {
            return try fail(
                "preview is \(width) x \(height), those before were \(state.width) x \(state.height); all must have one size")
        }
        guard tags.timeSeconds > state.time else {
            return try fail(
                "time stamp \(tags.timeSeconds) s is not after that of the preview before it, \(state.time) s")
        }
    }

    /// Takes in one decoded picture (grey or RGB, sRGB or a curve near it), as ``add(_:width:height:stride:layout:tags:)``.
    public func add(_ picture: Picture, tags: PreviewTags) throws(NightfuseError) {}

    /// Takes in angular rates; from then on (as long as samples keep coming) they stand for the camera's motion.
    public func add(_ sample: GyroscopeSample) throws(NightfuseError) {}

    /// What is known now; nil before the first frame.
    public func reading() -> SceneReading? {
        guard let state else { return nil }
        var reading = SceneReading()
        reading.frameCount = state.trajectory.count
        reading.frameWidth = frameWidth ?? state.width
        reading.frameHeight = frameHeight ?? state.height
        let scale = Double(reading.frameWidth) / Double(state.width) * Double(state.intake.factor)
        if let speed = state.trajectory.translation() {
            reading.cameraMotion = speed.meanSquare.squareRoot() * scale
            reading.cameraMotionSpread = speed.spread * scale
        }
        let found = SubjectFinder(field: state.field, ring: state.ring, noise: state.noise, drift: state.trajectory.drift, camera: state.trajectory.translation()?.meanSquare.squareRoot() ?? 0).subjects
        if state.ring.count >= 2 {
            var square = 0.0
            var area = 0.0
            for subject in found {
                square += subject.area * subject.speed * subject.speed
                area += subject.area
            }
            reading.subjectMotion = area > 0 ? (square / area).squareRoot() * scale : 0
            reading.subjectFraction = area
        }
        if let light = state.radiance.settled() {
            reading.meanLuminance = light.mean
            reading.radiance = light.histogram
            reading.shadowDepthEV = log2(light.midtone / light.shadow)
            reading.dynamicRangeEV = log2(max(light.brightest, light.shadow) / light.shadow)
            reading.clippedFraction = Double(state.radiance.clippedFraction)
            reading.highlightHeadroomEV = state.radiance.headroomEV
        }
        reading.flickerHz = state.flicker.frequency()
        return reading
    }

    var debug: MeterState? { state }

    /// Forgets all frames; sizes may then change.
    public func reset() { state = nil }
}
