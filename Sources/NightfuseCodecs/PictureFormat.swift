/// What a file is, by its first bytes; its name has no say.
public enum PictureFormat: Equatable, Sendable {
    case png
    case jpeg
    case dng
    /// A kind that is known and not read: its name, and what to do.
    case refused(name: String, advice: String)
    case unknown

    /// Tells the kind. Some tens of bytes are enough for most; a DNG needs its first directory.
    public static func sniff(_ bytes: [UInt8]) -> PictureFormat {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if let tiff = sniffTIFF(bytes) { return tiff }
        if let media = sniffMedia(bytes) { return media }
        for (signature, offset, name, advice) in signatures
        where bytes.count >= offset + signature.utf8.count && bytes[offset...].starts(with: signature.utf8) {
            return .refused(name: name, advice: advice)
        }
        if bytes.starts(with: [0xFF, 0x0A]) || bytes.starts(with: Array("\0\0\0\u{C}JXL ".utf8)) {
            return .refused(name: "JPEG XL", advice: convert)
        }
        if bytes.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) || bytes.starts(with: Array("\0\0\0\u{C}jP  ".utf8)) {
            return .refused(name: "JPEG 2000", advice: convert)
        }
        // Two letters are little to go by; the reserved bytes must be zero too.
        if bytes.count >= 26, bytes.starts(with: "BM".utf8), bytes[6..<10].allSatisfy({ $0 == 0 }) {
            return .refused(name: "BMP", advice: convert)
        }
        return .unknown
    }

    /// Whether files named so are meant to be pictures, read or not.
    static func isPictureExtension(_ text: String) -> Bool {
        ["png", "jpg", "jpeg", "jpe", "jfif", "dng", "heic", "heif", "avif", "webp", "gif", "bmp", "jxl"].contains(text)
    }

    private static let convert = "convert it to PNG or JPEG first"
    private static let convertRaw = "convert it to DNG first"

    /// Signature, where it stands, what it is.
    private static let signatures: [(String, Int, String, String)] = [
        ("GIF87a", 0, "GIF", convert), ("GIF89a", 0, "GIF", convert),
        ("WEBP", 8, "WebP", convert), ("8BPS", 0, "Photoshop", convert),
        ("FUJIFILMCCD-RAW", 0, "RAF (raw)", convertRaw),
        ("FOVb", 0, "X3F (raw)", convertRaw), ("\0MRM", 0, "MRW (raw)", convertRaw), ("#?RADIANCE", 0, "HDR", convert),
        ("v/1\u{1}", 0, "OpenEXR", convert), ("qoif", 0, "QOI", convert),
    ]

    /// HEIF and its kin: a box "ftyp" with a brand. Films have one too; they are no pictures.
    private static func sniffMedia(_ bytes: [UInt8]) -> PictureFormat? {
        guard bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        switch String(decoding: bytes[8..<12], as: UTF8.self) {
        case "heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1":
            // The generic brands stand for AVIF as well; the compatible ones then say so.
            let rest = String(decoding: bytes[12..<min(bytes.count, 64)], as: UTF8.self)
            return .refused(name: rest.contains("avif") ? "AVIF" : "HEIC", advice: convert)
        case "avif", "avis": return .refused(name: "AVIF", advice: convert)
        case "crx ": return .refused(name: "CR3 (raw)", advice: convertRaw)
        case "jxl ": return .refused(name: "JPEG XL", advice: convert)
        case "jp2 ": return .refused(name: "JPEG 2000", advice: convert)
        default: return nil
        }
    }
}
