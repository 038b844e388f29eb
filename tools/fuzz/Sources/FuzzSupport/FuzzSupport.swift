public import NightfuseCodecs
public import NightfuseCore

/// Limits that keep a single input fast: a megapixel, 64 MiB.
public let fuzzLimits: Limits = {
    var limits = Limits()
    limits.pixels = 1 << 20
    limits.memoryBytes = 64 << 20
    limits.metadataBytes = 1 << 20
    return limits
}()

/// Decodes; a picture or nil for an error, which must be one line. Anything else ends the process.
@discardableResult
public func decodeAnything(_ bytes: [UInt8]) -> Picture? {
    do throws(NightfuseError) {
        let picture = try decodePicture(bytes, name: "input", limits: fuzzLimits)
        precondition(picture.notes.allSatisfy { !$0.contains("\n") })
        return picture
    } catch {
        precondition(!"\(error)".isEmpty && !"\(error)".contains("\n"))
        return nil
    }
}

/// A JPEG of 8 x 8 grey pixels with one metadata segment: what the EXIF and ICC targets put their bytes into.
public func jpegHolding(_ name: [UInt8], _ bytes: [UInt8], marker: UInt8) -> [UInt8] {
    let body = name + bytes.prefix(65533 - name.count)
    let segment = [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
    return [0xFF, 0xD8] + segment + greyBlock
}

/// The rest of that JPEG: a quantisation table of ones, a frame, two Huffman tables of one code each, a scan of one byte.
private let greyBlock: [UInt8] = {
    func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] { [0xFF, marker, 0, UInt8(body.count + 2)] + body }
    let codes = [1] + [UInt8](repeating: 0, count: 16)
    return segment(0xDB, [0] + [UInt8](repeating: 1, count: 64)) + segment(0xC0, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
        + segment(0xC4, [0x00] + codes) + segment(0xC4, [0x10] + codes) + segment(0xDA, [1, 1, 0, 0, 63, 0])
        + [0x3F, 0xFF, 0xD9]
}()
