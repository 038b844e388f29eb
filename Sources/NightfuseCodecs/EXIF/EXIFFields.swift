/// The fields of a directory that is being written, one a tag; later ones replace earlier ones.
struct EXIFFields {
    struct Field {
        var type: UInt16
        var count: UInt32
        /// The value's bytes, in the block's order.
        var value: [UInt8]
        /// Where the bytes stand already, for a value kept from an old block.
        var place: Range<Int>?
    }

    let isLittleEndian: Bool
    private(set) var fields: [UInt16: Field] = [:]

    init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

    /// Places of kept values that stand outside their entries.
    var keptRanges: [Range<Int>] { fields.values.compactMap(\.place) }

    /// Keeps an entry, its value where it is (`inPlace`) or to be written anew. The first of several with one tag counts,
    /// as for readers.
    mutating func keep(_ entry: EXIFEntry, of block: EXIFBlock, inPlace: Bool) {
        guard fields[entry.tag] == nil else { return }
        let stays = inPlace && !entry.isInline
        fields[entry.tag] = Field(
            type: entry.type, count: UInt32(entry.count), value: stays ? [] : Array(block.tiff.bytes[entry.value]),
            place: stays ? entry.value : nil)
    }

    mutating func short(_ tag: UInt16, _ value: UInt16) { shorts(tag, [value]) }

    mutating func shorts(_ tag: UInt16, _ values: [UInt16]) {
        set(tag, type: 3, count: values.count) { out in for value in values { out.u16(value) } }
    }

    mutating func long(_ tag: UInt16, _ value: UInt32) { set(tag, type: 4, count: 1) { $0.u32(value) } }

    mutating func rational(_ tag: UInt16, _ value: Double) { set(tag, type: 5, count: 1) { $0.rational(value) } }

    mutating func undefined(_ tag: UInt16, _ bytes: [UInt8]) {
        fields[tag] = Field(type: 7, count: UInt32(bytes.count), value: bytes, place: nil)
    }

    /// Text and its zero; nothing for nil.
    mutating func ascii(_ tag: UInt16, _ text: String?) {
        guard let text else { return }
        let bytes = Array(text.utf8) + [0]
        fields[tag] = Field(type: 2, count: UInt32(bytes.count), value: bytes, place: nil)
    }

    private mutating func set(_ tag: UInt16, type: UInt16, count: Int, _ write: (inout TIFFWriter) -> Void) {
        var out = TIFFWriter(isLittleEndian: isLittleEndian)
        write(&out)
        fields[tag] = Field(type: type, count: UInt32(count), value: out.bytes, place: nil)
    }
}

/// A block that grows at its end: directories and their values behind what is there.
struct EXIFAssembly {
    private(set) var bytes: [UInt8]
    private let isLittleEndian: Bool

    /// `header` begins with the 8 bytes of a TIFF header.
    init(header: [UInt8], isLittleEndian: Bool) { (bytes, self.isLittleEndian) = (header, isLittleEndian) }

    /// Writes the directories and makes the header lead to the first of them. Those of place and interoperability that are
    /// nil stay as `main` and `exif` have them.
    mutating func append(
        main: EXIFFields, exif: EXIFFields, gps: EXIFFields? = nil, interoperability: EXIFFields? = nil
    ) {
        var (main, exif) = (main, exif)
        if let gps { main.long(EXIFTag.gpsPointer, UInt32(append(gps))) }
        if let interoperability { exif.long(EXIFTag.interoperabilityPointer, UInt32(append(interoperability))) }
        main.long(EXIFTag.exifPointer, UInt32(append(exif)))
        let start = append(main)
        bytes.replaceSubrange(4..<8, with: number(UInt32(start)))
    }

    private func number(_ value: UInt32) -> [UInt8] {
        var out = TIFFWriter(isLittleEndian: isLittleEndian)
        out.u32(value)
        return out.bytes
    }

    /// Writes values, then the directory; gives where it stands.
    private mutating func append(_ fields: EXIFFields) -> Int {
        var directory = TIFFWriter(isLittleEndian: isLittleEndian)
        directory.u16(UInt16(fields.fields.count))
        for (tag, field) in fields.fields.sorted(by: { $0.key < $1.key }) {
            directory.u16(tag)
            directory.u16(field.type)
            directory.u32(field.count)
            if let place = field.place {
                directory.u32(UInt32(place.lowerBound))
            } else if field.value.count <= 4 {
                directory.append(field.value + [UInt8](repeating: 0, count: 4 - field.value.count))
            } else {
                align()
                directory.u32(UInt32(bytes.count))
                bytes += field.value
            }
        }
        directory.u32(0)
        align()
        defer { bytes += directory.bytes }
        return bytes.count
    }

    /// TIFF wants values at even places.
    private mutating func align() { if bytes.count % 2 == 1 { bytes.append(0) } }
}
