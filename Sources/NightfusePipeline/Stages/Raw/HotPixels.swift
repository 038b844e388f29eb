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

    /// What stands out of several frames (one at least) of one exposure.
    ///
    /// - Parameter noise: of the samples of red, green and blue.
    package init(
        _ frames: [RawLight], layout: RawFrame.Layout, noise: [NoiseModel], workers: Workers
    ) throws(NightfuseError) {
        guard case .mosaic(let cell) = layout, let first = frames.first, first.width > 8, first.height > 8 else {
            return
        }
        let bands = (first.height + 31) / 32
        let found = BandResults<[Int32]>(bands, [])
        try workers.bands(first.height, grain: 32) { (band, rows) throws(NightfuseError) in
            var places: [Int32] = []
            for y in max(rows.lowerBound, 2)..<max(min(rows.upperBound, first.height - 2), max(rows.lowerBound, 2)) {
                Self.scan(y, frames, cell, noise, &places)
            }
            found.put(band, places)
        }
        places = found.all.flatMap(\.self)
    }

    private static func scan(
        _ y: Int, _ frames: [RawLight], _ cell: [UInt8], _ noise: [NoiseModel], _ places: inout [Int32]
    ) {
        let light = frames[0]
        let models = (0..<2).map { noise[Int(cell[(y & 1) * 2 + $0])] }
        // Single frames of a sum may fall short of what the sum must reach.
        let least = 0.25 * sigmas * sigmas
        let shot = models.map { least * Float($0.shot) }
        let read = models.map { least * Float($0.read * $0.read) }
        brightSpots(
            light.row(y) + 2, above: light.row(y - 2) + 2, below: light.row(y + 2) + 2, count: light.width - 4,
            shot: (shot[0], shot[1]), read: (read[0], read[1])
        ) { column in
            if isHot(column + 2, y, frames, models[column & 1]) { places.append(Int32(y * light.width + column + 2)) }
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

    /// These and others.
    package func joined(_ others: HotPixels) -> HotPixels {
        var all = HotPixels()
        all.places = Array(Set(places).union(others.places)).sorted()
        return all
    }

    /// Puts the mean of the nearest good samples of a colour in the place of every bad one.
    package static func mend(_ light: RawLight, places: [Int32]) {
        let bad = Set(places)
        for place in places {
            let (x, y) = (Int(place) % light.width, Int(place) / light.width)
            guard y < light.height else { continue }
            var sum: Float = 0
            var count: Float = 0
            // The four nearest first; the corners where none of them is good.
            for ring in [[(0, -2), (0, 2), (-2, 0), (2, 0)], [(-2, -2), (-2, 2), (2, -2), (2, 2)]] where count == 0 {
                for (dx, dy) in ring {
                    let (u, v) = (x + dx, y + dy)
                    guard u >= 0, v >= 0, u < light.width, v < light.height,
                        !bad.contains(Int32(v * light.width + u))
                    else { continue }
                    sum += light.row(v)[u]
                    count += 1
                }
            }
            if count > 0 { light.mutableRow(y)[x] = sum / count }
        }
    }
}
