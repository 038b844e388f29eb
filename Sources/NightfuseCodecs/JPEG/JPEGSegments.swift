/// What stands in a JPEG's segments before its first scan: EXIF and the ICC profile.
struct JPEGSegments {
    /// The first EXIF block, TIFF header first; empty where there is none.
    private(set) var exif: [UInt8] = []
    /// The profile, put together; empty where there is none or a piece of it is missing.
    private(set) var icc: [UInt8] = []
    private(set) var notes: [String] = []

    /// Walks the segments; stops at the first scan or the first thing that is no segment. Faults are left to the decoder.
    init(_ bytes: [UInt8], metadataLimit: Int) {
        var pieces: [Int: ArraySlice<UInt8>] = [:]
        var pieceCount = 0
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF {
            let marker = bytes[at + 1]
            if marker == 0xFF {
                at += 1
                continue
            }
            if marker == 0xDA || marker == 0xD9 { break }
            // Markers without a length.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                at += 2
                continue
            }
            let length = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
            guard length >= 2, at + 2 + length <= bytes.count else { break }
            let body = bytes[(at + 4)..<(at + 2 + length)]
            if marker == 0xE1, exif.isEmpty, body.starts(with: Self.exifName), body.count > 6 + 8 {
                exif = Array(body.dropFirst(6))
            }
            if marker == 0xE2, body.count > 14, body.starts(with: Self.iccName) {
                let number = Int(body[body.startIndex + 12])
                pieceCount = max(pieceCount, Int(body[body.startIndex + 13]))
                if pieces[number] == nil { pieces[number] = body.dropFirst(14) }
            }
            at += 2 + length
        }
        assemble(pieces, count: pieceCount, limit: metadataLimit)
    }

    /// The colours: the profile's, else what EXIF says.
    func colour(channels: Int, exif: EXIFBlock?) -> ColourTag {
        icc.isEmpty ? ColourTag(exif: exif, channels: channels) : ColourTag(profile: icc, channels: channels)
    }

    private static let exifName: [UInt8] = Array("Exif\0\0".utf8)
    private static let iccName: [UInt8] = Array("ICC_PROFILE\0".utf8)

    /// Pieces are numbered from 1 and may come in any order.
    private mutating func assemble(_ pieces: [Int: ArraySlice<UInt8>], count: Int, limit: Int) {
        guard !pieces.isEmpty else { return }
        guard pieces.values.reduce(0, { $0 + $1.count }) <= limit else {
            notes.append("the ICC profile is larger than allowed and is left out")
            return
        }
        var whole: [UInt8] = []
        for number in 1...max(count, 1) {
            guard let piece = pieces[number] else {
                notes.append("piece \(number) of \(count) of the ICC profile is missing; the profile is left out")
                return
            }
            whole += piece
        }
        icc = whole
    }
}
