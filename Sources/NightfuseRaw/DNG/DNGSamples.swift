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
            let width = min(Self.tileSide, (frame.width + 15) & ~15)
            let height = min(Self.tileSide, (frame.height + 15) & ~15)
            let columns = (frame.width + width - 1) / width
            let count = columns * ((frame.height + height - 1) / height)
            let results = TileResults(count: count)
            try workers.each(count) { (i) throws(NightfuseError) in
                let corner = (x: i % columns * width, y: i / columns * height)
                results.set(i, try Self.compress(frame, corner, width, height))
            }
            (tileWidth, tileHeight, tiles) = (width, height, results.all)
        }
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
            try sink(UnsafeRawBufferPointer(start: tile.base, count: (tile.width + 1) & ~1))
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
            try sink(UnsafeRawBufferPointer(start: strip.base, count: count * 2))
        }
    }

    private func interleave(_ y: Int, _ out: UnsafeMutablePointer<UInt16>) {
        if samplesPerPixel == 1 {
            out.update(from: frame.planes[0].row(y), count: frame.width)
        } else {
            for (c, plane) in frame.planes.enumerated() {
                let row = plane.row(y)
                for x in 0..<frame.width { out[x * 3 + c] = row[x] }
            }
        }
    }

    /// One tile as a JPEG: mosaics as two components of half the width, so that the left neighbour has the same colour;
    /// what lies past the picture repeats the colours at its edge.
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
            return try encoder.encode(plane.row(corner.y) + corner.x, rowStride: plane.stride)
        }
        let step = frame.planes.count
        let tile = try Plane<UInt16>(width: width * step, height: height)
        let period = isMosaic ? 2 : 1
        for y in 0..<height {
            let source = edge(corner.y + y, frame.height, period)
            let out = tile.row(y)
            for (c, plane) in frame.planes.enumerated() {
                let row = plane.row(source)
                for x in 0..<width { out[x * step + c] = row[edge(corner.x + x, frame.width, period)] }
            }
        }
        return try encoder.encode(tile.base, rowStride: tile.stride)
    }

    /// The last place below `count` that is a multiple of `period` before `at`; `at` itself where it is inside.
    private static func edge(_ at: Int, _ count: Int, _ period: Int) -> Int {
        guard at >= count else { return at }
        return max(at - (at - count + period) / period * period, 0)
    }
}

/// Tiles as they come from several threads. Unchecked: each index is written by one thread, and read once all are done.
private final class TileResults: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<Plane<UInt8>?>
    private let count: Int

    init(count: Int) {
        self.count = count
        memory = .allocate(capacity: count)
        memory.initialize(repeating: nil, count: count)
    }

    deinit {
        memory.deinitialize(count: count)
        memory.deallocate()
    }

    func set(_ index: Int, _ tile: Plane<UInt8>) { memory[index] = tile }

    var all: [Plane<UInt8>] { (0..<count).compactMap { memory[$0] } }
}
