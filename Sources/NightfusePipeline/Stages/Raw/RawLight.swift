package import NightfuseCore

/// A raw frame's samples as light: black taken off, saturation 1, lens gains and white balance applied; negative noise
/// stays. One plane (mosaic) or three, of the whole active area.
///
/// Samples have a margin of ``margin`` columns to either side, mirrored without repeating the edge, as the mosaic's colours
/// want it.
package struct RawLight: Sendable {
    package let planes: [Plane<Float>]
    package let width: Int
    package let height: Int

    /// Columns before the first; a multiple of eight samples keeps rows aligned.
    package static let margin = 16

    /// - Parameters:
    ///   - gains: white-balance gains of red, green and blue.
    ///   - clip: what samples are held to from above, nil: not at all.
    package init(
        _ raw: RawFrame, gains: [Double], clip: Double?, workers: Workers
    ) throws(NightfuseError) {
        (width, height) = (raw.width, raw.height)
        var planes: [Plane<Float>] = []
        for _ in raw.planes { planes.append(try Plane(width: raw.width + 2 * Self.margin, height: raw.height)) }
        self.planes = planes
        let levels = RawLevels(raw, gains: gains)
        let maps = raw.gainMaps.map { GainGrid($0, width: raw.width, height: raw.height) }
        let ceiling = clip.map { Float($0) } ?? .infinity
        let light = self
        try workers.bands(height, grain: 32) { (_, rows) throws(NightfuseError) in
            for y in rows {
                for plane in 0..<raw.planes.count {
                    let out = light.mutableRow(y, plane: plane)
                    levels.apply(raw.planes[plane].row(y), y: y, plane: plane, into: out)
                    for map in maps { map.apply(y: y, plane: plane, layout: raw.layout, to: out) }
                    if ceiling < .infinity { for x in 0..<light.width { out[x] = min(out[x], ceiling) } }
                }
            }
        }
    }

    /// A row from its first sample on; the margins lie before and after it.
    package func row(_ y: Int, plane: Int = 0) -> Row<Float> { planes[plane].row(y) + Self.margin }
    /// The same to be written.
    package func mutableRow(_ y: Int, plane: Int = 0) -> MutableRow<Float> { planes[plane].mutableRow(y) + Self.margin }

    /// Fills the margins in; after the last change of a sample.
    package func mirrorMargins(rows: Range<Int>) {
        for y in rows {
            for plane in 0..<planes.count {
                let line = mutableRow(y, plane: plane)
                for k in 1...4 {
                    line[-k] = line[mirroredIndex(-k, width)]
                    line[width - 1 + k] = line[mirroredIndex(width - 1 + k, width)]
                }
            }
        }
    }
}

/// Index `i` mirrored into 0 ..< count without repeating the ends, which keeps its parity (where count is above 1).
package func mirroredIndex(_ i: Int, _ count: Int) -> Int {
    if i >= 0 && i < count { return i }
    if count == 1 { return 0 }
    let period = 2 * (count - 1)
    let r = ((i % period) + period) % period
    return r < count ? r : period - r
}

/// Black and white levels with the white balance, as rows of offsets and factors.
private struct RawLevels: Sendable {
    private let period: Int
    private let planes: Int
    /// Per plane and row of the period, `width` values each.
    private let black: [[Float]]
    private let factor: [[Float]]

    init(_ raw: RawFrame, gains: [Double]) {
        planes = raw.planes.count
        // Black repeats over blackRows, colours over two.
        period = raw.blackRows % 2 == 0 ? raw.blackRows : raw.blackRows * 2
        var black: [[Float]] = []
        var factor: [[Float]] = []
        for plane in 0..<planes {
            let white = raw.white[min(plane, raw.white.count - 1)]
            for y in 0..<period {
                let blacks = (0..<raw.width).map { raw.blackLevel(x: $0, y: y, plane: plane) }
                black.append(blacks.map { Float($0) })
                factor.append(
                    blacks.enumerated().map { x, black in
                        Float(gains[raw.layout.colour(x: x, y: y, plane: plane)] / max(white - black, 1))
                    })
            }
        }
        (self.black, self.factor) = (black, factor)
    }

    func apply(_ samples: Row<UInt16>, y: Int, plane: Int, into out: MutableRow<Float>) {
        let at = plane * period + y % period
        black[at].withRow { black in
            factor[at].withRow { factor in
                for x in 0..<self.black[at].count { out[x] = (Float(samples[x]) - black[x]) * factor[x] }
            }
        }
    }
}

extension RawFrame {
    /// Black level of a sample.
    package func blackLevel(x: Int, y: Int, plane: Int = 0) -> Double {
        black[((y % blackRows) * blackColumns + x % blackColumns) * planes.count + plane]
    }
}
