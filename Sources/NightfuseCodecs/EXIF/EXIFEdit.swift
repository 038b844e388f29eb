public import NightfuseCore

/// The EXIF of a result: the reference frame's block with what has changed, or a small one where it had none.
///
/// The block keeps its bytes and their places, so that offsets inside a maker note still lead where they did; only the
/// main directories are written anew behind them. Orientation becomes 1, the software is named, the size is the
/// result's, the thumbnail (it shows one frame, turned) goes.
public struct EXIFEdit {
    /// The reference frame's block, TIFF header first; empty or unreadable: a new one is made from `info`.
    public var block: [UInt8] = []
    /// What is known of the reference frame; used where it has no block.
    public var info = CaptureInfo()
    /// Size of the result in pixels.
    public var width: Int
    /// Height in pixels.
    public var height: Int
    /// Whether the result's colours are sRGB, for a new block.
    public var isSRGB = true
    /// The frames it was made of; nil, or fewer than two, for a single picture.
    public var composite: CompositeRecord?
    /// Leaves out where it was taken: the GPS directory, and what may hide places (see ``locationTags``).
    public var stripLocation = false
    /// Most bytes of the block; JPEG holds 65527.
    public var byteLimit = mostJPEGExifBytes

    /// The changes of a picture of this size that is upright.
    public init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

    /// The new block, and a sentence for everything that had to go.
    public func make() -> (bytes: [UInt8], notes: [String]) {
        guard !block.isEmpty else { return (makeNew(), []) }
        guard let old = EXIFBlock(block) else { return (makeNew(), ["the EXIF block is broken; a new one is made"]) }
        let whole = rewrite(old, inPlace: true)
        if whole.count <= byteLimit { return (whole, []) }
        let short = rewrite(old, inPlace: false)
        if short.count <= byteLimit { return (short, ["the maker note does not fit and is left out"]) }
        return (makeNew(), ["the EXIF block does not fit; a new one is made"])
    }

    // MARK: Values

    private func makeNew() -> [UInt8] {
        var main = EXIFFields(isLittleEndian: false)
        main.ascii(EXIFTag.make, info.make)
        main.ascii(EXIFTag.model, info.model)
        // Required by EXIF; 72 dots an inch where nothing is known.
        main.rational(EXIFTag.xResolution, 72)
        main.rational(EXIFTag.yResolution, 72)
        main.short(EXIFTag.resolutionUnit, 2)
        main.short(EXIFTag.yCbCrPositioning, 1)
        addMain(&main)
        var exif = EXIFFields(isLittleEndian: false)
        if let seconds = info.exposureSeconds { exif.rational(EXIFTag.exposureTime, seconds) }
        if let iso = info.iso, iso >= 1 { exif.short(EXIFTag.isoSpeedRatings, UInt16(min(iso, 65535))) }
        exif.undefined(EXIFTag.exifVersion, Array("0232".utf8))
        if let date = info.date {
            let parts = date.split(separator: ".", maxSplits: 1)
            exif.ascii(EXIFTag.dateTimeOriginal, parts.first.map(String.init))
            if parts.count == 2 { exif.ascii(EXIFTag.subSecTimeOriginal, String(parts[1])) }
        }
        exif.undefined(EXIFTag.componentsConfiguration, [1, 2, 3, 0])
        exif.undefined(EXIFTag.flashpixVersion, Array("0100".utf8))
        // 1: sRGB; 65535: what the profile says.
        exif.short(EXIFTag.colorSpace, isSRGB ? 1 : 65535)
        exif.ascii(EXIFTag.lensModel, info.lens)
        addExif(&exif)
        var out = EXIFAssembly(header: [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 0], isLittleEndian: false)
        out.append(main: main, exif: exif)
        return out.bytes
    }

    private func addMain(_ main: inout EXIFFields) {
        main.short(EXIFTag.orientation, 1)
        main.ascii(EXIFTag.software, "Nightfuse")
    }

    private func addExif(_ exif: inout EXIFFields) {
        exif.long(EXIFTag.pixelXDimension, UInt32(clamping: width))
        exif.long(EXIFTag.pixelYDimension, UInt32(clamping: height))
        guard let composite, composite.sources.count >= 2 else { return }
        // 3: a composite of frames taken for it.
        exif.short(EXIFTag.compositeImage, 3)
        let used = composite.sources.filter(\.used).count
        exif.shorts(
            EXIFTag.sourceImageNumber, [UInt16(clamping: composite.sources.count), UInt16(clamping: used)])
        if let times = composite.exposureTimes(exif.isLittleEndian) {
            exif.undefined(EXIFTag.sourceExposureTimes, times)
        }
    }

    // MARK: An old block

    /// Tags of the main directories that hold text about places or data of other formats that may: XMP, IPTC,
    /// Photoshop's.
    static let locationTags: Set<UInt16> = [0x02BC, 0x83BB, 0x8649]

