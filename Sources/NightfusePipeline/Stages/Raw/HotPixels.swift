package import NightfuseCore
internal import NightfuseKernels

/// Pixels of a mosaic that shine by themselves, found and mended.
///
/// A hot pixel stands out against its neighbours of the same colour by many sigma while those of other colours beside it see
/// nothing; the image of a star or a lamp is never so small: of a spot with a sigma of half a pixel the pixels beside the
/// brightest get a quarter of its light. Frames held together are judged by their sums at the same place of the sensor:
/// what the scene moves does not add up there, what belongs to the sensor does.
package struct HotPixels: Sendable {
    /// Places (y * width + x), rising.
    package private(set) var places: [Int32] = []

    package init() {}

    /// A sample must stand out by this many sigma in one frame.
    private static let sigmas: Float = 6
    /// Most light beside a hot pixel, as a share of its own excess.
    private static let leak: Float = 0.1

    /// What stands out of several frames (one at least) of one exposure and mosaic.
    ///
    /// - Parameter noise: of the samples of red, green and blue.
    package init(_ frames: [RawLevels], noise: [NoiseModel], workers: Workers) throws(NightfuseError) {
        guard let first = frames.first?.raw, first.planes.count == 1 else { return }
        let grain = 32
        let found = Found((first.height + grain - 1) / grain)
        try workers.bands(
            first.height, grain: grain,
            scratch: { frames.map { RawLight($0.raw, capacity: grain + 2 * Self.reach) } }
        ) { (windows, band, rows) throws(NightfuseError) in
            for (window, levels) in zip(windows, frames) {
                window.show(rows.lowerBound - Self.reach..<rows.upperBound + Self.reach, of: levels)
            }
            found.set(band, Self.places(in: windows, rows: rows, layout: first.layout, noise: noise))
        }
        places = found.all()
    }

    /// Rows above and below a pixel that tell whether it is hot.
    package static let reach = 2

    /// What stands out in some rows of windows of several frames, which hold those ``reach`` above and below too.
    package static func places(
        in frames: [RawLight], rows: Range<Int>, layout: RawFrame.Layout, noise: [NoiseModel]
    ) -> [Int32] {
        guard case .mosaic(let cell) = layout, let first = frames.first, first.width > 8, first.height > 8 else {
            return []
        }
        var places: [Int32] = []
        for y in rows.clamped(to: reach..<first.height - reach) { scan(y, frames, cell, noise, &places) }
        return places
    }

    private static func scan(
        _ y: Int, _ frames: [RawLight], _ cell: [UInt8], _ noise: [NoiseModel], _ places: inout [Int32]
    ) {
        let light = frames[0]
        let first = Int(cell[(y & 1) * 2]), second = Int(cell[(y & 1) * 2 + 1])
        let models = (noise[first], noise[second])
        // Single frames of a sum may fall short of what the sum must reach.
        let least = 0.25 * sigmas * sigmas
        func read(_ model: NoiseModel) -> Float { least * Float(model.read * model.read) }
        brightSpots(
            light.row(y) + 2, above: light.row(y - 2) + 2, below: light.row(y + 2) + 2, count: light.width - 4,
            shot: (least * Float(models.0.shot), least * Float(models.1.shot)), read: (read(models.0), read(models.1))
        ) { column in
            if isHot(column + 2, y, frames, column & 1 == 0 ? models.0 : models.1) {
                places.append(Int32(y * light.width + column + 2))
            }
        }
    }

    private static func isHot(_ x: Int, _ y: Int, _ frames: [RawLight], _ model: NoiseModel) -> Bool {
        let share = 1 / Float(frames.count)
        var excess: Float = 0
        var beside: Float = 0
        var base: Float = 0
        var standing = 0
        for frame in frames {
            let spot = Spot(frame, x, y)
            excess += spot.excess * share
            beside += spot.beside * share
            base += spot.base * share
            let sigma = Float(model.variance(Double(spot.base)).squareRoot())
            if spot.excess > 0.5 * sigmas * sigma { standing += 1 }
        }
        let sigma = Float(model.variance(Double(base)).squareRoot()) * share.squareRoot()
        return standing * 2 > frames.count && excess > sigmas * sigma && beside < leak * excess
    }

    /// A sample against what surrounds it.
    private struct Spot {
        /// Above the largest of the eight nearest of its colour.
        let excess: Float
        /// How much the four samples beside it rise above those around, on average.
        let beside: Float
        /// Mean of the eight.
        let base: Float

        init(_ light: RawLight, _ x: Int, _ y: Int) {
            let (a, b, c) = (light.row(y - 2) + x, light.row(y - 1) + x, light.row(y) + x)
            let (d, e) = (light.row(y + 1) + x, light.row(y + 2) + x)
            let upper = max(max(a[-2], a[0]), a[2])
            let lower = max(max(e[-2], e[0]), e[2])
            excess = c[0] - max(max(upper, lower), max(c[-2], c[2]))
            base = ((a[-2] + a[0] + a[2]) + (e[-2] + e[0] + e[2]) + (c[-2] + c[2])) / 8
            // Each of the four against the nearest of its colour on the sides away from the spot.
            let left = c[-1] - 0.5 * (a[-1] + e[-1])
            let right = c[1] - 0.5 * (a[1] + e[1])
            let up = b[0] - 0.5 * (b[-2] + b[2])
            let down = d[0] - 0.5 * (d[-2] + d[2])
            beside = (left + right + up + down) / 4
        }
    }

    /// Adds places that are known.
    package mutating func add(_ others: [Int32]) {
        if !others.isEmpty { places = Array(Set(places).union(others)).sorted() }
    }

    /// The places in some rows of a frame.
    package func places(in rows: Range<Int>, width: Int) -> ArraySlice<Int32> {
        let (from, to) = (Int32(rows.lowerBound * width), Int32(rows.upperBound * width))
        return places[first(from)..<first(to)]
    }

    /// Index of the first place not before `place`.
    private func first(_ place: Int32) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle] < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Puts the mean of the nearest good samples of a colour in the place of every bad one of the rows that a window holds.
    ///
    /// - Parameter places: rising; all that are bad as far as two rows beyond those that count.
    package static func mend(_ light: RawLight, places: [Int32]) {
        guard !places.isEmpty else { return }
        let bad = Set(places)
        for place in places {
            let (x, y) = (Int(place) % light.width, Int(place) / light.width)
            guard light.rows.contains(y) else { continue }
            var sum: Float = 0
            var count: Float = 0
            // The four nearest first; the corners where none of them is good.
            for ring in [[(0, -2), (0, 2), (-2, 0), (2, 0)], [(-2, -2), (-2, 2), (2, -2), (2, 2)]] where count == 0 {
                for (dx, dy) in ring {
                    let (u, v) = (x + dx, y + dy)
                    guard u >= 0, u < light.width, light.rows.contains(v), !bad.contains(Int32(v * light.width + u))
                    else { continue }
                    sum += light.row(v)[u]
                    count += 1
                }
            }
            if count > 0 { light.row(y)[x] = sum / count }
        }
    }
}

/// What every band found, in order.
private final class Found: @unchecked Sendable {
    // Unchecked: every band writes its own slot once, and they are read after all bands are done.
    private let slots: UnsafeMutablePointer<[Int32]>
    private let count: Int
    init(_ count: Int) {
        self.count = count
        slots = .allocate(capacity: count)
        slots.initialize(repeating: [], count: count)
    }
    deinit {
        slots.deinitialize(count: count)
        slots.deallocate()
    }
    func set(_ index: Int, _ value: [Int32]) { slots[index] = value }
    func all() -> [Int32] { (0..<count).flatMap { slots[$0] } }
}
