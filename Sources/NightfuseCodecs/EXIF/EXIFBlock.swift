/// One entry of a directory of an EXIF block, its value inside the block.
struct EXIFEntry {
    let tag: UInt16
    /// TIFF type, 1 to 13.
    let type: UInt16
    let count: Int
    /// Where the value's bytes are, from the block's start.
    let value: Range<Int>
    /// Whether the value stands in the entry itself.
    var isInline: Bool { value.count <= 4 }

    /// Bytes of one item of each type, from type 1 on.
    private static let sizes = [1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4]

    static func size(ofType type: UInt16) -> Int? {
        (1...sizes.count).contains(Int(type)) ? sizes[Int(type) - 1] : nil
    }
}

/// A directory: its entries, those whose type or place make no sense left out.
struct EXIFDirectory {
    /// Where the directory itself stands, its link to the next one included.
    let range: Range<Int>
    let entries: [EXIFEntry]
    /// Where the next one stands; 0 for none.
    let next: Int

    subscript(tag: UInt16) -> EXIFEntry? { entries.first { $0.tag == tag } }
}

/// An EXIF block taken apart: bounds are checked, directories are read once each, so that no ring of links matters.
struct EXIFBlock {
    let tiff: TIFFBytes
    /// IFD 0.
    let main: EXIFDirectory
    let exif: EXIFDirectory?
    let gps: EXIFDirectory?
    let interoperability: EXIFDirectory?
    /// IFD 1.
    let thumbnail: EXIFDirectory?

    /// Nil where there is no TIFF header or no IFD 0.
    init?(_ bytes: [UInt8]) {
        guard let tiff = TIFFBytes(bytes), let main = Self.directory(tiff, at: Int(tiff.u32(4) ?? 0)) else {
            return nil
        }
        self.tiff = tiff
        self.main = main
        exif = Self.directory(tiff, in: main, EXIFTag.exifPointer)
        gps = Self.directory(tiff, in: main, EXIFTag.gpsPointer)
        interoperability = exif.flatMap { Self.directory(tiff, in: $0, EXIFTag.interoperabilityPointer) }
        thumbnail = main.next == 0 ? nil : Self.directory(tiff, at: main.next)
    }

    /// Most entries read of one directory; cameras write some tens.
    private static let mostEntries = 4096
    /// Most bytes of a text that is shown.
    private static let mostText = 1024

    private static func directory(_ tiff: TIFFBytes, in parent: EXIFDirectory, _ tag: UInt16) -> EXIFDirectory? {
        guard let entry = parent[tag], entry.value.count == 4, let at = tiff.u32(entry.value.lowerBound) else {
            return nil
        }
        return directory(tiff, at: Int(at))
    }

    private static func directory(_ tiff: TIFFBytes, at: Int) -> EXIFDirectory? {
        guard at >= 8, let count = tiff.u16(at) else { return nil }
        // A directory cut short by the end of the block gives the entries that are whole.
        let whole = min(Int(count), (tiff.bytes.count - at - 2) / 12, mostEntries)
        // Values that overlap over and over would make little data much work.
        var allowance = 2 * tiff.bytes.count
        let entries = (0..<whole).compactMap { i -> EXIFEntry? in
            guard let entry = entry(tiff, at: at + 2 + 12 * i), entry.value.count <= allowance else { return nil }
            allowance -= entry.value.count
            return entry
        }
        let end = at + 2 + 12 * Int(count)
        let next = tiff.u32(end).map { Int($0) } ?? 0
        return EXIFDirectory(range: at..<min(end + 4, tiff.bytes.count), entries: entries, next: next)
    }

    private static func entry(_ tiff: TIFFBytes, at: Int) -> EXIFEntry? {
        guard let tag = tiff.u16(at), let type = tiff.u16(at + 2), let count = tiff.u32(at + 4),
            let size = EXIFEntry.size(ofType: type), let offset = tiff.u32(at + 8), count > 0
        else { return nil }
        let length = Int(count) * size
        let start = length <= 4 ? at + 8 : Int(offset)
        guard length <= tiff.bytes.count, start <= tiff.bytes.count - length else { return nil }
        return EXIFEntry(tag: tag, type: type, count: Int(count), value: start..<(start + length))
    }

    // MARK: Values

