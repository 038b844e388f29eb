internal import CCodecShims
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
    _ bytes: UnsafeBufferPointer<UInt8>, orientation: Int, name: String, limits: Limits
) throws(NightfuseError) -> DecodedPNG {
    try checkHeader(bytes, name: name, limits: limits)
    var header = nfk_png_header()
    var problem = nfk_problem()
    guard let reader = nfk_png_open(bytes.baseAddress, bytes.count, limits.metadataBytes, &header, &problem) else {
        throw problem.error(name)
    }
    defer { nfk_png_close(reader) }
    guard header.raw_bytes / Int64(mostInflation) <= Int64(bytes.count) else {
        throw .file(name, "truncated PNG: \(bytes.count) bytes cannot hold \(header.width) x \(header.height) pixels")
    }
    let icc = Array(UnsafeBufferPointer(start: header.icc, count: header.icc_count))
    let placement = Placement(orientation: orientation, width: Int(header.width), height: Int(header.height))
    func planes<Sample: FixedWidthInteger & BitwiseCopyable & SIMDScalar & Sendable>() throws(NightfuseError)
        -> [Plane<Sample>]
    {
        if header.interlaced != 0 { return try readInterlaced(reader, header, placement, name: name) }
        return try readUpright(channels: Int(header.channels), placement: placement) { rows, stride, count in
            rows.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: Int(header.channels)) {
                nfk_png_read(reader, $0, stride, Int32(count), &problem) == NFK_OK ? nil : problem.error(name)
            }
        }
    }
    let samples: Samples = header.max_code > 255 ? .words(try planes()) : .bytes(try planes())
    guard nfk_png_finish(reader, &problem) == NFK_OK else { throw problem.error(name) }
    let note = problem.message
    return DecodedPNG(
        samples: samples, maxCode: Int(header.max_code), bits: Int(header.bits), icc: icc,
        note: note.isEmpty ? nil : "behind the pixels: \(note)")
}

/// Judges the size in the first chunk before libpng sees it: a picture that is too large costs nothing.
private func checkHeader(
    _ bytes: UnsafeBufferPointer<UInt8>, name: String, limits: Limits
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
    _ reader: OpaquePointer, _ header: nfk_png_header, _ placement: Placement, name: String
) throws(NightfuseError) -> [Plane<Sample>] {
    let stored: [Plane<Sample>] = try makePlanes(Int(header.channels), width: placement.width, height: placement.height)
    var problem = nfk_problem()
    let rows = PlaneRows(stored)
    let status = rows.at(0) {
        $0.withMemoryRebound(to: UnsafeMutableRawPointer?.self, capacity: stored.count) {
            nfk_png_read_interlaced(reader, $0, rows.stride, &problem)
        }
    }
    guard status == NFK_OK else { throw problem.error(name) }
    if placement.isPlain { return stored }
    let upright: [Plane<Sample>] = try makePlanes(
        stored.count, width: placement.uprightWidth, height: placement.uprightHeight)
    for (from, to) in zip(stored, upright) { placement.place(from, rows: placement.height, top: 0, into: to) }
    return upright
}
