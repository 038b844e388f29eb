internal import NightfuseCore

/// The directories of one DNG, by what is looked for in them.
struct DNGTags {
    /// The first directory: camera, colour, and all that describes the whole file.
    let main: TIFFDirectory
    /// The directory of the raw samples; often the first as well.
    let raw: TIFFDirectory
    let exif: TIFFDirectory?
    let gps: TIFFDirectory?

    var bytes: TIFFBytes { main.bytes }
    var name: String { main.bytes.name }
    var rawIsMain: Bool { raw.offset == main.offset }

    /// Finds the main raw picture: the largest full-resolution directory with a mosaic or linear data.
    ///
    /// - Throws: `.unsupported` where the file is no DNG, or of another kind; `.file` where it holds no raw picture.
    init(_ file: TIFFFile) throws(NightfuseError) {
        guard let main = file.images.first,
            main.has(.dngVersion) || file.images.contains(where: { $0.has(.dngVersion) })
        else {
            throw (RawKind.of(file.bytes.file) ?? .tiff).refusal(file.bytes.name)
        }
        var best: (directory: TIFFDirectory, pixels: Int)?
        for directory in file.images {
            let photometric = try directory.int(.photometricInterpretation, or: -1)
            guard photometric == RasterLayout.colourFilterArray || photometric == RasterLayout.linearRaw,
                try directory.int(.newSubFileType, or: 0) == 0
            else { continue }
            // Saturated: sizes are only compared here, and checked later.
            let (pixels, overflow) = try directory.int(.imageWidth, or: 0).multipliedReportingOverflow(
                by: try directory.int(.imageLength, or: 0))
            if best == nil || (!overflow && pixels > best?.pixels ?? 0) { best = (directory, pixels) }
        }
        guard let best else {
            throw .file(
                main.bytes.name,
                "a DNG without raw data: none of its \(file.images.count) directories holds a "
                    + "full-size mosaic or linear picture")
        }
        (self.main, self.raw, self.exif, self.gps) = (main, best.directory, file.exif, file.gps)
    }

    /// DNGVersion as major x 1000000 + minor x 10000 + ...; 0 where it is unknown.
    func version(_ tag: TIFFTag) throws(NightfuseError) -> Int {
        (try main.ints(tag) ?? []).prefix(4).reduce(0) { $0 * 100 + min($1, 99) }
    }

    /// Numbers that describe the whole file: from the first directory, else from that of the raw samples.
    func doubles(_ tag: TIFFTag) throws(NightfuseError) -> [Double]? {
        if let values = try main.doubles(tag) { return values }
        return try raw.doubles(tag)
    }

    /// As ``doubles(_:)``, whole numbers.
    func ints(_ tag: TIFFTag) throws(NightfuseError) -> [Int]? {
        if let values = try main.ints(tag) { return values }
        return try raw.ints(tag)
    }

    /// As ``doubles(_:)``, text.
    func string(_ tag: TIFFTag) throws(NightfuseError) -> String? {
        if let text = try main.string(tag) { return text }
        return try raw.string(tag)
    }
}
