internal import NightfuseCore

/// How a directory's samples lie in the file: strips or tiles ("cells"), all checked to be inside it.
struct RasterLayout {
    enum Compression {
        case none
        case losslessJPEG
    }

    static let colourFilterArray = 32803
    static let linearRaw = 34892

    let width: Int
    let height: Int
    /// 1 (mosaic) or 3 (linear).
    let samplesPerPixel: Int
    /// Bits a sample by the directory, 8 to 16.
    let bits: Int
    let compression: Compression
    /// Whether each plane has cells of its own.
    let isPlanar: Bool
    /// A strip is a cell as wide as the picture.
    let cellWidth: Int
    let cellHeight: Int
    /// Cells from left to right, and from top to bottom (of one plane).
    let columns: Int
    let rows: Int
    /// Where the cells are in the file: plane by plane, row by row.
    let cells: [Range<Int>]

    /// Samples side by side in a cell's row.
    var cellSamples: Int { isPlanar ? 1 : samplesPerPixel }

    /// Bytes of a cell's row of uncompressed samples; rows begin at whole bytes (TIFF 6, section 4).
    var rowBytes: Int { (cellWidth * cellSamples * bits + 7) / 8 }

    /// Reads and checks what `directory` says.
    init(_ directory: TIFFDirectory, limits: Limits) throws(NightfuseError) {
        let name = directory.bytes.name
        width = try directory.int(.imageWidth, or: 0)
        height = try directory.int(.imageLength, or: 0)
        samplesPerPixel = try directory.int(.samplesPerPixel, or: 1)
        try limits.check(width: width, height: height, bytesPerPixel: 2 * min(max(samplesPerPixel, 1), 3), name: name)
        let isMosaic = try directory.int(.photometricInterpretation, or: 0) == Self.colourFilterArray
        guard samplesPerPixel == (isMosaic ? 1 : 3) else {
            throw .unsupported(
                name, "raw data of \(samplesPerPixel) samples a pixel are not read; save it as a mosaic or linear DNG")
        }
        bits = try Self.bits(directory, samplesPerPixel)
        compression = try Self.compression(directory)
        let planar = try directory.int(.planarConfiguration, or: 1)
        guard planar == 1 || planar == 2 else {
            throw directory.fault(.planarConfiguration, "is \(planar), not 1 or 2")
        }
        isPlanar = planar == 2 && samplesPerPixel > 1
        (cellWidth, cellHeight) = try Self.cellSize(directory, width: width, height: height)
        try limits.check(
            width: cellWidth, height: cellHeight, bytesPerPixel: 2 * samplesPerPixel,
            name: "\(name): a tile or strip")
        columns = (width + cellWidth - 1) / cellWidth
        rows = (height + cellHeight - 1) / cellHeight
        // What an uncompressed cell must have, by its row in the grid: the last strip may be short, tiles are whole.
        let isTiled = directory.has(.tileOffsets)
        let rowBytes = (cellWidth * (isPlanar ? 1 : samplesPerPixel) * bits + 7) / 8
        let lastRows = isTiled ? cellHeight : height - (rows - 1) * cellHeight
        var needed = [Int](repeating: rowBytes * cellHeight, count: rows - 1)
        needed.append(rowBytes * lastRows)
        cells = try Self.cells(
            directory, count: columns * rows * (isPlanar ? samplesPerPixel : 1),
            needed: compression == .none ? needed : [], columns: columns)
        try Self.refuseShuffled(directory)
    }

    private static func bits(_ directory: TIFFDirectory, _ samplesPerPixel: Int) throws(NightfuseError) -> Int {
        let all = try directory.ints(.bitsPerSample) ?? [1]
        guard let bits = all.first, all.allSatisfy({ $0 == bits }), all.count == 1 || all.count >= samplesPerPixel
        else {
            throw directory.fault(.bitsPerSample, "is \(all), not one depth for all samples")
        }
        let format = try directory.int(.sampleFormat, or: 1)
        guard (8...16).contains(bits), format == 1 else {
            throw .unsupported(
                directory.bytes.name,
                "raw data of \(bits) bits (sample format \(format)) are not read; save it as a DNG of 8 to 16 bits")
        }
        return bits
    }

