public import NightfuseCore

/// Reads DNG (1.0 to 1.7): mosaics of any Bayer order and linear data, uncompressed or lossless JPEG.
public enum DNGReader {
    /// Reads a raw frame: samples of the active area after LinearizationTable, levels, colour, noise, capture.
    ///
    /// Black-level deltas are taken out of the samples (see ``RawFrame/black``); orientation is in `info` and not applied;
    /// gain maps and bad pixels are stated and not applied.
    ///
    /// Cost: for uncompressed 16-bit samples little more than a copy; lossless JPEG about 5 ns a sample and core.
    /// Memory: 2 bytes a sample, and for lossless JPEG a tile for each thread. Checked before it is asked for.
    ///
    /// - Parameters:
    ///   - bytes: the whole file, unchanged for the time of the call.
    ///   - name: the file's name, for messages and the frame.
    /// - Throws: `.file` where the file is broken; `.unsupported` where it is of a kind that is not read, with what to do;
    ///   `.limit` where it is larger than allowed.
    public static func read(
        _ bytes: UnsafeRawBufferPointer, name: String, limits: Limits = Limits(), workers: Workers = Workers(threads: 1)
    ) throws(NightfuseError) -> RawFrame {
        // The caller keeps the bytes for the time of the call, and a frame has memory of its own.
        try read(unsafe FileBytes(bytes), name: name, limits: limits, workers: workers)
    }

    private static func read(
        _ bytes: FileBytes, name: String, limits: Limits, workers: Workers
    ) throws(NightfuseError) -> RawFrame {
        if let maker = RawKind.ofMagic(bytes) { throw maker.refusal(name) }
        let tags = try DNGTags(try TIFFFile(bytes, name: name, limits: limits))
        let layout = try RasterLayout(tags.raw, limits: limits)
        let area = try activeArea(tags.raw, layout)
        let planeCount = layout.samplesPerPixel
        let pattern = planeCount == 1 ? try mosaic(tags.raw) : []
        let levels = try Levels(tags.raw, area: area, planes: planeCount, bits: layout.bits)
        var effects = try OpcodeEffects(tags.raw, area: area, isMosaic: planeCount == 1)
        let colour = try ColourTags(tags)
        let noise = try tags.noise()
        let info = try CaptureInfo(tags)
        let crop = try crop(tags, area)
        let carried = try CarriedTags(tags, restOfList1: effects.restOfList1, limits: limits)

        let (planes, bits) = try samples(tags, layout, area, limits: limits, workers: workers)
        let badPixels = effects.badPixels(in: planes[0])
        try levels.apply(to: planes, workers: workers)

        return RawFrame(
            planes: planes, layout: planeCount == 1 ? .mosaic(pattern) : .linear, black: levels.black,
            blackRows: levels.rows, blackColumns: levels.columns, white: levels.white, neutral: colour.neutral,
            calibrations: colour.calibrations, baselineExposure: colour.baselineExposure, noise: noise,
            gainMaps: effects.gainMaps, badPixels: badPixels, crop: crop, info: info,
            name: name, bits: bits, compression: layout.compression == .none ? "none" : "lossless JPEG",
            notes: colour.notes + effects.notes, carried: carried)
    }

    /// As ``read(_:name:limits:workers:)``, of an array.
    public static func read(
        _ bytes: [UInt8], name: String, limits: Limits = Limits(), workers: Workers = Workers(threads: 1)
    ) throws(NightfuseError) -> RawFrame {
        try FileBytes.read(bytes) { (file) throws(NightfuseError) in
            try read(file, name: name, limits: limits, workers: workers)
        }
    }

