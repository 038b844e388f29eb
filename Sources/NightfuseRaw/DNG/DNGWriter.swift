public import NightfuseCore

/// Writes a raw frame as DNG: 16-bit samples of the active area, with the tags that the frame carries.
///
/// With a preview the file is built as Adobe's are: the preview in the first directory, with all that describes the whole
/// file, and the raw samples in a sub-directory. Without one the raw samples are in the first directory.
///
/// Colour, crop, opcodes and capture data come from the frame's carried tags, and from its own fields where it carries
/// none. Levels, mosaic, noise, orientation and bad pixels always come from its fields.
public struct DNGWriter: Sendable {
    /// How samples are compressed.
    public enum Compression: Sendable {
        /// Strips of 16-bit samples: fastest.
        case none
        /// Lossless JPEG tiles: for noisy 16-bit data about four fifths of the size.
        case lossless
    }

    /// A JPEG picture for viewers, turned as the samples are (not yet as `orientation` says).
    public struct Preview: Sendable {
        /// A baseline or progressive JPEG of one or three components.
        public var jpeg: [UInt8]
        /// A preview of a JPEG file's bytes.
        public init(jpeg: [UInt8]) { self.jpeg = jpeg }
    }

    /// The frames that the picture was made of (EXIF 2.32: CompositeImage and the two tags after it).
    public struct Composite: Sendable {
        /// Frames that were there.
        public var sourceCount: Int
        /// Frames that were merged.
        public var usedCount: Int
        /// The value of SourceExposureTimesOfCompositeImage, in the byte order of the frame's carried tags; may be empty.
        public var exposureTimes: [UInt8]

        /// What the merged frame is made of.
        public init(sourceCount: Int, usedCount: Int, exposureTimes: [UInt8] = []) {
            (self.sourceCount, self.usedCount, self.exposureTimes) = (sourceCount, usedCount, exposureTimes)
        }
    }

    /// How samples are compressed. Default `lossless`.
    public var compression: Compression = .lossless
    /// A preview to be held, or none.
    public var preview: Preview?
    /// What the merged frame is made of, where it is one.
    public var composite: Composite?
    /// What the Software tag says.
    public var software = "Nightfuse"

    /// The defaults.
    public init() {}

    /// Writes the file from front to back in pieces.
    ///
    /// Cost: a copy of the samples; lossless about 6 ns a sample and core. Memory: 128 KiB, and lossless tiles all at once.
    ///
    /// - Throws: `.argument` where the preview is no JPEG, or the file would pass 4 GiB; `.limit` where there is no memory;
    ///   whatever `sink` throws.
    public func write(
        _ frame: RawFrame, workers: Workers = Workers(threads: 1),
        to sink: (UnsafeRawBufferPointer) throws(NightfuseError) -> Void
    ) throws(NightfuseError) {
        let samples = try DNGSamples(frame, compression: compression, workers: workers)
        let previewPicture = try preview.map { (preview) throws(NightfuseError) in
            try DNGPreview(preview.jpeg, name: frame.name)
        }
        let head = try DNGHead(self, frame, samples: samples, preview: previewPicture)
        // What the sink is given, it has for the time of the call only; `put` and `samples` see to it that it lasts so long.
        try unsafe Self.put(head.bytes, sink)
        if let preview {
            try unsafe Self.put(preview.jpeg + [UInt8](repeating: 0, count: preview.jpeg.count & 1), sink)
        }
        try unsafe samples.write(to: sink)
    }

    /// The whole file in memory.
    ///
    /// - Throws: as ``write(_:workers:to:)``.
    public func bytes(_ frame: RawFrame, workers: Workers = Workers(threads: 1)) throws(NightfuseError) -> [UInt8] {
        var bytes: [UInt8] = []
        // A piece is copied before this returns.
        try unsafe write(frame, workers: workers) { (piece) throws(NightfuseError) in unsafe bytes += piece }
        return bytes
    }

    private static func put(
        _ bytes: [UInt8], _ sink: (UnsafeRawBufferPointer) throws(NightfuseError) -> Void
    ) throws(NightfuseError) {
        var failure: NightfuseError?
        // The array keeps its bytes where they are until the closure returns.
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(NightfuseError) { try unsafe sink(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
