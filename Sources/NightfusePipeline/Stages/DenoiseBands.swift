package import NightfuseCore
package import NightfuseKernels

/// The two passes of the filter over a picture, in place, a band of rows at a time and a tile of a band at a time: what a
/// tile works on stays in the processor's cache, and no second picture is needed.
///
/// A tile sees ``halo`` pixels around itself, as many as anything in it depends on, so tiles leave no seams; the rows
/// that bands share are put by before the first band is overwritten.
package struct DenoiseBands {
    private let planes: [Plane<Float>]
    private let variance: Plane<Float>
    private let filter: CollaborativeFilter
    /// Rows that bands share, as they were: 2 x halo for every border between bands; one plane a channel.
    private let shared: [Plane<Float>]
    private let halo: Int

    /// Multiples of every step in use (3 and 4), so that patches stand where they would without tiles.
    private static let bandRows = 192
    private static let tileColumns = 480

    /// - Parameters:
    ///   - planes: three decorrelated channels of one size, at least 8 x 8; replaced by the result.
    ///   - variance: their noise variance at every pixel, or at every block of 2 x 2.
    package init(_ planes: [Plane<Float>], variance: Plane<Float>, filter: CollaborativeFilter) throws(NightfuseError) {
        self.planes = planes
        self.variance = variance
        self.filter = filter
        // A pixel of the second pass depends on patches 7 pixels off, in the first pass on as many again; groups reach
        // farther by their radius, and so does what they are compared with.
        halo = filter.group == 1 ? 16 : (14 + 2 * filter.radius + 11) / 12 * 12
        let borders = (planes[0].height - 1) / Self.bandRows
        var shared: [Plane<Float>] = []
        if borders > 0 {
            for _ in planes {
                shared.append(try Plane(width: planes[0].width, height: borders * 2 * halo, isZero: false))
            }
        }
        self.shared = shared
    }

    package func run(_ workers: Workers) throws(NightfuseError) {
        let (w, h) = (planes[0].width, planes[0].height)
        if let borders = shared.first.map({ $0.height / (2 * halo) }) {
            try workers.each(borders) { border throws(NightfuseError) in
                let first = (border + 1) * Self.bandRows - halo
                for c in 0..<3 {
                    for k in 0..<min(2 * halo, h - first) {
                        shared[c].mutableRow(border * 2 * halo + k).update(from: planes[c].row(first + k), count: w)
                    }
                }
            }
        }
        try workers.bands(
            h, grain: Self.bandRows, scratch: { TileScratch(width: w, rows: Self.bandRows) }
        ) { (work, band, rows) throws(NightfuseError) in
            for x in stride(from: 0, to: w, by: Self.tileColumns) {
                try tile(band, rows, x..<min(x + Self.tileColumns, w), work)
            }
            for c in 0..<3 {
                for y in rows { planes[c].mutableRow(y).update(from: work.result(c, y - rows.lowerBound), count: w) }
            }
        }
    }

    /// Row `y` of a channel as it was before any band was written, seen from band `band` of rows `rows`.
    private func before(_ channel: Int, _ y: Int, _ band: Int, _ rows: Range<Int>) -> Row<Float> {
        if y < rows.lowerBound { return shared[channel].row((band - 1) * 2 * halo + y - (rows.lowerBound - halo)) }
        if y >= rows.upperBound { return shared[channel].row(band * 2 * halo + y - (rows.upperBound - halo)) }
        return planes[channel].row(y)
    }

    private func tile(
        _ band: Int, _ rows: Range<Int>, _ columns: Range<Int>, _ work: TileScratch
    ) throws(NightfuseError) {
        let (w, h) = (planes[0].width, planes[0].height)
        let (top, left) = (max(rows.lowerBound - halo, 0), max(columns.lowerBound - halo, 0))
        let (bottom, right) = (min(rows.upperBound + halo, h), min(columns.upperBound + halo, w))
        let tile = try work.planes(width: right - left, height: bottom - top)
        for y in top..<bottom {
            for c in 0..<3 {
                tile.noisy[c].mutableRow(y - top).update(from: before(c, y, band, rows) + left, count: right - left)
            }
            if variance.width == w {
                tile.variance.mutableRow(y - top).update(from: variance.row(y) + left, count: right - left)
            } else {
                // Tiles begin at even columns.
                doubleRow(variance.row(y / 2) + left / 2, count: right - left, into: tile.variance.mutableRow(y - top))
            }
        }
        let alone = Workers(threads: 1)
        try smoothBinomial(tile.noisy[0], into: tile.guide, workers: alone)
        var first = filter
        first.group = 1
        var planes = CollaborativeFilter.Planes(
            noisy: tile.noisy, pilot: nil, guide: tile.guide, guideNoise: 9.0 / 64, variance: tile.variance,
            sums: tile.pilot, weights: tile.weights)
        for plane in tile.pilot { plane.fill(0) }
        tile.weights.fill(0)
        first.run(planes)
        normalise(tile.pilot, by: tile.weights)
        for plane in tile.result { plane.fill(0) }
        tile.weights.fill(0)
        planes.pilot = tile.pilot
        planes.guide = tile.pilot[0]
        planes.guideNoise = 0
        planes.sums = tile.result
        // Patches that start elsewhere cannot touch the tile itself.
        let reach = 8 + (filter.group == 1 ? 0 : filter.radius)
        filter.run(
            planes, rows: max(rows.lowerBound - top - reach, 0)..<rows.upperBound - top + reach,
            columns: max(columns.lowerBound - left - reach, 0)..<columns.upperBound - left + reach)
        for y in rows {
            let weight = tile.weights.row(y - top) + (columns.lowerBound - left)
            for c in 0..<3 {
                let sum = tile.result[c].row(y - top) + (columns.lowerBound - left)
                let out = work.result(c, y - rows.lowerBound) + columns.lowerBound
                for x in 0..<columns.count { out[x] = sum[x] / max(weight[x], 1e-12) }
            }
        }
    }

    private func normalise(_ sums: [Plane<Float>], by weights: Plane<Float>) {
        for y in 0..<weights.height {
            let weight = weights.row(y)
            for c in 0..<3 {
                let row = sums[c].mutableRow(y)
                for x in 0..<weights.width { row[x] /= max(weight[x], 1e-12) }
            }
        }
    }
}

/// What one thread works with: the planes of a tile, and the result of a band.
private final class TileScratch {
    struct Tile {
        var noisy, pilot, result: [Plane<Float>]
        var guide, variance, weights: Plane<Float>
    }

    private let width: Int
    private let rows: Int
    private var tile: Tile?
    private let results: Floats

    init(width: Int, rows: Int) {
        (self.width, self.rows) = (width, rows)
        results = Floats(3 * rows * width)
    }

    func result(_ channel: Int, _ row: Int) -> MutableRow<Float> {
        results.base + (channel * rows + row) * width
    }

    /// Planes of a size; those of the last tile where that is theirs. Contents are not known.
    func planes(width: Int, height: Int) throws(NightfuseError) -> Tile {
        if let tile, tile.guide.width == width, tile.guide.height == height { return tile }
        func plane() throws(NightfuseError) -> Plane<Float> {
            try Plane<Float>(width: width, height: height, isZero: false)
        }
        let tile = Tile(
            noisy: [try plane(), try plane(), try plane()], pilot: [try plane(), try plane(), try plane()],
            result: [try plane(), try plane(), try plane()], guide: try plane(), variance: try plane(),
            weights: try plane())
        self.tile = tile
        return tile
    }
}
