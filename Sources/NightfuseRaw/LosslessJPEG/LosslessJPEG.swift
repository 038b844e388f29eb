public import NightfuseCore

/// Lossless JPEG (ITU-T T.81, process 14: SOF3, Huffman), as DNG and medical files hold it.
public enum LosslessJPEG {
    /// What a stream's frame header says.
    public struct Frame: Equatable, Sendable {
        /// Bits a sample, 2 to 16.
        public var precision: Int
        /// Columns and rows of pixels.
        public var width: Int
        /// Rows.
        public var height: Int
        /// Samples a pixel, 1 to 4.
        public var components: Int

        /// A picture's shape.
        public init(precision: Int, width: Int, height: Int, components: Int) {
            (self.precision, self.width, self.height, self.components) = (precision, width, height, components)
        }

        /// Samples a row.
        public var rowSamples: Int { width * components }
        /// All samples of all components.
        public var samples: Int { rowSamples * height }
    }

    /// Reads the frame header only.
    ///
    /// - Throws: as ``decode(_:name:limits:)``.
    public static func frame(_ bytes: UnsafeRawBufferPointer, name: String) throws(NightfuseError) -> Frame {
        // The caller keeps the bytes for the time of the call.
        try frame(unsafe FileBytes(bytes), name: name)
    }

    static func frame(_ bytes: FileBytes, name: String) throws(NightfuseError) -> Frame {
        var parser = LosslessJPEGParser(bytes, name: name)
        _ = try parser.nextScan()
        return try parser.checkedFrame()
    }

    /// Decodes a stream to its samples: a plane as wide as a row has samples, components of a pixel side by side.
    ///
    /// All predictors, 1 to 4 components interleaved or not, restart markers, point transform, 2 to 16 bits. Cost: about
    /// 5 ns a sample, and memory for the samples and the compressed bytes.
    ///
    /// - Throws: `.file` where the stream is broken or ends early; `.unsupported` for lossy, arithmetic-coded and
    ///   subsampled JPEG; `.limit` where the size is not allowed.
    public static func decode(
        _ bytes: UnsafeRawBufferPointer, name: String, limits: Limits = Limits()
    ) throws(NightfuseError) -> (frame: Frame, samples: Plane<UInt16>) {
        // The caller keeps the bytes for the time of the call, and samples have memory of their own.
        let bytes = unsafe FileBytes(bytes)
        let frame = try frame(bytes, name: name)
        try limits.check(
            width: frame.width, height: frame.height, bytesPerPixel: frame.components * 2, name: name)
        let samples = try Plane<UInt16>(width: frame.rowSamples, height: frame.height)
        try decode(bytes, into: samples.base, rowStride: samples.stride, name: name)
        return (frame, samples)
    }

    /// Decodes into memory of the caller: `frame.height` rows, `rowStride` samples apart, `frame.rowSamples` written in
    /// each.
    ///
    /// - Parameter sixteenHasExtraBits: whether the difference 32768 is followed by 16 bits, as before DNG 1.1.
    static func decode(
        _ bytes: FileBytes, into base: MutableRow<UInt16>, rowStride: Int, name: String,
        sixteenHasExtraBits: Bool = false
    ) throws(NightfuseError) {
        var parser = LosslessJPEGParser(bytes, name: name, extraOf16: sixteenHasExtraBits ? 16 : 0)
        var missing = 1
        repeat {
            guard let scan = try parser.nextScan() else {
                throw .file(name, "lossless JPEG: the data of a component is missing")
            }
            let frame = try parser.checkedFrame()
            if missing == 1 { missing = (1 << (frame.components + 1)) - 1 }
            let decoder = LosslessScanDecoder(
                frame: frame, scan: scan, base: base, rowStride: rowStride, name: name)
            parser.position = try decoder.decode(bytes)
            for component in scan.components { missing &= ~(2 << component) }
        } while missing != 1
    }
}
