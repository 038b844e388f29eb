internal import NightfuseCore

/// A half-open rectangle of pixels.
struct PixelRectangle: Equatable {
    var top: Int
    var left: Int
    var bottom: Int
    var right: Int

    var width: Int { right - left }
    var height: Int { bottom - top }
}

/// Brings the samples of a rectangle of a raster into planes.
struct RasterDecoder: Sendable {
    let layout: RasterLayout
    let bytes: TIFFBytes
    let area: PixelRectangle
    /// One or three, of the area's size.
    let planes: [Plane<UInt16>]
    /// Whether the difference 32768 has extra bits (DNG before 1.1).
    let sixteenHasExtraBits: Bool

    /// Bytes needed beside the planes: what the cells that are decoded at one time take.
    static func scratchBytes(_ layout: RasterLayout, threads: Int) -> Int {
        guard layout.compression == .losslessJPEG else { return 0 }
        let largest = layout.cells.reduce(0) { max($0, $1.count) }
        let samples = layout.cellWidth * layout.cellHeight * layout.cellSamples
        // The compressed bytes bound the samples (see LosslessJPEGParser), whatever size a tile claims: 8 a byte, of each
        // of 4 components.
        return min(threads, layout.cells.count) * (largest + min(samples, largest * 32) * 2)
    }

    /// Decodes on all of `workers`' threads.
    ///
    /// - Returns: bits a sample, as the compressed data have it.
    func decode(_ workers: Workers) throws(NightfuseError) -> Int {
        switch layout.compression {
        case .none:
            let grain = 64
            try workers.bands(area.height, grain: grain) { (_, rows) throws(NightfuseError) in try unpack(rows) }
            return layout.bits
        case .losslessJPEG:
            let cells = cellsInArea()
            try workers.each(cells.count) { (i) throws(NightfuseError) in try decodeCell(cells[i]) }
            let first = layout.cells[cells[0]]
            let frame = try LosslessJPEG.frame(bytes.file.part(first), name: bytes.name)
            return min(layout.bits, frame.precision)
        }
    }

    // MARK: Uncompressed

    /// Unpacks these rows of the area.
    private func unpack(_ rows: Range<Int>) throws(NightfuseError) {
        let unpacking = SampleUnpacking(file: bytes.file, bigEndian: bytes.bigEndian, bits: layout.bits)
        let samples = layout.cellSamples
        let scratch = try Plane<UInt16>(width: samples > 1 ? layout.cellWidth * samples : 1, height: 1)
        for y in rows {
            let (cellRow, inner) = (y + area.top).quotientAndRemainder(dividingBy: layout.cellHeight)
            for column in area.left / layout.cellWidth...(area.right - 1) / layout.cellWidth {
                let from = max(column * layout.cellWidth, area.left)
                let to = min((column + 1) * layout.cellWidth, area.right)
                let first = (from - column * layout.cellWidth) * samples
                for plane in 0..<(layout.isPlanar ? planes.count : 1) {
                    let cell = layout.cells[(plane * layout.rows + cellRow) * layout.columns + column]
                    let row = cell.lowerBound + inner * layout.rowBytes
                    let out = planes[plane].mutableRow(y) + (from - area.left)
                    guard samples > 1 else {
                        unpacking.unpack(row: row, first: first, count: to - from, to: out)
                        continue
                    }
                    unpacking.unpack(row: row, first: first, count: (to - from) * samples, to: scratch.base)
                    spread(Row(scratch.base), to: y, from - area.left, count: to - from)
                }
            }
        }
    }

    /// Deals `count` pixels of three samples out to the planes, at row `y` from column `x` on.
    private func spread(_ samples: Row<UInt16>, to y: Int, _ x: Int, count: Int) {
        for (c, plane) in planes.enumerated() {
            let out = plane.mutableRow(y) + x
            for i in 0..<count { out[i] = samples[i * 3 + c] }
        }
    }

    // MARK: Lossless JPEG

