package import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// A transfer curve as a table over the bits of a Float: 256 points an octave from 2^-40 to 1, straight between.
///
/// For curves no steeper than gamma 3 the error at 16 bits is below 0.1 code.
package struct TransferTable: Sendable {
    /// Coded values times `maxCode`, from 2^-40 on, one more than the intervals.
    private let points: [Float]
    /// The largest code, 255 or 65535.
    package let maxCode: Int

    private static let lowest = Float(sign: .plus, exponent: -40, significand: 1)
    /// Mantissa bits between two points: 2^(23 - 15) = 256 points an octave.
    private static let shift: UInt32 = 15

    package init(_ transfer: TransferFunction, maxCode: Int) {
        let first = Self.lowest.bitPattern >> Self.shift
        let last = Float(1).bitPattern >> Self.shift
        var points = (first...last).map {
            Float(transfer.coded(Double(Float(bitPattern: $0 << Self.shift))) * Double(maxCode))
        }
        points.append(points[points.count - 1])
        self.points = points
        self.maxCode = maxCode
    }

    /// Codes of a row of linear light, which is held to 0 ... 1.
    ///
    /// - Parameter dither: false rounds to nearest; true adds a threshold between 0 and 1 that depends on the place
    ///   alone before rounding down, so that the mean of a neighbourhood keeps what one code cannot say. Values that
    ///   are whole codes stay. All channels get the same threshold: grey stays grey.
    package func encode(
        _ light: Row<Float>, into codes: MutableRow<UInt16>, count: Int, row: Int, dither: Bool
    ) {
        // Steps of the two-dimensional golden-ratio sequence (roots of x^3 = x + 1) as fractions of 2^32: thresholds
        // that are spread evenly over any small neighbourhood.
        let (stepX, stepY) = (UInt32(0xC13F_A9A9), UInt32(0x91E1_0DA5))
        let phase = UInt32(truncatingIfNeeded: row) &* stepY
        points.withRow { points in
            let table = TransferArguments(points: points, lowest: Self.lowest, shift: Self.shift, dithers: dither)
            #if arch(x86_64)
                if KernelLevel.isV3 {
                    return NightfuseLoopsV3.encodeRow(
                        table, light, count: count, phase: phase, phaseStep: stepX, into: codes)
                }
            #endif
            NightfuseLoops.encodeRow(table, light, count: count, phase: phase, phaseStep: stepX, into: codes)
        }
    }
}
