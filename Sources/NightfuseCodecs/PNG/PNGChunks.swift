/// The chunks of a PNG that say what its pixels mean. All but the profile, which is compressed, are read here; a chunk
/// whose checksum is wrong counts as not there.
struct PNGChunks {
    /// EXIF block, TIFF header first; empty where there is none.
    private(set) var exif: [UInt8] = []
    /// gAMA: 100000 / gamma.
    private(set) var gamma: UInt32?
    /// cHRM: x and y of white, red, green and blue, times 100000.
    private(set) var chromaticities: [UInt32]?
    private(set) var isSRGB = false
    /// cICP: primaries, transfer, matrix, full range.
    private(set) var cicp: [UInt8]?
    /// There is a profile, sound or not.
    private(set) var hasProfile = false
    private(set) var notes: [String] = []

    init(_ bytes: [UInt8], metadataLimit: Int) {
        var at = 8
        while at + 12 <= bytes.count {
            let length = Int(Self.u32(bytes, at))
            guard length <= bytes.count - at - 12 else { return }
            let end = at + 8 + length
            let type = String(decoding: bytes[(at + 4)..<(at + 8)], as: UTF8.self)
            // Chunks that a reader may do without have a small first letter. The others are libpng's.
            if bytes[at + 4] & 0x20 != 0 {
                if length > metadataLimit {
                    if Self.wanted.contains(type) { note("larger than allowed", at) }
                } else if Self.u32(bytes, end) != crc32(bytes[(at + 4)..<end]) {
                    note("broken", at)
                } else if Self.wanted.contains(type) {
                    take(type, Array(bytes[(at + 8)..<end]))
                }
            }
            if type == "IEND" { return }
            at = end + 4
        }
    }

    private static let wanted: Set<String> = ["eXIf", "gAMA", "cHRM", "sRGB", "cICP", "iCCP"]

    private static func u32(_ bytes: [UInt8], _ at: Int) -> UInt32 {
        UInt32(bytes[at]) << 24 | UInt32(bytes[at + 1]) << 16 | UInt32(bytes[at + 2]) << 8 | UInt32(bytes[at + 3])
    }

    /// A file may have any number of them; one is told of.
    private mutating func note(_ what: String, _ at: Int) {
        if notes.isEmpty { notes.append("the chunk at byte \(at) is \(what) and is left out") }
    }

    private mutating func take(_ type: String, _ body: [UInt8]) {
        switch type {
        case "eXIf":
            // Some writers keep JPEG's name before the TIFF header.
            let block = body.starts(with: "Exif\0\0".utf8) ? Array(body.dropFirst(6)) : body
            if exif.isEmpty { exif = block }
        case "gAMA" where body.count == 4: gamma = Self.u32(body, 0)
        case "cHRM" where body.count == 32: chromaticities = (0..<8).map { Self.u32(body, 4 * $0) }
        case "sRGB" where body.count == 1: isSRGB = true
        case "cICP" where body.count == 4: cicp = body
        case "iCCP": hasProfile = true
        default: break
        }
    }
}

/// The CRC-32 of ISO 3309 that PNG uses.
func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes { crc = crcTable[Int((crc ^ UInt32(byte)) & 0xFF)] ^ (crc >> 8) }
    return ~crc
}

private let crcTable: [UInt32] = (0..<256).map { n in
    (0..<8).reduce(UInt32(n)) { c, _ in c & 1 == 1 ? 0xEDB8_8320 ^ (c >> 1) : c >> 1 }
}
