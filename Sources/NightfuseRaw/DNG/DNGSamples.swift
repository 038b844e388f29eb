internal import NightfuseCore

/// The samples of a frame on their way into a file: strips as they are, or tiles already compressed.
struct DNGSamples: Sendable {
    let frame: RawFrame
    /// Compressed tiles, row by row; empty for strips.
    private let tiles: [Plane<UInt8>]
    let tileWidth: Int
    let tileHeight: Int

    /// Rows of an uncompressed strip: some hundred kilobytes.
    private static let stripRows = 16
    /// A tile's samples and their differences stay in the cache of one core (TIFF wants multiples of 16).
    private static let tileSide = 256

    init(
        _ frame: RawFrame, compression: DNGWriter.Compression, workers: Workers
    ) throws(NightfuseError) {
        self.frame = frame
        switch compression {
        case .none:
            (tileWidth, tileHeight, tiles) = (frame.width, Self.stripRows, [])
        case .lossless:
            let (even, height) = (Self.side(frame.width), Self.side(frame.height))
            // LibRaw takes a mosaic's tile of two components for one of the whole width where two make that width.
            let width = frame.planes.count == 1 && 2 * even == frame.width ? even + 16 : even
            let columns = (frame.width + width - 1) / width
            let count = columns * ((frame.height + height - 1) / height)
            let results = BandResults<Plane<UInt8>?>(count, nil)
            try workers.each(count) { (i) throws(NightfuseError) in
                let corner = (x: i % columns * width, y: i / columns * height)
                results.put(i, try Self.compress(frame, corner, width, height))
            }
            (tileWidth, tileHeight, tiles) = (width, height, results.all.compactMap(\.self))
        }
    }

    /// The side of equal tiles that cover `size` with little left over.
    private static func side(_ size: Int) -> Int {
        let tiles = (size + tileSide - 1) / tileSide
        return ((size + tiles - 1) / tiles + 15) & ~15
    }

    var samplesPerPixel: Int { frame.planes.count }
    var isTiled: Bool { !tiles.isEmpty }

    /// Bytes of each tile or strip.
    var byteCounts: [Int] {
        if isTiled { return tiles.map(\.width) }
        return stride(from: 0, to: frame.height, by: tileHeight).map {
            min(tileHeight, frame.height - $0) * frame.width * samplesPerPixel * 2
        }
    }

    /// Where each begins, the first at `start`; all even.
    func offsets(from start: Int) -> [Int] {
        var at = start
        return byteCounts.map { count in
            defer { at += (count + 1) & ~1 }
            return at
        }
    }

    func write(to sink: (UnsafeRawBufferPointer) throws(NightfuseError) -> Void) throws(NightfuseError) {
        for tile in tiles {
            // A plane's rows have room behind them: an odd tile is written with its zero.
            let count = (tile.width + 1) & ~1
            // The tile lives as long as this, and `pointer` holds the count against its size.
            try unsafe sink(UnsafeRawBufferPointer(start: tile.base.pointer(count), count: count))
        }
        guard !isTiled else { return }
        let strip = try Plane<UInt16>(width: frame.width * samplesPerPixel * tileHeight, height: 1)
        for y in stride(from: 0, to: frame.height, by: tileHeight) {
            let rows = min(tileHeight, frame.height - y)
            for row in 0..<rows {
                let out = strip.base + row * frame.width * samplesPerPixel
                interleave(y + row, out)
            }
            let count = rows * frame.width * samplesPerPixel
            if frame.carried.bigEndian == (UInt16(littleEndian: 1) == 1) {
                for i in 0..<count { strip.base[i] = strip.base[i].byteSwapped }
            }
            // As above.
            try unsafe sink(UnsafeRawBufferPointer(start: strip.base.pointer(count), count: count * 2))
        }
    }

    private func interleave(_ y: Int, _ out: MutableRow<UInt16>) {
        if samplesPerPixel == 1 {
            out.update(from: frame.planes[0].row(y), count: frame.width)
        } else {
            for (c, plane) in frame.planes.enumerated() {
                let row = plane.row(y)
                for x in 0..<frame.width { out[x * 3 + c] = row[x] }
            }
        }
    }

    /// One tile as a JPEG: mosaics as two components of half the width, so that the left neighbour has the same colour.
    private static func compress(
        _ frame: RawFrame, _ corner: (x: Int, y: Int), _ width: Int, _ height: Int
    ) throws(NightfuseError) -> Plane<UInt8> {
        let isMosaic = frame.planes.count == 1
        let encoder = LosslessJPEGEncoder(
            frame: isMosaic
                ? .init(precision: 16, width: width / 2, height: height, components: 2)
                : .init(precision: 16, width: width, height: height, components: 3))
        let isInside = corner.x + width <= frame.width && corner.y + height <= frame.height
        if isMosaic && isInside {
            let plane = frame.planes[0]
            return try encoder.encode(Row(plane.base) + corner.y * plane.stride + corner.x, rowStride: plane.stride)
        }
        let tile = try Plane<UInt16>(width: width * frame.planes.count, height: height)
        for y in 0..<height { fill(tile.mutableRow(y), frame, corner.x, corner.y + y, width) }
        return try encoder.encode(Row(tile.base), rowStride: tile.stride)
    }

    /// A row of a tile. What lies past the picture repeats the colours to the left, and below it those at the left edge:
    /// differences of zero, which cost next to nothing.
    private static func fill(
        _ out: MutableRow<UInt16>, _ frame: RawFrame, _ left: Int, _ y: Int, _ width: Int
    ) {
        let step = frame.planes.count
        let inside = y < frame.height ? min(width, frame.width - left) : min(2, frame.width - left)
        for (c, plane) in frame.planes.enumerated() {
            let row = plane.row(min(y, frame.height - 1)) + left
            for x in 0..<inside { out[x * step + c] = row[x] }
        }
        let period = step == 1 ? min(2, inside) : step
        for i in inside * step..<width * step { out[i] = out[i - period] }
    }
}
