package import NightfuseCore

/// A lens gain map (DNG opcode GainMap), interpolated between its points (DNG 1.4, chapter 7): positions count from 0 to 1
/// over the picture's pixels, whose centres lie half a pixel in; beyond the outer points the gain stays.
package struct GainGrid: Sendable {
    private let map: RawFrame.GainMap
    private let width: Int
    private let height: Int
    /// For each column: the grid column to its left, and the way to the next one.
    private let left: [Int]
    private let share: [Float]

    package init(_ map: RawFrame.GainMap, width: Int, height: Int) {
        (self.map, self.width, self.height) = (map, width, height)
        let places = (0..<width).map {
            Self.place($0, of: width, origin: map.originH, spacing: map.spacingH, points: map.columns)
        }
        left = places.map(\.at)
        share = places.map(\.share)
    }

    private static func place(
        _ i: Int, of count: Int, origin: Double, spacing: Double, points: Int
    ) -> (at: Int, share: Float) {
        guard points > 1 else { return (0, 0) }
        let position = ((Double(i) + 0.5) / Double(count) - origin) / spacing
        let held = min(max(position, 0), Double(points - 1))
        let at = min(Int(held), points - 2)
        return (at, Float(held - Double(at)))
    }

    /// Multiplies the samples of a row that the map acts on.
    package func apply(y: Int, plane: Int, layout: RawFrame.Layout, to row: MutableRow<Float>) {
        guard y >= map.top, y < min(map.bottom, height), (y - map.top) % map.rowPitch == 0 else { return }
        let vertical = Self.place(y, of: height, origin: map.originV, spacing: map.spacingV, points: map.rows)
        let below = min(vertical.at + 1, map.rows - 1)
        let parity = (y & 1) * 2
        map.gains.withRow { gains in
            for x in stride(from: map.left, to: min(map.right, width), by: map.columnPitch) {
                var colour = plane
                if map.byColour, case .mosaic(let cell) = layout { colour = Int(cell[parity + (x & 1)]) }
                guard colour >= map.plane, colour < map.plane + map.planes else { continue }
                let k = min(colour - map.plane, map.mapPlanes - 1)
                let right = min(left[x] + 1, map.columns - 1)
                func at(_ r: Int, _ c: Int) -> Float { gains[(r * map.columns + c) * map.mapPlanes + k] }
                let upper = at(vertical.at, left[x]) + (at(vertical.at, right) - at(vertical.at, left[x])) * share[x]
                let lower = at(below, left[x]) + (at(below, right) - at(below, left[x])) * share[x]
                row[x] *= upper + (lower - upper) * vertical.share
            }
        }
    }
}
