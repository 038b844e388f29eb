/// A rendered frame (PNG, JPEG, a camera's RGB buffer): coded samples as they were stored, upright.
public final class Picture: Sendable {
    /// One plane (grey) or three (red, green, blue), all of one size; samples in 0 ... `maxCode`.
    public let planes: [Plane<UInt16>]
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

    /// A picture of one plane or three, all of one size.
    public init(
        planes: [Plane<UInt16>], maxCode: Int, bits: Int, name: String, colour: ColourSpace = .sRGB,
        info: CaptureInfo = CaptureInfo(), exif: [UInt8] = [], icc: [UInt8] = [], format: String = "",
        notes: [String] = []
    ) {
        precondition(planes.count == 1 || planes.count == 3)
        self.planes = planes
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
    public var width: Int { planes[0].width }
    /// Height in pixels.
    public var height: Int { planes[0].height }
    /// Whether there is one plane, not three.
    public var isGrey: Bool { planes.count == 1 }
}