    /// The samples of an area of the raster, nil: all of it; and bits a sample, as the compressed data have it.
    static func samples(
        _ tags: DNGTags, _ layout: RasterLayout, _ area: PixelRectangle?, limits: Limits, workers: Workers
    ) throws(NightfuseError) -> (planes: [Plane<UInt16>], bits: Int) {
        let area = area ?? PixelRectangle(top: 0, left: 0, bottom: layout.height, right: layout.width)
        try checkMemory(layout, area, limits, workers, tags.bytes.name)
        var planes: [Plane<UInt16>] = []
        // Unpacked samples are all there; of compressed ones the file decides.
        let isZero = layout.compression != .none
        for _ in 0..<layout.samplesPerPixel {
            planes.append(try Plane(width: area.width, height: area.height, isZero: isZero))
        }
        let decoder = RasterDecoder(
            layout: layout, bytes: tags.bytes, area: area, planes: planes,
            sixteenHasExtraBits: try tags.version(.dngVersion) < 1_010_000)
        return (planes, try decoder.decode(workers))
    }

    static func activeArea(
        _ raw: TIFFDirectory, _ layout: RasterLayout
    ) throws(NightfuseError) -> PixelRectangle {
        guard let values = try raw.ints(.activeArea) else {
            return PixelRectangle(top: 0, left: 0, bottom: layout.height, right: layout.width)
        }
        guard values.count == 4, values[0] >= 0, values[1] >= 0, values[0] < values[2], values[1] < values[3],
            values[2] <= layout.height, values[3] <= layout.width
        else {
            throw raw.fault(
                .activeArea, "\(values.prefix(4)) is no rectangle of \(layout.width) x \(layout.height) pixels")
        }
        return PixelRectangle(top: values[0], left: values[1], bottom: values[2], right: values[3])
    }

    /// The colours of the 2 x 2 cell at the active area's corner.
    private static func mosaic(_ raw: TIFFDirectory) throws(NightfuseError) -> [UInt8] {
        let size = try raw.ints(.cfaRepeatPatternDim) ?? [2, 2]
        let cell = try raw.ints(.cfaPattern) ?? []
        let planes = try raw.ints(.cfaPlaneColor) ?? [0, 1, 2]
        let isRectangular = try raw.int(.cfaLayout, or: 1) == 1
        guard size == [2, 2], planes == [0, 1, 2], isRectangular, cell.count == 4, cell.sorted() == [0, 1, 1, 2],
            cell[0] == cell[3] || cell[1] == cell[2]
        else {
            throw .unsupported(
                raw.bytes.name,
                "a mosaic of \(size.prefix(2).map { "\($0)" }.joined(separator: " x ")) pixels, colours "
                    + "\(cell.prefix(36)), is not read; convert it to a linear DNG")
        }
        return cell.map { UInt8($0) }
    }

    private static func checkMemory(
        _ layout: RasterLayout, _ area: PixelRectangle, _ limits: Limits, _ workers: Workers, _ name: String
    ) throws(NightfuseError) {
        let planes = limits.planeBytes(area.width * area.height * layout.samplesPerPixel * 2)
        let needed = planes + RasterDecoder.scratchBytes(layout, threads: workers.threads)
        guard needed <= limits.memoryBytes else {
            throw .limit(
                "\(name): \(area.width) x \(area.height) needs \(needed >> 20) MiB, and "
                    + "\(limits.memoryBytes >> 20) MiB are allowed; --max-memory \((needed >> 20) + 1)M would do")
        }
    }

    /// DefaultCrop to whole pixels, within the active area.
    static func crop(
        _ tags: DNGTags, _ area: PixelRectangle
    ) throws(NightfuseError) -> (x: Int, y: Int, width: Int, height: Int) {
        let origin = try tags.raw.doubles(.defaultCropOrigin) ?? [0, 0]
        let size = try tags.raw.doubles(.defaultCropSize) ?? [Double(area.width), Double(area.height)]
        let all = origin + size
        guard all.count == 4, all.allSatisfy({ $0 >= 0 && $0 <= 1e6 }) else {
            return (0, 0, area.width, area.height)
        }
        let whole = all.map { Int($0 + 0.5) }
        let x = min(whole[0], area.width - 1)
        let y = min(whole[1], area.height - 1)
        return (x, y, min(max(whole[2], 1), area.width - x), min(max(whole[3], 1), area.height - y))
    }
}
