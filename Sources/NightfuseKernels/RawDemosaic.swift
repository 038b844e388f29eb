internal import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Which colours a row of a Bayer mosaic holds: green and one other, by turns.
public struct BayerRow: Equatable, Sendable {
    /// The colour beside green: 0 red, 2 blue.
    public var colour: Int
    /// The column parity (0 or 1) at which it stands.
    public var parity: Int

    public init(colour: Int, parity: Int) { (self.colour, self.parity) = (colour, parity) }
}

/// What red or blue differ from green along one row of a Bayer mosaic, 0 where green was sampled: the first of two steps of the
/// demosaic.
///
/// Green is made along the row and along the column, each of two neighbours and the curvature of the colour that was sampled
/// (Hamilton and Adams, US 5,629,734), and mixed by how steep both are: squares of slope and curvature, plus `evenness`. Where
/// noise outweighs what the scene does, that is the even mix, which is linear (Malvar, He and Cutler, ICASSP 2004), and
/// takes noise without bias.
///
/// - Parameters:
///   - rows: the rows y - 2 ... y + 2; ten samples before the first and ten after the last must be readable.
///   - count: samples of the row.
///   - site: what the middle row holds, columns counted from its first sample.
///   - evenness: squared noise times a few; infinite is not allowed, 1e30 is the even mix.
///   - out: written from eight before the first to the last, rounded up to a multiple of eight, and eight after it.
///
/// Any range. 40 operations and a division a sample.
package func mosaicDifferenceRow(
    _ rows: [UnsafePointer<Float>], count: Int, site: BayerRow, evenness: Float, into out: UnsafeMutablePointer<Float>
) {
    let arguments = MosaicArguments(
        rows: (rows[0], rows[1], rows[2], rows[3], rows[4]), parity: site.parity, count: count)
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.mosaicDifferenceRow(arguments, evenness: evenness, into: out)
        }
    #endif
    NightfuseLoops.mosaicDifferenceRow(arguments, evenness: evenness, into: out)
}

/// Differences to green, of ``mosaicDifferenceRow(_:count:site:evenness:into:)``, of three rows.
package typealias DifferenceRows = (
    above: UnsafePointer<Float>, here: UnsafePointer<Float>, below: UnsafePointer<Float>
)

/// Red, green and blue of one row of a Bayer mosaic: the second step. Green is the sample less its difference, and the others
/// are green and the mean of the nearest differences. Sampled values are passed on as they are, but for rounding.
///
/// - Parameters:
///   - row: the samples; `differences`: those of the rows above, here and below, with one readable before the first and one
///     after the last.
///   - site: what the row holds.
///   - red, green, blue: `count` values, rounded up to a multiple of eight.
///
/// 12 operations a sample.
package func demosaicRow(
    _ row: UnsafePointer<Float>, differences: DifferenceRows, count: Int, site: BayerRow,
    red: UnsafeMutablePointer<Float>,
    green: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>
) {
    let (own, other) = site.colour == 0 ? (red, blue) : (blue, red)
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.demosaicRow(row, differences, count: count, own: own, green: green, other: other)
        }
    #endif
    NightfuseLoops.demosaicRow(row, differences, count: count, own: own, green: green, other: other)
}

/// The same as codes: value x `scale` + `offset`, to the nearest whole number in 0 ... 65535.
package func demosaicRow(
    _ row: UnsafePointer<Float>, differences: DifferenceRows, count: Int, site: BayerRow, scale: Float, offset: Float,
    red: UnsafeMutablePointer<UInt16>, green: UnsafeMutablePointer<UInt16>, blue: UnsafeMutablePointer<UInt16>
) {
    let (own, other) = site.colour == 0 ? (red, blue) : (blue, red)
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.demosaicRow(
                row, differences, count: count, scale: scale, offset: offset, own: own, green: green, other: other)
        }
    #endif
    NightfuseLoops.demosaicRow(
        row, differences, count: count, scale: scale, offset: offset, own: own, green: green, other: other)
}

/// Codes of linear values: value x `scale` + `offset`, to the nearest whole number in 0 ... 65535.
///
/// 5 operations a sample.
public func quantiseRow(
    _ values: UnsafePointer<Float>, count: Int, scale: Float, offset: Float, into codes: UnsafeMutablePointer<UInt16>
) {
    // 2^23: a float's last bit is 1 there, so that adding it rounds.
    let bias: Float = 8_388_608
    for x in 0..<count {
        let code = min(max(values[x] * scale + offset, 0), 65535) + bias
        codes[x] = UInt16(truncatingIfNeeded: code.bitPattern)
    }
}
