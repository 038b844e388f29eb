internal import CCodecShims
public import NightfuseCore

/// What a PNG or JPEG says of itself, without its pixels: nothing that grows with the picture is allocated.
public struct PictureHeader: Sendable {
    /// Upright size.
    public let width: Int
    /// Height in pixels, upright.
    public let height: Int
    /// Whether there is one plane, not three.
    public let isGrey: Bool
    /// Bits of a sample in the file.
    public let bits: Int
    /// What the numbers mean.
    public let colour: ColourSpace
    /// What the file says of how it was taken.
    public let info: CaptureInfo

    /// - Throws: `.file` where the start is broken; `.unsupported` for what is neither PNG nor JPEG.
    public init(_ bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) {
        let found: Found
        switch PictureFormat.sniff(bytes) {
        case .png: found = try Found(png: bytes, name: name, limits: limits)
        case .jpeg: found = try Found(jpeg: bytes, name: name, limits: limits)
        default: throw .unsupported(name, "is neither PNG nor JPEG")
        }
        var info = found.info
        let placement = Placement(orientation: info.orientation, width: found.width, height: found.height)
        info.orientation = 1
        (width, height) = (placement.uprightWidth, placement.uprightHeight)
        (isGrey, bits) = (found.isGrey, found.bits)
        (colour, self.info) = (found.colour, info)
    }
}

/// As stored, not turned.
private struct Found {
    var width: Int
    var height: Int
    var isGrey: Bool
    var bits: Int
    var colour: ColourSpace
    var info: CaptureInfo

    init(png bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) {
        let chunks = PNGChunks(bytes, metadataLimit: limits.metadataBytes)
        let exif = EXIFBlock(chunks.exif)
        let header = try PNGReader.open(bytes, name: name, metadataLimit: limits.metadataBytes) { $0.header }
        (width, height, info) = (header.width, header.height, exif?.captureInfo ?? CaptureInfo())
        (isGrey, bits) = (header.channels == 1, header.bits)
        colour = try chunks.colour(icc: header.icc, channels: header.channels, exif: exif, name: name).space
    }

    init(jpeg bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) {
        let segments = JPEGSegments(bytes, metadataLimit: limits.metadataBytes)
        let exif = EXIFBlock(segments.exif)
        let header = try JPEGReader.open(bytes, name: name, mostScans: 1) { $0.header }
        (width, height, info) = (Int(header.width), Int(header.height), exif?.captureInfo ?? CaptureInfo())
        (isGrey, bits) = (header.channels == 1, 8)
        colour = segments.colour(channels: Int(header.channels), exif: exif).space
    }
}