    private static func compression(_ directory: TIFFDirectory) throws(NightfuseError) -> Compression {
        let named = [
            8: "Deflate", 32773: "PackBits", 34712: "JPEG 2000", 34713: "Nikon NEF", 34892: "lossy JPEG",
            52546: "JPEG XL", 50002: "JPEG XL", 9: "VC-5",
        ]
        let code = try directory.int(.compression, or: 1)
        switch code {
        case 1: return .none
        case 7: return .losslessJPEG
        default:
            throw .unsupported(
                directory.bytes.name,
                "raw data compressed with \(named[code] ?? "method \(code)") are not read; save it as a DNG that is "
                    + "uncompressed or losslessly compressed (Adobe DNG Converter: compatibility 1.4, no lossy compression)"
            )
        }
    }

    private static func cellSize(
        _ directory: TIFFDirectory, width: Int, height: Int
    ) throws(NightfuseError) -> (Int, Int) {
        guard directory.has(.tileOffsets) else {
            let rows = try directory.int(.rowsPerStrip, or: height)
            guard rows > 0 else { throw directory.fault(.rowsPerStrip, "is \(rows)") }
            return (width, min(rows, height))
        }
        let size = (try directory.int(.tileWidth, or: 0), try directory.int(.tileLength, or: 0))
        guard size.0 > 0, size.1 > 0 else { throw directory.fault(.tileWidth, "and length are \(size.0) x \(size.1)") }
        return size
    }

    /// Where each cell is. `needed`: bytes that uncompressed cells must have, by row of the grid; empty: unknown.
    private static func cells(
        _ directory: TIFFDirectory, count: Int, needed: [Int], columns: Int
    ) throws(NightfuseError) -> [Range<Int>] {
        let isTiled = directory.has(.tileOffsets)
        let what = isTiled ? "tile" : "strip"
        let offsets = try directory.ints(isTiled ? .tileOffsets : .stripOffsets) ?? []
        var sizes = try directory.ints(isTiled ? .tileByteCounts : .stripByteCounts) ?? []
        // Writers of one uncompressed strip now and then leave its size out; it can only be this.
        if sizes.isEmpty && !needed.isEmpty { sizes = (0..<count).map { needed[($0 / columns) % needed.count] } }
        guard offsets.count >= count, sizes.count >= count else {
            throw .file(
                directory.bytes.name,
                "\(count) \(what)s are needed, and \(min(offsets.count, sizes.count)) are named "
                    + "(directory at byte \(directory.offset))")
        }
        var cells: [Range<Int>] = []
        cells.reserveCapacity(count)
        var total = 0
        for i in 0..<count {
            if !directory.bytes.isStart { try directory.bytes.check(offsets[i], sizes[i], "\(what) \(i)") }
            let least = needed.isEmpty ? 1 : needed[(i / columns) % needed.count]
            guard sizes[i] >= least else {
                throw .file(
                    directory.bytes.name,
                    "\(what) \(i) at byte \(offsets[i]) has \(sizes[i]) bytes, and needs \(least)")
            }
            cells.append(offsets[i]..<offsets[i] + sizes[i])
            total += sizes[i]
        }
        // Cells that share bytes would make a small file expensive.
        guard directory.bytes.isStart || total <= directory.bytes.count else {
            throw .file(
                directory.bytes.name, "its \(what)s overlap: \(total) bytes in a file of \(directory.bytes.count)")
        }
        return cells
    }

    /// Refuses orders of samples that are seldom used and not read, rather than show them shuffled.
    private static func refuseShuffled(_ directory: TIFFDirectory) throws(NightfuseError) {
        let tags: [TIFFTag] = [
            .rowInterleaveFactor, .columnInterleaveFactor, .subTileBlockSize, .predictor, .fillOrder,
        ]
        for tag in tags {
            if let values = try directory.ints(tag), values.contains(where: { $0 != 1 }) {
                throw .unsupported(
                    directory.bytes.name, "\(tag) \(values.prefix(2)) is not read; save it as an ordinary DNG")
            }
        }
    }
}
