/// An EXIF block put together by hand, in either byte order, faults included.
struct EXIFFixture {
    struct Entry {
        var tag: Int
        var type: Int
        var count: Int
        /// The value's bytes in the block's order; more than 4 stand outside the entry.
        var value: [UInt8]
    }

    var little: Bool
    var main: [Entry] = []
    var exif: [Entry] = []
    var gps: [Entry] = []
    var interoperability: [Entry] = []
    /// IFD 1 with these bytes as its JPEG.
    var thumbnail: [UInt8] = []

    init(little: Bool) { self.little = little }

    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        let low = (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return little ? low : low.reversed()
    }

    func short(_ tag: Int, _ value: Int) -> Entry { Entry(tag: tag, type: 3, count: 1, value: number(value, 2)) }
    func long(_ tag: Int, _ value: Int) -> Entry { Entry(tag: tag, type: 4, count: 1, value: number(value, 4)) }
    func ascii(_ tag: Int, _ text: String) -> Entry {
        Entry(tag: tag, type: 2, count: text.utf8.count + 1, value: Array(text.utf8) + [0])
    }
    func ratio(_ tag: Int, _ above: Int, _ below: Int) -> Entry {
        Entry(tag: tag, type: 5, count: 1, value: number(above, 4) + number(below, 4))
    }
    func undefined(_ tag: Int, _ bytes: [UInt8]) -> Entry { Entry(tag: tag, type: 7, count: bytes.count, value: bytes) }

    var bytes: [UInt8] {
        var out = (little ? Array("II".utf8) : Array("MM".utf8)) + number(42, 2) + number(8, 4)
        // IFD 0 stands at 8; what it leads to is put behind it, so sizes come first.
        var main = main
        if !exif.isEmpty { main.append(long(0x8769, 0)) }
        if !gps.isEmpty { main.append(long(0x8825, 0)) }
        var exif = exif
        if !interoperability.isEmpty { exif.append(long(0xA005, 0)) }
        let mainEnd = 8 + size(main)
        let exifStart = mainEnd
        let gpsStart = exifStart + size(exif)
        let interStart = gpsStart + size(gps)
        let thumbStart = interStart + size(interoperability)
        for i in main.indices {
            if main[i].tag == 0x8769 { main[i].value = number(exifStart, 4) }
            if main[i].tag == 0x8825 { main[i].value = number(gpsStart, 4) }
        }
        for i in exif.indices where exif[i].tag == 0xA005 { exif[i].value = number(interStart, 4) }
        out += directory(main, at: 8, next: thumbnail.isEmpty ? 0 : thumbStart)
        out += directory(exif, at: exifStart, next: 0)
        out += directory(gps, at: gpsStart, next: 0)
        out += directory(interoperability, at: interStart, next: 0)
        if !thumbnail.isEmpty {
            var entries = [short(0x0103, 6), long(0x0201, 0), long(0x0202, thumbnail.count)]
            entries[1].value = number(thumbStart + size(entries), 4)
            out += directory(entries, at: thumbStart, next: 0) + thumbnail
        }
        return out
    }

    private func outside(_ entry: Entry) -> Int { entry.value.count > 4 ? (entry.value.count + 1) & ~1 : 0 }

    private func size(_ entries: [Entry]) -> Int {
        entries.isEmpty ? 0 : 6 + 12 * entries.count + entries.reduce(0) { $0 + outside($1) }
    }

    private func directory(_ entries: [Entry], at: Int, next: Int) -> [UInt8] {
        guard !entries.isEmpty else { return [] }
        var out = number(entries.count, 2)
        var values: [UInt8] = []
        let valuesStart = at + 6 + 12 * entries.count
        for entry in entries.sorted(by: { $0.tag < $1.tag }) {
            out += number(entry.tag, 2) + number(entry.type, 2) + number(entry.count, 4)
            if entry.value.count > 4 {
                out += number(valuesStart + values.count, 4)
                values += entry.value + [UInt8](repeating: 0, count: outside(entry) - entry.value.count)
            } else {
                out += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            }
        }
        return out + number(next, 4) + values
    }
}

extension EXIFFixture {
    /// A block as a camera writes it: all that is read, a maker note, a place, a thumbnail.
    static func camera(little: Bool) -> EXIFFixture {
        var e = EXIFFixture(little: little)
        e.main = [
            e.ascii(0x010F, "Maker & Sons"), e.ascii(0x0110, "Night 1"), e.short(0x0112, 6),
            e.ratio(0x011A, 72, 1), e.ratio(0x011B, 72, 1), e.short(0x0128, 2), e.ascii(0x0131, "Firmware 1.0"),
        ]
        e.exif = [
            e.ratio(0x829A, 1, 15), e.short(0x8827, 3200), e.undefined(0x9000, Array("0230".utf8)),
            e.ascii(0x9003, "2024:02:29 23:59:58"), e.ascii(0x9291, "125"), e.undefined(0x927C, makerNote),
            e.long(0xA002, 33), e.long(0xA003, 17), e.ascii(0xA434, "Lens 27mm f/1.8"),
        ]
        e.gps = [
            e.ascii(0x0001, "N"),
            Entry(
                tag: 2, type: 5, count: 3,
                value: [51, 1, 28, 1, 38, 1].flatMap { e.number($0, 4) }), e.ascii(0x001D, "PLACEDATE"),
        ]
        e.interoperability = [e.ascii(0x0001, "R98")]
        e.thumbnail = Array("THUMBNAILBYTES".utf8)
        return e
    }

    static let makerNote = Array("MAKERNOTE".utf8) + (0..<60).map { UInt8($0) }
}
