/// A rendered frame (PNG, JPEG, a camera's RGB buffer): coded samples as they were stored, upright.
public final class Picture: Sendable {
    /// One plane (grey) or three (red, green, blue), all of one size; samples in 0 ... `maxCode`.
    public let samples: Samples
    /// The code of full scale: 255 for 8-bit pictures, 65535 for 16.
    public let maxCode: Int
    /// Significant bits of a sample as the file had them, 1 to 16.
    public let bits: Int
    /// The frame's name, for messages and reports.
    public let name: String
    /// How `code / maxCode` stands for linear light, and in which primaries.
    public let colour: ColourSpace
    /// How the frame was taken.
    public let info: CaptureInfo
    /// The EXIF block as found (TIFF header first, without "Exif\0\0"); empty where there is none.
    public let exif: [UInt8]
    /// The ICC profile as found, or one made from what the file says of its colours by other means (PNG's gAMA and cHRM,
    /// EXIF's Adobe RGB); empty where it says nothing or sRGB.
    public let icc: [UInt8]
    /// "PNG" or "JPEG" or what the buffer was.
    public let format: String
    /// Things skipped or assumed, a sentence each.
    public let notes: [String]

    private let widened = WidenedSamples()

    /// The samples in words. Where they are kept in bytes, copies are made at the first call and kept as long as the
    /// picture: for looking at single pixels. What goes over whole pictures takes ``samples``.
    public var planes: [Plane<UInt16>] {
        if case .words(let planes) = samples { return planes }
        return widened.of(samples)
    }

    /// A picture of one plane or three, all of one size.
    public convenience init(
        planes: [Plane<UInt16>], maxCode: Int, bits: Int, name: String, colour: ColourSpace = .sRGB,
        info: CaptureInfo = CaptureInfo(), exif: [UInt8] = [], icc: [UInt8] = [], format: String = "",
        notes: [String] = []
    ) {
        self.init(
            samples: .words(planes), maxCode: maxCode, bits: bits, name: name, colour: colour, info: info, exif: exif,
            icc: icc, format: format, notes: notes)
    }

    /// A picture of one plane or three, all of one size; in bytes only where `maxCode` is 255.
    public init(
        samples: Samples, maxCode: Int, bits: Int, name: String, colour: ColourSpace = .sRGB,
        info: CaptureInfo = CaptureInfo(), exif: [UInt8] = [], icc: [UInt8] = [], format: String = "",
        notes: [String] = []
    ) {
        precondition(samples.count == 1 || samples.count == 3)
        if case .bytes = samples { precondition(maxCode == 255, "bytes hold 8 bits") }
        self.samples = samples
        self.maxCode = maxCode
        self.bits = bits
        self.name = name
        self.colour = colour
        self.info = info
        self.exif = exif
        self.icc = icc
        self.format = format
        self.notes = notes
    }

    /// Width in pixels.
    public var width: Int { samples.width }
    /// Height in pixels.
    public var height: Int { samples.height }
    /// Whether there is one plane, not three.
    public var isGrey: Bool { samples.count == 1 }
}
