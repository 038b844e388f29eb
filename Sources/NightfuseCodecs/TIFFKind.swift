extension PictureFormat {
    /// Tells DNG, TIFF and the raw files of camera makers apart by header and first directory; nil for what is no TIFF.
    static func sniffTIFF(_ bytes: [UInt8]) -> PictureFormat? {
        let raw = "convert it to DNG first"
        guard bytes.count >= 8 else { return nil }
        if bytes.starts(with: Array("IIU\0".utf8)) { return .refused(name: "RW2 (raw)", advice: raw) }
        if bytes.starts(with: Array("IIRO".utf8)) || bytes.starts(with: Array("IIRS".utf8))
            || bytes.starts(with: Array("MMOR".utf8))
        {
            return .refused(name: "ORF (raw)", advice: raw)
        }
        if bytes[6..<8].elementsEqual("HE".utf8), bytes.count >= 14, bytes[6..<14].elementsEqual("HEAPCCDR".utf8) {
            return .refused(name: "CRW (raw)", advice: raw)
        }
        let little = bytes.starts(with: Array("II*\0".utf8))
        guard little || bytes.starts(with: Array("MM\0*".utf8)) else {
            let big = bytes.starts(with: Array("II+\0".utf8)) || bytes.starts(with: Array("MM\0+".utf8))
            return big ? .refused(name: "BigTIFF", advice: "convert it to PNG or DNG first") : nil
        }
        if bytes.count >= 10, bytes[8..<10].elementsEqual("CR".utf8) { return .refused(name: "CR2 (raw)", advice: raw) }
        return firstDirectory(bytes, little: little)
    }

    private static func firstDirectory(_ bytes: [UInt8], little: Bool) -> PictureFormat {
        let tiff = TIFFBytes(bytes, isLittleEndian: little)
        let tiffKind = PictureFormat.refused(
            name: "TIFF", advice: "convert it to PNG (16 bits are kept) or JPEG first")
        guard let start = tiff.u32(4), let count = tiff.u16(Int(start)) else {
            // Writers often put the directory last: then it is what a copy that was broken off lacks.
            return .refused(name: "TIFF or DNG that ends before its directory", advice: "copy it again")
        }
        var make = ""
        for i in 0..<Int(count) {
            let entry = Int(start) + 2 + 12 * i
            guard let tag = tiff.u16(entry) else { break }
            if tag == 0xC612 { return .dng }
            if tag == 0x010F, let length = tiff.u32(entry + 4), length > 4, let at = tiff.u32(entry + 8) {
                make = tiff.ascii(Int(at), count: Int(min(length, 64)))
            }
        }
        return rawKinds(make) ?? tiffKind
    }

    /// Makers whose raw files are TIFF. They may also have written a plain TIFF; the advice is then still sound.
    private static func rawKinds(_ make: String) -> PictureFormat? {
        let raw = "convert it to DNG first"
        let makers = [
            ("NIKON", "NEF (raw)"), ("SONY", "ARW (raw)"), ("PENTAX", "PEF (raw)"), ("SAMSUNG", "SRW (raw)"),
            ("Phase One", "IIQ (raw)"), ("Hasselblad", "3FR (raw)"), ("EPSON", "ERF (raw)"),
        ]
        for (maker, name) in makers where make.hasPrefix(maker) { return .refused(name: name, advice: raw) }
        return nil
    }
}