    /// Item `i` as a number, whatever type it was stored as; nil where it is none (also 1/0).
    func number(_ entry: EXIFEntry?, _ i: Int = 0) -> Double? {
        guard let entry, i >= 0, i < entry.count else { return nil }
        let start = entry.value.lowerBound
        let value: Double?
        switch entry.type {
        case 1, 7: value = Double(tiff.bytes[start + i])
        case 6: value = Double(Int8(bitPattern: tiff.bytes[start + i]))
        case 2: value = Double(tiff.ascii(start, count: entry.value.count))
        case 3: value = tiff.u16(start + 2 * i).map { Double($0) }
        case 8: value = tiff.u16(start + 2 * i).map { Double(Int16(bitPattern: $0)) }
        case 4, 13: value = tiff.u32(start + 4 * i).map { Double($0) }
        case 9: value = tiff.u32(start + 4 * i).map { Double(Int32(bitPattern: $0)) }
        case 5: value = ratio(start + 8 * i) { Double($0) }
        case 10: value = ratio(start + 8 * i) { Double(Int32(bitPattern: $0)) }
        case 11: value = tiff.u32(start + 4 * i).map { Double(Float(bitPattern: $0)) }
        default: value = tiff.u64(start + 8 * i).map { Double(bitPattern: $0) }
        }
        guard let value, value.isFinite else { return nil }
        return value
    }

    private func ratio(_ at: Int, _ convert: (UInt32) -> Double) -> Double? {
        guard let above = tiff.u32(at), let below = tiff.u32(at + 4), below != 0 else { return nil }
        return convert(above) / convert(below)
    }

    /// The value as text without blanks around it; nil where it is none or empty.
    func text(_ entry: EXIFEntry?) -> String? {
        // Some writers give text as bytes or as undefined.
        guard let entry, [1, 2, 7].contains(entry.type) else { return nil }
        let text = tiff.ascii(entry.value.lowerBound, count: min(entry.value.count, Self.mostText))
        // Control characters would break the lines that show it.
        let shown = String(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F })
        return shown.isEmpty ? nil : shown
    }
}

/// The tags that are read or written, by their EXIF names.
enum EXIFTag {
    static let imageWidth: UInt16 = 0x0100
    static let imageLength: UInt16 = 0x0101
    static let make: UInt16 = 0x010F
    static let model: UInt16 = 0x0110
    static let orientation: UInt16 = 0x0112
    static let xResolution: UInt16 = 0x011A
    static let yResolution: UInt16 = 0x011B
    static let resolutionUnit: UInt16 = 0x0128
    static let software: UInt16 = 0x0131
    static let thumbnailOffset: UInt16 = 0x0201
    static let thumbnailLength: UInt16 = 0x0202
    static let yCbCrPositioning: UInt16 = 0x0213
    static let exifPointer: UInt16 = 0x8769
    static let gpsPointer: UInt16 = 0x8825
    static let exposureTime: UInt16 = 0x829A
    static let isoSpeedRatings: UInt16 = 0x8827
    static let standardOutputSensitivity: UInt16 = 0x8831
    static let recommendedExposureIndex: UInt16 = 0x8832
    static let isoSpeed: UInt16 = 0x8833
    static let exifVersion: UInt16 = 0x9000
    static let dateTimeOriginal: UInt16 = 0x9003
    static let dateTimeDigitized: UInt16 = 0x9004
    static let componentsConfiguration: UInt16 = 0x9101
    static let shutterSpeedValue: UInt16 = 0x9201
    static let makerNote: UInt16 = 0x927C
    static let subSecTimeOriginal: UInt16 = 0x9291
    static let subSecTimeDigitized: UInt16 = 0x9292
    static let flashpixVersion: UInt16 = 0xA000
    static let colorSpace: UInt16 = 0xA001
    static let pixelXDimension: UInt16 = 0xA002
    static let pixelYDimension: UInt16 = 0xA003
    static let interoperabilityPointer: UInt16 = 0xA005
    static let lensModel: UInt16 = 0xA434
    static let compositeImage: UInt16 = 0xA460
    static let sourceImageNumber: UInt16 = 0xA461
    static let sourceExposureTimes: UInt16 = 0xA462
    /// In the interoperability directory.
    static let interoperabilityIndex: UInt16 = 0x0001
}
