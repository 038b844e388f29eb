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
    private(set) var state: MeterState?
    private var gyroscope = Gyroscope()
    /// Decoded pictures, 8 bits a sample.
    private var packed: Plane<UInt8>?
    /// Codes of full range for those of video range: 16 to 235 become 0 to 255.
    private lazy var fullRange: [UInt8] = (0...255).map { (code: Int) -> UInt8 in
        UInt8(min(max(((code - 16) * 255 + 109) / 219, 0), 255))
    }

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
        // What the caller lends: whether the sizes are any is asked before anything is read.
        let count = (height &- 1) &* stride &+ width &* layout.bytesPerPixel
        let bytes = unsafe Row(base.assumingMemoryBound(to: UInt8.self), count: count)
        let buffer = PreviewBuffer(base: bytes, width: width, height: height, stride: stride, layout: layout)
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
                "preview is \(width) x \(height), those before were \(state.width) x \(state.height); all must have one size"
            )
        }
        guard tags.timeSeconds > state.time else {
            return try fail(
                "time stamp \(tags.timeSeconds) s is not after that of the preview before it, \(state.time) s")
        }
    }

    /// Takes in one decoded picture (grey or RGB, sRGB or a curve near it), as ``add(_:width:height:stride:layout:tags:)``.
    public func add(_ picture: Picture, tags: PreviewTags) throws(NightfuseError) {
        let (width, height) = (picture.width, picture.height)
        let colours = picture.samples.count
        if packed == nil || packed?.width != width * colours || packed?.height != height {
            packed = try Plane<UInt8>(width: width * colours, height: height)
        }
        guard let packed else { return }
        let planes = try picture.samples.words()
        for y in 0..<height {
            let out = packed.mutableRow(y)
            for (c, plane) in planes.enumerated() {
                let row = plane.row(y)
                if picture.maxCode == 255 {
                    for x in 0..<width { out[x * colours + c] = UInt8(truncatingIfNeeded: row[x]) }
                } else {
                    let scale = UInt32((255 << 16) / picture.maxCode)
                    for x in 0..<width {
                        out[x * colours + c] = UInt8(truncatingIfNeeded: min((UInt32(row[x]) &* scale) >> 16, 255))
                    }
                }
            }
        }
        // The plane is kept by this object.
        try unsafe add(
            UnsafeRawPointer(packed.base.pointer(packed.stride * height)), width: width, height: height,
            stride: packed.stride,
            layout: colours == 1 ? .luma : .rgb, tags: tags)
    }

    /// Takes in luma of video range (16 to 235), as ``add(_:width:height:stride:layout:tags:)``.
    package func add(
        videoLuma base: UnsafeRawPointer, width: Int, height: Int, stride: Int, tags: PreviewTags
    ) throws(NightfuseError) {
        if packed == nil || packed?.width != width || packed?.height != height {
            packed = try Plane<UInt8>(width: width, height: height)
        }
        guard let packed else { return }
        for y in 0..<height {
            // A row of the caller's, who lends `height` of them.
            let from = unsafe Row((base + y * stride).assumingMemoryBound(to: UInt8.self), count: width)
            let to = packed.mutableRow(y)
            for x in 0..<width { to[x] = fullRange[Int(from[x])] }
        }
        // The plane is kept by this object.
        try unsafe add(
            UnsafeRawPointer(packed.base.pointer(packed.stride * height)), width: width, height: height,
            stride: packed.stride, layout: .luma,
            tags: tags)
    }

    /// Takes in angular rates; as long as they keep coming (and are no more than a quarter of a second behind the frames)
    /// they stand for the camera's motion.
    ///
    /// - Throws: `NightfuseError.argument` where a value is not a number, or the time stamp goes back.
    public func add(_ sample: GyroscopeSample) throws(NightfuseError) {
        guard [sample.timeSeconds, sample.x, sample.y, sample.z].allSatisfy(\.isFinite) else {
            throw .argument("gyroscope: time and rates must be numbers")
        }
        if let last = gyroscope.last, sample.timeSeconds < last.timeSeconds {
            throw .argument(
                "gyroscope: time stamp \(sample.timeSeconds) s is before that of the last sample, \(last.timeSeconds) s"
            )
        }
        gyroscope.add(sample)
    }

    /// What is known now; nil before the first frame. Takes about a millisecond, and allocates: ask before a shot or a few
    /// times a second, not at every frame.
    public func reading() -> SceneReading? {
        guard let state else { return nil }
        return MeterReading(
            state: state, gyroscope: gyroscope, frameWidth: frameWidth ?? state.width,
            frameHeight: frameHeight ?? state.height, focalLength: focalLength
        ).reading()
    }

    /// Forgets all frames; sizes may then change.
    public func reset() {
        state = nil
        gyroscope.removeAll()
    }
}
