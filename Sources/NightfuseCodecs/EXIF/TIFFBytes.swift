/// Numbers in the byte order of a TIFF block; whatever lies outside the block is nil.
struct TIFFBytes {
    let bytes: [UInt8]
    let isLittleEndian: Bool

    init(_ bytes: [UInt8], isLittleEndian: Bool) { (self.bytes, self.isLittleEndian) = (bytes, isLittleEndian) }

    /// The block, if it begins as a TIFF header does.
    init?(_ bytes: [UInt8]) {
        let little = bytes.starts(with: [0x49, 0x49, 0x2A, 0])
        guard bytes.count >= 8, little || bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) else { return nil }
        self.init(bytes, isLittleEndian: little)
    }

    func u16(_ at: Int) -> UInt16? {
        guard at >= 0, at <= bytes.count - 2 else { return nil }
        let (a, b) = (UInt16(bytes[at]), UInt16(bytes[at + 1]))
        return isLittleEndian ? a | b << 8 : a << 8 | b
    }

    func u32(_ at: Int) -> UInt32? {
        guard let a = u16(at), let b = u16(at + 2) else { return nil }
        return isLittleEndian ? UInt32(a) | UInt32(b) << 16 : UInt32(a) << 16 | UInt32(b)
    }

    func u64(_ at: Int) -> UInt64? {
        guard let a = u32(at), let b = u32(at + 4) else { return nil }
        return isLittleEndian ? UInt64(a) | UInt64(b) << 32 : UInt64(a) << 32 | UInt64(b)
    }

    /// Text up to its zero or the end of the block, at most `count` bytes, without blanks around it.
    func ascii(_ at: Int, count: Int) -> String {
        guard at >= 0, at < bytes.count, count > 0 else { return "" }
        let field = bytes[at..<(at + min(count, bytes.count - at))].prefix { $0 != 0 }
        let isBlank = { (byte: UInt8) in byte == 0x20 }
        guard let first = field.firstIndex(where: { !isBlank($0) }),
            let last = field.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: field[first...last], as: UTF8.self)
    }
}
