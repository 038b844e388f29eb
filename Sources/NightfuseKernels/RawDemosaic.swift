public import NightfuseCore

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
public func demosaicRow(
    _ rows: [Row<Float>], count: Int, site: BayerRow, red: MutableRow<Float>,
    green: MutableRow<Float>, blue: MutableRow<Float>
) {
    typealias V = SIMD8<Float>
    let (a, b, c, d, e) = (rows[0], rows[1], rows[2], rows[3], rows[4])
    // Blocks of eight begin at even columns: the mask is the same for all.
    let even = V(1, 0, 1, 0, 1, 0, 1, 0)
    let isSite = site.parity == 0 ? even : V(repeating: 1) - even
    let isGreen = V(repeating: 1) - isSite
    let (own, other) = site.colour == 0 ? (red, blue) : (blue, red)
    var x = 0
    while x < count {
        let centre = load(c + x)
        let across = load(c + x - 1) + load(c + x + 1)
        let down = load(b + x) + load(d + x)
        let across2 = load(c + x - 2) + load(c + x + 2)
        let down2 = load(a + x) + load(e + x)
        let corners = (load(b + x - 1) + load(b + x + 1)) + (load(d + x - 1) + load(d + x + 1))
        let far = across2 + down2
        // At red or blue: green, and the colour opposite.
        let greenHere = centre * 0.5 + (across + down) * 0.25 - far * 0.125
        let oppositeHere = centre * 0.75 + corners * 0.25 - far * 0.1875
        // At green: the colour of this row, to the left and right, and that of the rows above and below.
        let base = centre * 0.625 - corners * 0.125
        let beside = base + across * 0.5 - across2 * 0.125 + down2 * 0.0625
        let above = base + down * 0.5 - down2 * 0.125 + across2 * 0.0625
        store(centre * isSite + beside * isGreen, own + x)
        store(greenHere * isSite + centre * isGreen, green + x)
        store(oppositeHere * isSite + above * isGreen, other + x)
        x += 8
    }
}

/// Codes of linear values: value x `scale` + `offset`, to the nearest whole number in 0 ... 65535.
///
/// 5 operations a sample.
public func quantiseRow(
    _ values: Row<Float>, count: Int, scale: Float, offset: Float, into codes: MutableRow<UInt16>
) {
    // 2^23: a float's last bit is 1 there, so that adding it rounds.
    let bias: Float = 8_388_608
    for x in 0..<count {
        let code = min(max(values[x] * scale + offset, 0), 65535) + bias
        codes[x] = UInt16(truncatingIfNeeded: code.bitPattern)
    }
}
