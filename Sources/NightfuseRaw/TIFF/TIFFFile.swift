internal import NightfuseCore

/// The directories of a TIFF file: the chain that starts in its header, and all that hang below.
struct TIFFFile {
    let bytes: TIFFBytes
    /// Image directories: the first one first, each followed by its sub-directories.
    let images: [TIFFDirectory]
    /// The EXIF and GPS directories of the first image directory that names one.
    let exif: TIFFDirectory?
    let gps: TIFFDirectory?

    /// Reads every directory, at most `limits.directories`.
    ///
    /// - Throws: `.file` where the header or a directory is broken, or directories form a cycle; `.limit` where there
    ///   are too many; `.unsupported` for BigTIFF.
    init(_ file: FileBytes, name: String, limits: Limits, isStart: Bool = false) throws(NightfuseError) {
        var bytes = try Self.header(file, name)
        bytes.isStart = isStart
        var walk = Walk(bytes: bytes, most: limits.directories)
        try walk.chain(from: bytes.u32(4))
        self.bytes = bytes
        self.images = walk.images
        self.exif = try walk.linked(.exifIFD)
        self.gps = try walk.linked(.gpsIFD)
    }

    private static func header(
        _ file: FileBytes, _ name: String
    ) throws(NightfuseError) -> TIFFBytes {
        guard file.count >= 8 else { throw .file(name, "\(file.count) bytes are too few for a TIFF header") }
        let big = UInt8(ascii: "M")
        let little = UInt8(ascii: "I")
        guard file[0] == file[1], file[0] == big || file[0] == little else {
            throw .file(name, "no TIFF header")
        }
        let bytes = TIFFBytes(file: file, bigEndian: file[0] == big, name: name)
        switch bytes.u16(2) {
        case 42: return bytes
        case 43:
            throw .unsupported(name, "a BigTIFF file, which is not read; save it as an ordinary DNG below 4 GiB")
        default: throw .file(name, "no TIFF header (version \(bytes.u16(2)) at byte 2, expected 42)")
        }
    }
}

/// The walk over a file's directories, which ends: none is visited twice, and there is a most.
private struct Walk {
    let bytes: TIFFBytes
    let most: Int
    var images: [TIFFDirectory] = []
    private var visited: Set<Int> = []

    init(bytes: TIFFBytes, most: Int) { (self.bytes, self.most) = (bytes, most) }

    mutating func chain(from start: Int) throws(NightfuseError) {
        var at = start
        repeat {
            let directory = try visit(at)
            images.append(directory)
            for sub in try directory.ints(.subIFDs) ?? [] { try chain(from: sub) }
            at = directory.next
        } while at != 0
    }

    /// The directory that the first image directory with `tag` points at.
    mutating func linked(_ tag: TIFFTag) throws(NightfuseError) -> TIFFDirectory? {
        for image in images {
            if let at = try image.ints(tag)?.first { return try visit(at) }
        }
        return nil
    }

    private mutating func visit(_ at: Int) throws(NightfuseError) -> TIFFDirectory {
        guard visited.count < most else {
            throw .limit("\(bytes.name): more than the \(most) directories allowed")
        }
        guard visited.insert(at).inserted else {
            throw .file(bytes.name, "the directory at byte \(at) is named twice: the directories form a cycle")
        }
        return try TIFFDirectory(bytes, at: at)
    }
}
