internal import NightfuseCore

/// One entry of a directory as found: nothing of it has been checked but that its 12 bytes are in the file.
struct TIFFEntry {
    let tag: UInt16
    let type: UInt16
    let count: Int
    /// Where the 12 bytes of the entry are.
    let offset: Int
}

/// An image file directory: its entries by tag, and typed, bounds-checked access to their values.
struct TIFFDirectory {
    let bytes: TIFFBytes
    /// Where the directory is in the file.
    let offset: Int
    /// Where the next one is; 0 for the last.
    let next: Int
    /// In the order of the file; of two with one tag, the first.
    let entries: [TIFFEntry]
    private let byTag: [UInt16: Int]

    init(_ bytes: TIFFBytes, at offset: Int) throws(NightfuseError) {
        try bytes.check(offset, 2, "a directory")
        let count = bytes.u16(offset)
        // Ten times what the fullest file has: directories that overlap cost time, not bytes.
        guard count <= 4096 else {
            throw .file(bytes.name, "the directory at byte \(offset) has absurdly many entries (\(count))")
        }
        try bytes.check(offset + 2, count * 12, "a directory of \(count) entries")
        var entries: [TIFFEntry] = []
        var byTag: [UInt16: Int] = [:]
        entries.reserveCapacity(count)
        for i in 0..<count {
            let at = offset + 2 + i * 12
            let entry = TIFFEntry(
                tag: UInt16(bytes.u16(at)), type: UInt16(bytes.u16(at + 2)), count: bytes.u32(at + 4), offset: at)
            guard byTag[entry.tag] == nil else { continue }
            byTag[entry.tag] = entries.count
            entries.append(entry)
        }
        self.bytes = bytes
        self.offset = offset
        self.entries = entries
        self.byTag = byTag
        // Some writers end the file with the last entry of the last directory; that is no next one.
        let end = offset + 2 + count * 12
        self.next = end + 4 <= bytes.count ? bytes.u32(end) : 0
    }

    func entry(_ tag: TIFFTag) -> TIFFEntry? { byTag[tag.rawValue].map { entries[$0] } }

    func has(_ tag: TIFFTag) -> Bool { byTag[tag.rawValue] != nil }

    /// Where the values of `entry` are and their type, checked to lie in the file.
    func values(_ entry: TIFFEntry) throws(NightfuseError) -> (offset: Int, type: TIFFType, byteCount: Int) {
        guard let type = TIFFType(rawValue: entry.type) else {
            throw fault(entry, "has the unknown value type \(entry.type)")
        }
        // A count has 32 bits and a size at most 8: no overflow.
        let byteCount = entry.count * type.size
        let at = byteCount <= 4 ? entry.offset + 8 : bytes.u32(entry.offset + 8)
        guard at <= bytes.count, byteCount <= bytes.count - at else {
            throw fault(
                entry, "has \(entry.count) values at byte \(at), outside the file of \(bytes.count) bytes")
        }
        return (at, type, byteCount)
    }

    /// More values than any tag that is read as numbers has; an array of them costs 8 MiB.
    private static let mostValues = 1 << 20

    /// The whole numbers of `tag`; nil where the directory has no such tag.
    func ints(_ tag: TIFFTag) throws(NightfuseError) -> [Int]? {
        guard let entry = entry(tag) else { return nil }
        let (at, type, _) = try values(entry)
        guard entry.count <= Self.mostValues else { throw fault(entry, "has absurdly many values (\(entry.count))") }
        switch type {
        case .byte, .undefined: return (0..<entry.count).map { Int(bytes.file[at + $0]) }
        case .sbyte: return (0..<entry.count).map { Int(Int8(bitPattern: bytes.file[at + $0])) }
        case .short: return (0..<entry.count).map { bytes.u16(at + $0 * 2) }
        case .sshort: return (0..<entry.count).map { Int(Int16(truncatingIfNeeded: bytes.u16(at + $0 * 2))) }
        case .long, .ifd: return (0..<entry.count).map { bytes.u32(at + $0 * 4) }
        case .slong: return (0..<entry.count).map { Int(Int32(bitPattern: bytes.bits32(at + $0 * 4))) }
        case .ascii, .rational, .srational, .float, .double:
            throw fault(entry, "should be whole numbers, and is of type \(type)")
        }
    }

    /// The numbers of `tag`, fractions divided (0/0 and n/0 give NaN and infinity); nil where there is no such tag.
    func doubles(_ tag: TIFFTag) throws(NightfuseError) -> [Double]? {
        guard let entry = entry(tag) else { return nil }
        let (at, type, _) = try values(entry)
        guard entry.count <= Self.mostValues else { throw fault(entry, "has absurdly many values (\(entry.count))") }
        switch type {
        case .rational:
            return (0..<entry.count).map { Double(bytes.u32(at + $0 * 8)) / Double(bytes.u32(at + $0 * 8 + 4)) }
        case .srational:
            return (0..<entry.count).map {
                Double(Int32(bitPattern: bytes.bits32(at + $0 * 8)))
                    / Double(Int32(bitPattern: bytes.bits32(at + $0 * 8 + 4)))
            }
        case .float: return (0..<entry.count).map { Double(Float(bitPattern: bytes.bits32(at + $0 * 4))) }
        case .double: return (0..<entry.count).map { Double(bitPattern: bytes.bits64(at + $0 * 8)) }
        default: return try ints(tag)?.map { Double($0) }
        }
    }

    /// The one whole number of `tag`, or `fallback` where there is no such tag.
    func int(_ tag: TIFFTag, or fallback: Int) throws(NightfuseError) -> Int {
        guard let values = try ints(tag) else { return fallback }
        guard let value = values.first else { throw fault(tag, "has no value") }
        return value
    }

    /// The text of `tag` up to its first zero byte, without spaces around it; nil where there is none.
    func string(_ tag: TIFFTag) throws(NightfuseError) -> String? {
        guard let entry = entry(tag) else { return nil }
        let (at, type, byteCount) = try values(entry)
        guard type == .ascii || type == .byte || type == .undefined else {
            throw fault(entry, "should be text, and is of type \(type)")
        }
        let text = bytes.file[at..<at + byteCount].prefix { $0 != 0 }
        let space = UInt8(ascii: " ")
        let trimmed = text.drop { $0 <= space }.reversed().drop { $0 <= space }.reversed()
        return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
    }

    /// The bytes of `entry`'s values, as they stand in the file.
    func rawBytes(_ entry: TIFFEntry) throws(NightfuseError) -> FileBytes {
        let (at, _, byteCount) = try values(entry)
        return bytes.file.part(at..<at + byteCount)
    }

    func fault(_ entry: TIFFEntry, _ reason: String) -> NightfuseError {
        let tag = TIFFTag(rawValue: entry.tag).map { "\($0)" } ?? "tag"
        return .file(bytes.name, "\(tag) (\(entry.tag), in the directory at byte \(offset)) \(reason)")
    }

    func fault(_ tag: TIFFTag, _ reason: String) -> NightfuseError {
        .file(bytes.name, "\(tag) (\(tag.rawValue), in the directory at byte \(offset)) \(reason)")
    }
}
