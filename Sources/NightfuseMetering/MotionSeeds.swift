/// Where the motion field shows something that moves by itself, and about how fast.
struct MotionSeed {
    /// Tile of level 0.
    var column: Int
    var row: Int
    /// Samples of level 0 a second.
    var x: Float
    var y: Float
    /// How much of the velocity may be wrong.
    var doubt: Float
    /// Chi-squared of the motion against the scene's own.
    var evidence: Float

    var speed: Float { (x * x + y * y).squareRoot() }
}

/// Picks tiles whose motion can be no noise, from what all channels of a field have gathered.
struct MotionSeeds {
    /// Chi-squared with 2 degrees of freedom passes this by chance once in 3 million tiles; with 300 tiles and six
    /// channels, once in an hour.
    private static let leastEvidence: Float = 30
    /// Interpolation and rolling rows leave apparent shifts of this much (samples of the channel's level) in sharp tiles.
    private static let systematic: Float = 0.05
    /// Shifts beyond this (samples of the level) are out of the range in which they are measured well.
    private static let reach: Float = 0.8

    private(set) var seeds: [MotionSeed] = []

    /// Reading time only; allocates.
    init(_ field: MotionField) {
        let finest = TileGrid(width: field.width, height: field.height, level: 0)
        let scales = field.tiles.indices.map { Self.scale(field.tiles[$0]) }
        for row in 0..<finest.rows {
            for column in 0..<finest.columns {
                guard let seed = Self.seed(field, scales, finest: finest, column: column, row: row) else { continue }
                seeds.append(seed)
            }
        }
    }

    /// Most tiles do not move: what their median shows more than noise should is systematic, and shared by all.
    private static func scale(_ tiles: Tiles<TileMotion>) -> Float {
        let sorted = (0..<tiles.count).map { tiles[$0].evidence }.filter { $0 > 0 }.sorted()
        guard sorted.count > 4 else { return .infinity }
        return max(sorted[sorted.count / 2] / 1.386, 1)
    }

    /// From the channel for the fastest motion to that for the slowest: the first that sees motion says how much, the
    /// following ones more exactly as long as it is within their reach.
    private static func seed(
        _ field: MotionField, _ scales: [Float], finest: TileGrid, column: Int, row: Int
    ) -> MotionSeed? {
        var found: MotionSeed?
        for (channel, grid) in field.grids.enumerated() where field.spans[channel] > 0 {
            let perTile = (grid.side << grid.level) / TileGrid.finestSide
            let (c, r) = (column / perTile, row / perTile)
            guard c < grid.columns, r < grid.rows else { continue }
            let tile = field.tiles[channel][r * grid.columns + c]
            let evidence = tile.evidence / scales[channel]
            guard evidence > leastEvidence, let v = tile.velocity else { continue }
            let unit = Float(field.spans[channel]) / Float(1 << grid.level)
            let shift = (v.x * v.x + v.y * v.y).squareRoot() * unit
            guard shift < reach, shift > systematic else { continue }
            // A slow channel sees fast motion wrongly: it must agree with what a faster one has said.
            if let found {
                guard found.speed * unit < reach else { continue }
            }
            let doubt = max(v.sigma * scales[channel].squareRoot(), systematic / unit)
            if let found, doubt >= found.doubt { continue }
            found = MotionSeed(column: column, row: row, x: v.x, y: v.y, doubt: doubt, evidence: evidence)
        }
        return found
    }
}
