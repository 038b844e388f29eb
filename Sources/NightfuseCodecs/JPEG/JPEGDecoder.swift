internal import CCodecShims
internal import NightfuseCore

/// Most scans of a file. A progressive file of the usual script has 10, the finest scripts of optimisers under 70; a
/// scan of ten bytes can cost a pass over the whole picture.
private let mostScans = 100

/// Pixels of a JPEG, upright by `orientation`, and what was odd about them.
struct DecodedJPEG {
    let planes: [Plane<UInt8>]
    let isCMYK: Bool
    let note: String?
}

/// Decodes baseline, extended, progressive and (where libjpeg can) arithmetic-coded JPEG of 8 bits.
///
/// Memory: the planes; all coefficients as well (2 bytes a sample) where the file has several scans.
///
/// - Throws: `.file` where any pixel is lost or corrupt, `.unsupported` for other kinds of JPEG, `.limit`.
func decodeJPEG(
    _ bytes: [UInt8], orientation: Int, name: String, limits: Limits
) throws(NightfuseError) -> DecodedJPEG {
    try JPEGReader.open(bytes, name: name, mostScans: mostScans) { (reader) throws(NightfuseError) in
        let header = reader.header
        try check(header, byteCount: bytes.count, name: name, limits: limits)
        let placement = Placement(orientation: orientation, width: Int(header.width), height: Int(header.height))
        let planes: [Plane<UInt8>] = try readUpright(channels: Int(header.channels), placement: placement) {
            (rows) throws(NightfuseError) in try reader.read(rows)
        }
        return DecodedJPEG(planes: planes, isCMYK: header.components == 4, note: try reader.finish())
    }
}

private func check(
    _ header: nfk_jpeg_header, byteCount: Int, name: String, limits: Limits
) throws(NightfuseError) {
    let (width, height) = (Int(header.width), Int(header.height))
    try limits.check(width: width, height: height, bytesPerPixel: Int(header.channels), name: name)
    // Every block has at least one Huffman code of at least one bit; a smaller file is refused before its planes are made.
    guard header.arithmetic != 0 || header.blocks / 8 <= byteCount else {
        throw .file(name, "truncated JPEG: \(byteCount) bytes cannot hold \(width) x \(height) pixels")
    }
    let needed = Int(header.held_bytes) + limits.planeBytes(width * height * Int(header.channels))
    guard needed <= limits.memoryBytes else {
        throw .limit(
            "\(name): a JPEG of several scans and \(width) x \(height) pixels needs \(needed >> 20) MiB, and "
                + "\(limits.memoryBytes >> 20) MiB are allowed; --max-memory \((needed >> 20) + 1)M would do")
    }
}
