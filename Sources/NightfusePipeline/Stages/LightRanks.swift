package import NightfuseCore

/// How bright a frame is, from the light of its blocks: to tell exposures apart where no tags do.
package struct LightRanks: Sendable {
    /// Light at even ranks, rising; infinity where blocks are clipped at white.
    private let ranks: [Float]
    /// Shares of the blocks that hold a sample clipped at white, and that are black to the eye.
    private let clipped, black: Double

    /// Ratio of light beyond which frames are taken for different exposures: half a stop. Flicker and a camera's own
    /// corrections stay below.
    private static let otherExposure: Float = 1.4
    /// Share of blocks by which one frame must be clipped less to be preferred.
    private static let clearly = 0.002
    /// Linear light of a block that shows nothing: code 6 of 255 in sRGB.
    private static let darkest: Float = 0.0018

    /// - Parameter blocks: light of blocks of 8 x 8 pixels, minus infinity where clipped (see ``FrameLight``).
    package init(_ blocks: Plane<Float>) {
        var values: [Float] = []
        values.reserveCapacity(blocks.width * blocks.height)
        for y in 0..<blocks.height {
            let row = blocks.row(y)
            for x in 0..<blocks.width { values.append(row[x] == -.infinity ? .infinity : row[x]) }
        }
        values.sort()
        let count = Double(max(values.count, 1))
        clipped = Double(values.count { $0 == .infinity }) / count
        black = Double(values.count { $0 < Self.darkest }) / count
        ranks = (1..<20).compactMap { values.isEmpty ? nil : values[$0 * (values.count - 1) / 20] }
    }

    /// Whether this frame is the better reference of two that clearly are of different exposure: the one that is clipped less, if
    /// it is not mostly black. Nil where their brightness is alike, or clipping does not tell.
    package func isBetter(than other: LightRanks) -> Bool? {
        var ratios = zip(ranks, other.ranks).filter { min($0, $1) > Self.darkest && max($0, $1) < .infinity }
            .map { max($0 / $1, $1 / $0) }
        ratios.sort()
        guard !ratios.isEmpty, ratios[ratios.count / 2] > Self.otherExposure,
            abs(clipped - other.clipped) > Self.clearly
        else { return nil }
        let isLess = clipped < other.clipped
        return (isLess ? black : other.black) < 0.5 ? isLess : !isLess
    }
}
