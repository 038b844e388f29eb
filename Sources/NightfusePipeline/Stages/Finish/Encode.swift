package import NightfuseCore
internal import NightfuseKernels

/// Codes of a finished picture: `bits` 8 (0 to 255) or 16 (0 to 65535), through `colour`'s transfer curve.
///
/// - Parameter dither: whether 8-bit codes are dithered (see ``ditherIsDue(look:bits:sourceBits:frames:)``); 16-bit
///   codes never are.
/// - Returns: three planes. Cost: about 10 operations and 6 bytes a sample.
package func encode(
    _ image: LinearImage, colour: ColourSpace, bits: Int, dither: Bool, workers: Workers
) throws(NightfuseError) -> [Plane<UInt16>] {
    precondition(bits == 8 || bits == 16, "samples have 8 or 16 bits")
    let table = TransferTable(colour.transfer, maxCode: bits == 8 ? 255 : 65535)
    let planes: [Plane<UInt16>] = try codePlanes(image)
    try workers.bands(image.height, grain: 64) { (_, rows) throws(NightfuseError) in
        for y in rows {
            for c in 0..<3 {
                table.encode(
                    image.planes[c].row(y), into: planes[c].row(y), count: image.width, row: y,
                    dither: dither && bits == 8)
            }
        }
    }
    return planes
}

/// The same codes of 8 bits, in bytes.
package func encodeBytes(
    _ image: LinearImage, colour: ColourSpace, dither: Bool, workers: Workers
) throws(NightfuseError) -> [Plane<UInt8>] {
    let table = TransferTable(colour.transfer, maxCode: 255)
    let planes: [Plane<UInt8>] = try codePlanes(image)
    let width = image.width
    try workers.bands(image.height, grain: 64, scratch: { CodeRow(width) }) { (line, _, rows) throws(NightfuseError) in
        for y in rows {
            for c in 0..<3 {
                table.encode(image.planes[c].row(y), into: line.base, count: width, row: y, dither: dither)
                let out = planes[c].row(y)
                for x in 0..<width { out[x] = UInt8(truncatingIfNeeded: line.base[x]) }
            }
        }
    }
    return planes
}

private func codePlanes<Code>(_ image: LinearImage) throws(NightfuseError) -> [Plane<Code>] {
    var planes: [Plane<Code>] = []
    for _ in 0..<3 { planes.append(try Plane(width: image.width, height: image.height, isZero: false)) }
    return planes
}

/// A row of codes on their way into bytes.
private final class CodeRow {
    let base: UnsafeMutablePointer<UInt16>
    init(_ width: Int) { base = .allocate(capacity: width) }
    deinit { base.deallocate() }
}

/// Whether a result of `bits` should be dithered: always at 8 bits, but for one frame of 8 bits that gets no look,
/// whose codes come back as they were.
package func ditherIsDue(look: Look, bits: Int, sourceBits: Int, frames: Int) -> Bool {
    bits == 8 && (look != .none || sourceBits > 8 || frames > 1)
}
