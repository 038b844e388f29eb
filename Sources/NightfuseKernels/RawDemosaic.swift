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

/// Red, green and blue of one row of a Bayer mosaic, by linear filters of 5 x 5 samples whose gradient terms are those of
/// the colour that was sampled: Malvar, He and Cutler, "High-quality linear interpolation for demosaicing of
/// Bayer-patterned color images", ICASSP 2004.
///
/// Being linear it takes noise of any sign without bias, and what it gets wrong (aliasing) turns with the mosaic's phase, so
/// that frames shifted against each other average it away. Sampled values are passed on as they are.
///
/// - Parameters:
///   - rows: the rows y - 2 ... y + 2; two samples before the first and nine after the last must be readable.
///   - count: samples of the row.
///   - site: what the middle row holds, columns counted from its first sample.
///   - red, green, blue: `count` values, rounded up to a multiple of eight.
///
/// Any range. 45 operations a pixel; sums in one fixed order.
package func demosaicRow(
    _ rows: [UnsafePointer<Float>], count: Int, site: BayerRow, red: UnsafeMutablePointer<Float>,
    green: UnsafeMutablePointer<Float>, blue: UnsafeMutablePointer<Float>
) {
    let arguments = MosaicArguments(
        rows: (rows[0], rows[1], rows[2], rows[3], rows[4]), parity: site.parity, count: count)
    let (own, other) = site.colour == 0 ? (red, blue) : (blue, red)
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.demosaicRow(arguments, own: own, green: green, other: other) }
    #endif
    NightfuseLoops.demosaicRow(arguments, own: own, green: green, other: other)
}

/// The same as codes: value x `scale` + `offset`, to the nearest whole number in 0 ... 65535.
package func demosaicRow(
    _ rows: [UnsafePointer<Float>], count: Int, site: BayerRow, scale: Float, offset: Float,
    red: UnsafeMutablePointer<UInt16>, green: UnsafeMutablePointer<UInt16>, blue: UnsafeMutablePointer<UInt16>
) {
    let arguments = MosaicArguments(
        rows: (rows[0], rows[1], rows[2], rows[3], rows[4]), parity: site.parity, count: count)
    let (own, other) = site.colour == 0 ? (red, blue) : (blue, red)
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.demosaicRow(
                arguments, scale: scale, offset: offset, own: own, green: green, other: other)
        }
    #endif
    NightfuseLoops.demosaicRow(arguments, scale: scale, offset: offset, own: own, green: green, other: other)
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
