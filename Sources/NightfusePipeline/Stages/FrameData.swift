package import NightfuseCore
internal import NightfuseKernels

/// A frame as the stages see it: stored codes, and a table from code to linear light.
///
/// Linear light is 1 at the frame's own full scale; `radianceScale` brings it to the reference's.
package final class FrameData: Sendable {
    package let planes: [Plane<UInt16>]
    /// The code of full scale in a picture; 0 of anything else.
    package let maxCode: Int
    /// Linear light of every code; values below 0 (raw frames) stay.
    package let linear: [Float]
    package let name: String
    package let info: CaptureInfo
    /// Linear value from which a sample may have been clipped at white.
    package let whiteClip: Float
    /// Whether negative noise was clipped at black (pictures), or kept (raw).
    package let clippedAtBlack: Bool
    /// How much light of each channel a black level that is too high by 1 feigns; empty where black is fixed (pictures).
    package let blackGains: [Float]
    /// What is taken off the table's light, times `blackGains`.
    package let blackOffset: Float
    /// EXIF block and ICC profile as found.
    package let exif: [UInt8]
    package let icc: [UInt8]

    package init(
        planes: [Plane<UInt16>], linear: [Float], name: String, info: CaptureInfo, whiteClip: Float,
        clippedAtBlack: Bool, blackGains: [Float] = [], blackOffset: Float = 0, exif: [UInt8] = [], icc: [UInt8] = [],
        maxCode: Int = 0
    ) {
        self.planes = planes
        self.maxCode = maxCode
        self.linear = linear
        self.name = name
        self.info = info
        self.whiteClip = whiteClip
        self.clippedAtBlack = clippedAtBlack
        self.blackGains = blackGains
        self.blackOffset = blackOffset
        self.exif = exif
        self.icc = icc
    }

    /// The same frame with its black level lowered by `offset`.
    package func loweringBlack(by offset: Float) -> FrameData {
        FrameData(
            planes: planes, linear: linear, name: name, info: info, whiteClip: whiteClip,
            clippedAtBlack: clippedAtBlack,
            blackGains: blackGains, blackOffset: blackOffset + offset, exif: exif, icc: icc)
    }

    package var width: Int { planes[0].width }
    package var height: Int { planes[0].height }

    /// The plane of channel 0 (red), 1 or 2; grey frames have one for all.
    package func plane(_ channel: Int) -> Plane<UInt16> { planes.count == 1 ? planes[0] : planes[channel] }

    /// Linear light of `count` samples of row `y`, from `x` on, which must lie inside.
    package func linearRow(
        channel: Int, y: Int, from x: Int, count: Int, into out: UnsafeMutablePointer<Float>
    ) {
        let row = plane(channel).row(y) + x
        let black = blackGains.isEmpty ? 0 : blackOffset * blackGains[channel]
        linear.withUnsafeBufferPointer { table in
            for i in 0..<count { out[i] = table[Int(row[i])] - black }
        }
    }
}

extension FrameData {
    /// R + 2 G + B of row `y`, and of row `other` on top of it.
    package func lumaRow(_ y: Int, adding other: Int? = nil, into out: UnsafeMutablePointer<Float>) {
        let black = blackGains.isEmpty ? 0 : blackOffset * (blackGains[0] + 2 * blackGains[1] + blackGains[2])
        linear.withUnsafeBufferPointer { table in
            let (r, g, b) = (plane(0).row(y), plane(1).row(y), plane(2).row(y))
            for x in 0..<width {
                out[x] = (table[Int(r[x])] + 2 * table[Int(g[x])] + table[Int(b[x])]) - black
            }
            guard let other else { return }
            let (r1, g1, b1) = (plane(0).row(other), plane(1).row(other), plane(2).row(other))
            for x in 0..<width {
                out[x] += (table[Int(r1[x])] + 2 * table[Int(g1[x])] + table[Int(b1[x])]) - black
            }
        }
    }
}

extension FrameData {
    /// A picture's codes with its colour space's transfer curve.
    package convenience init(picture: Picture) {
        let top = Double(picture.maxCode)
        // Codes above maxCode cannot occur; the table covers them so that no index is out of range.
        let table = (0...(picture.maxCode > 255 ? 65535 : 255)).map {
            Float(picture.colour.transfer.linear(Double($0) / top))
        }
        // The topmost 8-bit code, or the same share of 16-bit codes, may hide any amount of light.
        self.init(
            planes: picture.planes, linear: table, name: picture.name, info: picture.info,
            whiteClip: Float(picture.colour.transfer.linear(253.5 / 255)), clippedAtBlack: true, exif: picture.exif,
            icc: picture.icc, maxCode: picture.maxCode)
    }
}