    /// Numbers of the cells that share pixels with the area.
    private func cellsInArea() -> [Int] {
        layout.cells.indices.filter { index in
            let (x, y) = origin(index)
            return x < area.right && x + layout.cellWidth > area.left && y < area.bottom
                && y + layout.cellHeight > area.top
        }
    }

    /// The upper left pixel of a cell.
    private func origin(_ index: Int) -> (x: Int, y: Int) {
        let inPlane = index % (layout.rows * layout.columns)
        return (inPlane % layout.columns * layout.cellWidth, inPlane / layout.columns * layout.cellHeight)
    }

    /// Decodes a cell; errors say which it was.
    private func decodeCell(_ index: Int) throws(NightfuseError) {
        let place = "cell \(index) at byte \(layout.cells[index].lowerBound)"
        do throws(NightfuseError) {
            try decodePlaced(index)
        } catch {
            switch error {
            case .file(let name, let reason): throw .file(name, "\(place): \(reason)")
            case .unsupported(let name, let reason): throw .unsupported(name, "\(place): \(reason)")
            default: throw error
            }
        }
    }

    private func decodePlaced(_ index: Int) throws(NightfuseError) {
        let source = bytes.file.part(layout.cells[index])
        let frame = try LosslessJPEG.frame(source, name: bytes.name)
        let (x, y) = origin(index)
        let rowSamples = try rowLength(frame, x: x, y: y)
        let isWhole =
            x >= area.left && y >= area.top && x + frame.rowSamples <= area.right && y + frame.height <= area.bottom
        if layout.cellSamples == 1 && isWhole && rowSamples == frame.rowSamples {
            let plane = planes[layout.isPlanar ? index / (layout.rows * layout.columns) : 0]
            try LosslessJPEG.decode(
                source, into: plane.base + (y - area.top) * plane.stride + (x - area.left), rowStride: plane.stride,
                name: bytes.name,
                sixteenHasExtraBits: sixteenHasExtraBits)
            return
        }
        let scratch = try Plane<UInt16>(width: frame.samples, height: 1)
        try LosslessJPEG.decode(
            source, into: scratch.base, rowStride: frame.rowSamples, name: bytes.name,
            sixteenHasExtraBits: sixteenHasExtraBits)
        copy(Row(scratch.base), rowSamples: rowSamples, cell: index)
    }

    /// Samples in a row of the cell, once its JPEG has been found to fit: the same size; or any other of as many samples
    /// (cameras write a tile as two components of half its width, or two rows as one); or cut at the picture's edge.
    private func rowLength(
        _ frame: LosslessJPEG.Frame, x: Int, y: Int
    ) throws(NightfuseError) -> Int {
        let full = layout.cellWidth * layout.cellSamples
        let cut = min(layout.cellWidth, layout.width - x) * layout.cellSamples
        let rows = min(layout.cellHeight, layout.height - y)
        let heights = rows...layout.cellHeight
        if heights.contains(frame.height) && (frame.rowSamples == full || frame.rowSamples == cut) {
            return frame.rowSamples
        }
        if frame.samples % full == 0 && heights.contains(frame.samples / full) { return full }
        throw .file(
            bytes.name,
            "a JPEG of \(frame.width) x \(frame.height) x \(frame.components) does not fill a tile or strip of "
                + "\(layout.cellWidth) x \(rows) x \(layout.cellSamples)")
    }

    /// Copies what lies in the area.
    private func copy(_ samples: Row<UInt16>, rowSamples: Int, cell: Int) {
        let (x, y) = origin(cell)
        let from = max(x, area.left)
        let to = min(min(x + layout.cellWidth, area.right), x + rowSamples / layout.cellSamples)
        let plane = planes[layout.isPlanar ? cell / (layout.rows * layout.columns) : 0]
        for row in max(y, area.top)..<min(y + layout.cellHeight, area.bottom) {
            let source = samples + (row - y) * rowSamples + (from - x) * layout.cellSamples
            if layout.cellSamples == 1 {
                (plane.mutableRow(row - area.top) + (from - area.left)).update(from: source, count: to - from)
            } else {
                spread(source, to: row - area.top, from - area.left, count: to - from)
            }
        }
    }
}