    /// Tags that lead to data which is not kept: strips, tiles, other directories, the thumbnail.
    private static let structuralTags: Set<UInt16> = [
        0x0111, 0x0117, 0x0144, 0x0145, 0x014A, EXIFTag.thumbnailOffset, EXIFTag.thumbnailLength, EXIFTag.exifPointer,
    ]

    /// The new block. In place, everything kept stays where it is; else it is closed up, which a maker note would not
    /// survive.
    private func rewrite(_ old: EXIFBlock, inPlace: Bool) -> [UInt8] {
        let little = old.tiff.isLittleEndian
        var dropped = Self.structuralTags
        if !inPlace { dropped.insert(EXIFTag.makerNote) }
        if stripLocation {
            dropped.formUnion(Self.locationTags)
            dropped.insert(EXIFTag.gpsPointer)
            // Panasonic writes country, city and landmark into its note.
            if let make = old.text(old.main[EXIFTag.make]), make.hasPrefix("Panasonic") || make.hasPrefix("Leica") {
                dropped.insert(EXIFTag.makerNote)
            }
        }
        if old.gps == nil { dropped.insert(EXIFTag.gpsPointer) }
        if old.interoperability == nil { dropped.insert(EXIFTag.interoperabilityPointer) }
        let main = edited(old, old.main, dropped, inPlace, addMain) { fields in
            for (tag, size) in [(EXIFTag.imageWidth, width), (EXIFTag.imageLength, height)] where old.main[tag] != nil {
                fields.long(tag, UInt32(clamping: size))
            }
        }
        let exif = edited(old, old.exif, dropped, inPlace, addExif) { fields in
            guard composite != nil || old.exif == nil else { return }
            let version = old.exif.flatMap { old.text($0[EXIFTag.exifVersion]) } ?? ""
            if version < "0232" { fields.undefined(EXIFTag.exifVersion, Array("0232".utf8)) }
        }
        guard !inPlace else {
            var out = EXIFAssembly(header: kept(old, main, exif), isLittleEndian: little)
            out.append(main: main, exif: exif)
            return out.bytes
        }
        var out = EXIFAssembly(header: Array(old.tiff.bytes[..<8]), isLittleEndian: little)
        let inner = [stripLocation ? nil : old.gps, old.interoperability].map { directory in
            directory.map { edited(old, $0, [], false, { _ in }, { _ in }) }
        }
        out.append(main: main, exif: exif, gps: inner[0], interoperability: inner[1])
        return out.bytes
    }

    /// The fields of an old directory but for those dropped, with the changes put over them.
    private func edited(
        _ old: EXIFBlock, _ directory: EXIFDirectory?, _ dropped: Set<UInt16>, _ inPlace: Bool,
        _ change: (inout EXIFFields) -> Void,
        _ more: (inout EXIFFields) -> Void
    ) -> EXIFFields {
        var fields = EXIFFields(isLittleEndian: old.tiff.isLittleEndian)
        for entry in directory?.entries ?? [] where !dropped.contains(entry.tag) {
            fields.keep(entry, of: old, inPlace: inPlace)
        }
        change(&fields)
        more(&fields)
        return fields
    }

    /// The old bytes with everything blanked that is not part of the new block. What no directory speaks of stays, as a
    /// maker note may; but not where a place could hide in it.
    private func kept(_ old: EXIFBlock, _ main: EXIFFields, _ exif: EXIFFields) -> [UInt8] {
        let count = old.tiff.bytes.count
        var stays = [Bool](repeating: !stripLocation, count: count)
        func mark(_ range: Range<Int>, _ value: Bool) { for i in range.clamped(to: 0..<count) { stays[i] = value } }
        let inner = [old.interoperability, stripLocation ? nil : old.gps].compactMap { $0 }
        for directory in [old.main, old.exif, old.thumbnail, old.gps, old.interoperability].compactMap({ $0 }) {
            mark(directory.range, false)
            for entry in directory.entries { mark(entry.value, false) }
        }
        if let (offset, length) = thumbnailData(old) { mark(offset..<(offset + length), false) }
        for range in main.keptRanges + exif.keptRanges { mark(range, true) }
        for directory in inner {
            mark(directory.range, true)
            for entry in directory.entries { mark(entry.value, true) }
        }
        mark(0..<8, true)
        let end = (stays.lastIndex(of: true) ?? 7) + 1
        return (0..<end).map { stays[$0] ? old.tiff.bytes[$0] : 0 }
    }

    private func thumbnailData(_ old: EXIFBlock) -> (Int, Int)? {
        guard let directory = old.thumbnail, let offset = old.number(directory[EXIFTag.thumbnailOffset]),
            let length = old.number(directory[EXIFTag.thumbnailLength]), offset >= 0, length >= 0
        else { return nil }
        let count = old.tiff.bytes.count
        let start = Int(min(offset, Double(count)))
        return (start, Int(min(length, Double(count - start))))
    }
}
