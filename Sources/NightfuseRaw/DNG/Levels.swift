internal import NightfuseCore

/// How stored samples stand for light: LinearizationTable, black level with its pattern and deltas, white level.
///
/// Deltas would make the black pattern as large as the picture. They are taken out of the samples instead:
/// sample' = (sample - delta + highest delta) x scale, with black and white brought along. No sample falls below 0, white
/// is where the column of the highest black clips (as in Adobe's linearisation), and `scale`, a power of two, keeps
/// fractions of a code.
struct Levels: Sendable {
    /// Black for each cell of a `rows` x `columns` pattern, samples of a pixel last; of samples after ``apply(to:workers:)``.
    let black: [Double]
    let rows: Int
    let columns: Int
    /// Saturation, one a sample of a pixel; of samples after ``apply(to:workers:)``.
    let white: [Double]
    /// What each of the 65536 stored codes stands for; empty: itself.
    private let table: [UInt16]
    /// What columns and rows of the active area add to black, as (highest - delta); empty where the file has neither.
    private let liftH: [Float]
    private let liftV: [Float]
    private let scale: Float

    /// - Parameters:
    ///   - area: the active area, whose size the deltas must have.
    ///   - bits: bits a sample, for the white level where the file states none.
    init(_ raw: TIFFDirectory, area: PixelRectangle, planes: Int, bits: Int) throws(NightfuseError) {
        let dimensions = try raw.ints(.blackLevelRepeatDim) ?? [1, 1]
        // No camera repeats over more than 8; 64 keeps the pattern small.
        guard dimensions.count == 2, dimensions.allSatisfy({ (1...64).contains($0) }) else {
            throw raw.fault(.blackLevelRepeatDim, "is \(dimensions.prefix(4)), not two numbers of 1 to 64")
        }
        (rows, columns) = (dimensions[0], dimensions[1])
        let cells = rows * columns * planes
        var black = try raw.doubles(.blackLevel) ?? [0]
        if black.count == 1 { black = [Double](repeating: black[0], count: cells) }
        guard black.count == cells, black.allSatisfy({ abs($0) < 65536 }) else {
            throw raw.fault(
                .blackLevel, "is \(black.prefix(4)), not \(rows) x \(columns) x \(planes) values of 16 bits")
        }
        table = try Self.table(raw)
        var white = try raw.doubles(.whiteLevel) ?? [Double(table.max() ?? UInt16((1 << bits) - 1))]
        if white.count == 1 { white = [Double](repeating: white[0], count: planes) }
        let deltaH = try Self.delta(raw, .blackLevelDeltaH, count: area.width)
        let deltaV = try Self.delta(raw, .blackLevelDeltaV, count: area.height)
        let (highH, highV) = (deltaH?.max() ?? 0, deltaV?.max() ?? 0)
        let highest = (black.max() ?? 0) + highH + highV
        guard white.count >= planes, white.allSatisfy({ $0 <= 65535 && $0 > highest }) else {
            throw raw.fault(.whiteLevel, "is \(white.prefix(4)): not above the black level \(highest), or not 16 bits")
        }
        var scale = 1.0
        if deltaH == nil && deltaV == nil {
            (liftH, liftV) = ([], [])
        } else {
            while (white.max() ?? 65535) * scale * 2 <= 65535 { scale *= 2 }
            liftH = (deltaH ?? [Double](repeating: 0, count: area.width)).map { Float((highH - $0) * scale) }
            liftV = (deltaV ?? [Double](repeating: 0, count: area.height)).map { Float((highV - $0) * scale) }
        }
        self.scale = Float(scale)
        self.black = black.map { ($0 + highH + highV) * scale }
        self.white = white.prefix(planes).map { $0 * scale }
    }

    private static func table(_ raw: TIFFDirectory) throws(NightfuseError) -> [UInt16] {
        guard let values = try raw.ints(.linearizationTable) else { return [] }
        guard (1...65536).contains(values.count), values.allSatisfy({ (0...65535).contains($0) }) else {
            throw raw.fault(.linearizationTable, "has \(values.count) values, not 1 to 65536 of 16 bits")
        }
        let table = values.map { UInt16($0) }
        // Codes past the table's end stand for its last value.
        return table + [UInt16](repeating: table[table.count - 1], count: 65536 - table.count)
    }

    private static func delta(_ raw: TIFFDirectory, _ tag: TIFFTag, count: Int) throws(NightfuseError) -> [Double]? {
        guard let values = try raw.doubles(tag) else { return nil }
        guard values.count == count, values.allSatisfy({ abs($0) < 65536 }) else {
            throw raw.fault(tag, "has \(values.count) values, not \(count) of 16 bits")
        }
        return values.allSatisfy { $0 == 0 } ? nil : values
    }

    /// Puts the samples of the active area through the table, and takes the deltas out of them. Cost: nothing where the
    /// file has neither; else about 1 ns a sample.
    func apply(to planes: [Plane<UInt16>], workers: Workers) throws(NightfuseError) {
        guard !table.isEmpty || !liftH.isEmpty else { return }
        let grain = 64
        try workers.bands(planes[0].height, grain: grain) { (_, rows) throws(NightfuseError) in
            for plane in planes {
                for y in rows {
                    linearise(plane.mutableRow(y), count: plane.width)
                    if !liftH.isEmpty { lift(plane.mutableRow(y), count: plane.width, by: liftV[y]) }
                }
            }
        }
    }

    private func linearise(_ row: MutableRow<UInt16>, count: Int) {
        guard !table.isEmpty else { return }
        table.withRow { table in
            for x in 0..<count { row[x] = table[Int(row[x])] }
        }
    }

    private func lift(_ row: MutableRow<UInt16>, count: Int, by rowLift: Float) {
        liftH.withRow { liftH in
            for x in 0..<count {
                let value = Float(row[x]) * scale + liftH[x] + rowLift
                // 65535 is at or above white.
                row[x] = UInt16(min(value + 0.5, 65535))
            }
        }
    }
}
