internal import NightfuseCore

/// Most bytes that one byte of deflate data can stand for (258 bytes for 2 bits), with room for the rounding.
private let mostInflation = 1040

/// Pixels of a PNG, upright by `orientation`, its profile, and what was odd about it.
struct DecodedPNG {
    let samples: Samples
    let maxCode: Int
    let bits: Int
    let icc: [UInt8]
    let note: String?
}

/// Decodes every kind of PNG: 1 to 16 bits, grey, RGB, palette, interlaced; alpha and transparent colours are dropped.
///
/// Memory: the planes; twice that for an interlaced picture that is not stored upright.
///
/// - Throws: `.file` where any pixel is lost or corrupt, `.limit`.
func decodePNG(
    _ bytes: [UInt8], orientation: Int, name: String, limits: Limits
) throws(NightfuseError) -> DecodedPNG {
    try checkHeader(bytes, name: name, limits: limits)
    return try PNGReader.open(bytes, name: name, metadataLimit: limits.metadataBytes) {
        (reader) throws(NightfuseError) in
        let header = reader.header
        guard header.rawBytes / mostInflation <= bytes.count else {
            throw .file(
                name, "truncated PNG: \(bytes.count) bytes cannot hold \(header.width) x \(header.height) pixels")
        }
        let placement = Placement(orientation: orientation, width: header.width, height: header.height)
        let samples: Samples =
            header.maxCode > 255 ? .words(try planes(reader, placement)) : .bytes(try planes(reader, placement))
        let note = try reader.finish()
        return DecodedPNG(
            samples: samples, maxCode: header.maxCode, bits: header.bits, icc: header.icc,
            note: note.map { "behind the pixels: \($0)" })
    }
}

/// The pixels, upright.
private func planes<Sample: FixedWidthInteger & BitwiseCopyable & SIMDScalar & Sendable>(
    _ reader: borrowing PNGReader, _ placement: Placement
) throws(NightfuseError) -> [Plane<Sample>] {
    if reader.header.isInterlaced { return try readInterlaced(reader, placement) }
    return try readUpright(channels: reader.header.channels, placement: placement) {
        (rows) throws(NightfuseError) in try reader.read(rows)
    }
}

/// Judges the size in the first chunk before libpng sees it: a picture that is too large costs nothing.
private func checkHeader(
    _ bytes: [UInt8], name: String, limits: Limits
) throws(NightfuseError) {
    guard bytes.count >= 33, bytes[12..<16].elementsEqual("IHDR".utf8) else {
        throw .file(name, "truncated or broken PNG: no header at byte 8")
    }
    func u32(_ at: Int) -> Int { bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) } }
    let isColour = bytes[25] & 2 != 0
    // Bits are in byte 24.
    let size = bytes[24] > 8 ? 2 : 1
    try limits.check(width: u32(16), height: u32(20), bytesPerPixel: isColour ? 3 * size : size, name: name)
}

/// Seven passes over the whole picture; it is turned afterwards.
private func readInterlaced<Sample: FixedWidthInteger & BitwiseCopyable & SIMDScalar & Sendable>(
    _ reader: borrowing PNGReader, _ placement: Placement
) throws(NightfuseError) -> [Plane<Sample>] {
    let stored: [Plane<Sample>] = try makePlanes(
        reader.header.channels, width: placement.width, height: placement.height)
    try reader.readInterlaced(PlaneRows(stored, 0..<placement.height))
    if placement.isPlain { return stored }
    let upright: [Plane<Sample>] = try makePlanes(
        stored.count, width: placement.uprightWidth, height: placement.uprightHeight)
    for (from, to) in zip(stored, upright) { placement.place(from, rows: placement.height, top: 0, into: to) }
    return upright
}
