internal import NightfuseCore

extension CarriedTags {
    /// Collects what a merged file takes over from `tags`; `restOfList1` stands for OpcodeList1 (empty: none).
    init(_ tags: DNGTags, restOfList1: [UInt8], limits: Limits) throws(NightfuseError) {
        self.init()
        bigEndian = tags.bytes.bigEndian
        main = try Self.entries(tags.main, limits) { Self.describesFile($0) || Self.describesRaw($0) && tags.rawIsMain }
        if !tags.rawIsMain { raw = try Self.entries(tags.raw, limits, Self.describesRaw) }
        if !restOfList1.isEmpty {
            let entry = Entry(
                tag: TIFFTag.opcodeList1.rawValue, type: TIFFType.undefined.rawValue, count: restOfList1.count,
                bytes: restOfList1)
            if tags.rawIsMain { main.append(entry) } else { raw.append(entry) }
        }
        if let directory = tags.exif {
            // Maker notes point to places in their own file, unless the file says that they do not.
            let keepsNotes = try tags.main.ints(.makerNoteSafety)?.first == 1
            exif = try Self.entries(directory, limits) { tag in
                tag != TIFFTag.interoperabilityIFD.rawValue && (keepsNotes || tag != TIFFTag.makerNote.rawValue)
            }
        }
        if let directory = tags.gps { gps = try Self.entries(directory, limits) { _ in true } }
    }

    private static func entries(
        _ directory: TIFFDirectory, _ limits: Limits, _ isWanted: (UInt16) -> Bool
    ) throws(NightfuseError) -> [Entry] {
        var kept: [Entry] = []
        var total = 0
        for entry in directory.entries where isWanted(entry.tag) && entry.tag != TIFFTag.opcodeList1.rawValue {
            // An unread tag that is broken is nobody's loss.
            guard let type = TIFFType(rawValue: entry.type), type != .ifd else { continue }
            let bytes: FileBytes
            do throws(NightfuseError) { bytes = try directory.rawBytes(entry) } catch { continue }
            // Text of blanks says nothing, and as a date is wrong.
            if type == .ascii, bytes.allSatisfy({ $0 == 0 || $0 == UInt8(ascii: " ") }) { continue }
            total += bytes.count
            guard total <= limits.metadataBytes else {
                throw .limit(
                    "\(directory.bytes.name): more than the \(limits.metadataBytes >> 20) MiB of metadata allowed")
            }
            kept.append(Entry(tag: entry.tag, type: entry.type, count: entry.count, bytes: Array(bytes)))
        }
        return kept
    }

    /// Tags of the whole file: descriptions, EXIF in the first directory, XMP, IPTC, camera and colour of DNG.
    private static func describesFile(_ tag: UInt16) -> Bool {
        let descriptions: Set<UInt16> = [
            TIFFTag.make.rawValue, TIFFTag.model.rawValue, TIFFTag.orientation.rawValue, TIFFTag.dateTime.rawValue,
            TIFFTag.xmp.rawValue, 270, 315, 316, 33432, 33723,
        ]
        let exif: ClosedRange<UInt16> = TIFFTag.exposureTime.rawValue...TIFFTag.sourceExposureTimes.rawValue
        let elsewhere: Set<UInt16> = [
            33723, TIFFTag.exifIFD.rawValue, TIFFTag.gpsIFD.rawValue, TIFFTag.interoperabilityIFD.rawValue,
            TIFFTag.makerNote.rawValue, 34675,
        ]
        if descriptions.contains(tag) { return true }
        if exif.contains(tag) { return !elsewhere.contains(tag) }
        return isDNG(tag) && !rewritten.contains(tag) && !describesRaw(tag)
    }

    /// Tags of DNG that belong to the raw picture and hold for a merged one: geometry and opcodes.
    static func describesRaw(_ tag: UInt16) -> Bool {
        let names: Set<UInt16> = [
            50718, TIFFTag.defaultCropOrigin.rawValue, TIFFTag.defaultCropSize.rawValue, 50733, 50737, 50738, 50780,
            TIFFTag.opcodeList1.rawValue, TIFFTag.opcodeList2.rawValue, TIFFTag.opcodeList3.rawValue, 51125, 52525,
            52544,
        ]
        return names.contains(tag)
    }

    /// Tags that belong in the EXIF directory, wherever they were found. Of TIFF/EP's, two stay in the first one:
    /// ImageNumber and TIFF-EPStandardID.
    static func describesCapture(_ tag: UInt16) -> Bool {
        let stays: Set<UInt16> = [33723, 37393, 37398]
        let exif: ClosedRange<UInt16> = TIFFTag.exposureTime.rawValue...TIFFTag.sourceExposureTimes.rawValue
        return exif.contains(tag) && !stays.contains(tag)
    }

    private static func isDNG(_ tag: UInt16) -> Bool {
        (TIFFTag.dngVersion.rawValue...TIFFTag.jxlDecodeSpeed.rawValue).contains(tag)
    }

    /// Tags of DNG that the writer states anew, or that no longer fit: versions, levels, mosaic, noise, digests, tiles,
    /// previews, profiles kept elsewhere in the file, other pictures.
    private static let rewritten: Set<UInt16> = {
        let tags: [TIFFTag] = [
            .dngVersion, .dngBackwardVersion, .cfaPlaneColor, .cfaLayout, .linearizationTable, .blackLevelRepeatDim,
            .blackLevel, .blackLevelDeltaH, .blackLevelDeltaV, .whiteLevel, .activeArea, .maskedAreas, .rawDataUniqueID,
            .originalRawFileData, .originalRawFileDigest, .extraCameraProfiles, .rawImageDigest, .newRawImageDigest,
            .subTileBlockSize, .rowInterleaveFactor, .columnInterleaveFactor, .opcodeList1, .noiseProfile,
            .cacheVersion, .enhanceParams,
        ]
        let previews = TIFFTag.previewApplicationName.rawValue...TIFFTag.previewDateTime.rawValue
        // Depth maps, semantic masks and image sequences describe other pictures of the file.
        let others: [UInt16] = [51177, 51178, 51179, 51180, 51181, 52526, 52528, 52536, 52548, 52550]
        let jpegXL = TIFFTag.jxlDistance.rawValue...TIFFTag.jxlDecodeSpeed.rawValue
        return Set(tags.map(\.rawValue) + Array(previews) + others + Array(jpegXL))
    }()
}
