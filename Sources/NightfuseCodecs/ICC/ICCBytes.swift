/// Numbers of an ICC profile, big-endian; whatever lies outside the profile is nil.
struct ICCBytes {
    let bytes: [UInt8]

    func u16(_ at: Int) -> UInt16? {
        guard at >= 0, at <= bytes.count - 2 else { return nil }
        return UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
    }

    func u32(_ at: Int) -> UInt32? {
        guard let a = u16(at), let b = u16(at + 2) else { return nil }
        return UInt32(a) << 16 | UInt32(b)
    }

    /// s15Fixed16Number.
    func fixed(_ at: Int) -> Double? { u32(at).map { Double(Int32(bitPattern: $0)) / 65536 } }

    /// A signature of four characters.
    func signature(_ at: Int) -> String? {
        guard at >= 0, at <= bytes.count - 4 else { return nil }
        return String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
    }

    /// Where the tag's data stands: its offset and size, inside the profile.
    func tag(_ name: String) -> Range<Int>? {
        guard let count = u32(128) else { return nil }
        for i in 0..<min(Int(count), Self.mostTags) {
            let at = 132 + 12 * i
            guard let found = signature(at) else { return nil }
            guard found == name, let offset = u32(at + 4), let size = u32(at + 8), size >= 8,
                Int(offset) <= bytes.count, Int(size) <= bytes.count - Int(offset)
            else { continue }
            return Int(offset)..<Int(offset) + Int(size)
        }
        return nil
    }

    /// Most tags looked at; profiles have some tens.
    private static let mostTags = 256
}
