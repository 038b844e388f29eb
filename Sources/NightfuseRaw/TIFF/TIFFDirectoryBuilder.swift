internal import NightfuseCore

/// A directory to be written: entries in a given byte order, sorted when it is encoded.
struct TIFFDirectoryBuilder {
    let bigEndian: Bool
    private var entries: [UInt16: CarriedTags.Entry] = [:]

    init(bigEndian: Bool) { self.bigEndian = bigEndian }

    var isEmpty: Bool { entries.isEmpty }

    func has(_ tag: TIFFTag) -> Bool { entries[tag.rawValue] != nil }

    func entry(_ tag: TIFFTag) -> CarriedTags.Entry? { entries[tag.rawValue] }

    /// Puts an entry whose bytes are in the directory's order; it takes the place of one with the same tag.
    mutating func set(_ entry: CarriedTags.Entry) { entries[entry.tag] = entry }

    mutating func remove(_ tag: TIFFTag) { entries[tag.rawValue] = nil }

    /// Takes in the entries of `other`, whose own win.
    mutating func merge(_ other: TIFFDirectoryBuilder) { entries.merge(other.entries) { $1 } }

    mutating func bytes(_ tag: TIFFTag, _ values: [UInt8], _ type: TIFFType = .byte) {
        set(.init(tag: tag.rawValue, type: type.rawValue, count: values.count, bytes: values))
    }

    /// Text, which gets its zero.
    mutating func text(_ tag: TIFFTag, _ value: String) { bytes(tag, Array(value.utf8) + [0], .ascii) }

    mutating func shorts(_ tag: TIFFTag, _ values: [Int]) {
        put(tag, .short, values.map { UInt16(truncatingIfNeeded: $0) })
    }

    mutating func longs(_ tag: TIFFTag, _ values: [Int]) {
        put(tag, .long, values.map { UInt32(truncatingIfNeeded: $0) })
    }

    mutating func doubles(_ tag: TIFFTag, _ values: [Double]) { put(tag, .double, values.map(\.bitPattern)) }

    /// Fractions at least 0; see ``fraction(_:)``.
    mutating func rationals(_ tag: TIFFTag, _ values: [Double]) {
        let pairs = values.flatMap { value in
            let (n, d) = Self.fraction(value)
            return [UInt32(truncatingIfNeeded: n), UInt32(truncatingIfNeeded: d)]
        }
        put(tag, .rational, pairs, perValue: 2)
    }

    mutating func signedRationals(_ tag: TIFFTag, _ values: [Double]) {
        let pairs = values.flatMap { value in
            let (n, d) = Self.fraction(value)
            return [Int32(truncatingIfNeeded: n), Int32(truncatingIfNeeded: d)]
        }
        put(tag, .srational, pairs, perValue: 2)
    }

    /// Numerator and denominator within 31 bits: whole numbers over 1, times under a second that are one over a whole
    /// number as that, all else over the largest power of ten up to a million that fits.
    static func fraction(_ value: Double) -> (Int, Int) {
        guard value.isFinite else { return (0, 0) }
        let bounded = min(max(value, -2e9), 2e9)
        if bounded == bounded.rounded() { return (Int(bounded), 1) }
        let inverse = (1 / bounded).rounded()
        if bounded > 0, inverse < 1e9, abs(bounded * inverse - 1) < 1e-9 { return (1, Int(inverse)) }
        var denominator = 1_000_000.0
        while abs(bounded) * denominator > 2e9 { denominator /= 10 }
        return (Int((bounded * denominator).rounded()), Int(denominator))
    }

    private mutating func put(_ tag: TIFFTag, _ type: TIFFType, _ values: [some FixedWidthInteger], perValue: Int = 1) {
        let bytes = values.flatMap(encode)
        set(.init(tag: tag.rawValue, type: type.rawValue, count: values.count / perValue, bytes: bytes))
    }

    private func encode(_ value: some FixedWidthInteger) -> [UInt8] {
        value.bytes(bigEndian: bigEndian)
    }

    /// Bytes of the directory and its values together; even.
    var byteCount: Int {
        entries.values.reduce(6 + entries.count * 12) { sum, entry in
            sum + (entry.bytes.count > 4 ? (entry.bytes.count + 1) & ~1 : 0)
        }
    }

    /// The directory as it stands at byte `offset` of a file, which is even: entries, no next directory, values.
    func encoded(at offset: Int) -> [UInt8] {
        var head = encode(UInt16(entries.count))
        var values: [UInt8] = []
        let valuesAt = offset + 6 + entries.count * 12
        for entry in entries.values.sorted(by: { $0.tag < $1.tag }) {
            head += encode(entry.tag) + encode(entry.type) + encode(UInt32(truncatingIfNeeded: entry.count))
            if entry.bytes.count <= 4 {
                head += entry.bytes + [UInt8](repeating: 0, count: 4 - entry.bytes.count)
            } else {
                head += encode(UInt32(truncatingIfNeeded: valuesAt + values.count))
                values += entry.bytes
                if values.count & 1 == 1 { values.append(0) }
            }
        }
        return head + encode(UInt32(0)) + values
    }
}
