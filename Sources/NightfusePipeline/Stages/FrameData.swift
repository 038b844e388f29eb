package import NightfuseCore
internal import NightfuseKernels

/// A frame as the stages see it: stored codes, and a table from code to linear light.
///
/// Linear light is 1 at the frame's own full scale; `radianceScale` brings it to the reference's.
package final class FrameData: Sendable {
    package let samples: Samples
    /// The code of full scale in a picture; 0 of anything else.
    package let maxCode: Int
    /// Linear light of every code; values below 0 (raw frames) stay.
    package let linear: [Float]
    /// The same as a formula, where there is one: codes of 16 bits are then not looked up.
    package let curve: LightCurve?
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
    /// Linear light of every code by channel, in place of `linear` and `curve`, where a camera's tone curve sets exposures
    /// apart (see ``ToneMatch``); else empty.
    private let tones: [[Float]]
    private let isToned: Bool
    /// The first code that may have been clipped at white, where `tones` are; else nil: `linear` and `whiteClip` tell.
    package let clippedCode: Int?
    /// EXIF block and ICC profile as found.
    package let exif: [UInt8]
    package let icc: [UInt8]

    package init(
        samples: Samples, linear: [Float], curve: LightCurve? = nil, name: String, info: CaptureInfo, whiteClip: Float,
        clippedAtBlack: Bool, blackGains: [Float] = [], blackOffset: Float = 0, exif: [UInt8] = [], icc: [UInt8] = [],
        maxCode: Int = 0, tones: [[Float]] = [], clippedCode: Int? = nil
    ) {
        self.samples = samples
        self.maxCode = maxCode
        self.linear = linear
        self.curve = curve
        self.name = name
        self.info = info
        self.whiteClip = whiteClip
        self.clippedAtBlack = clippedAtBlack
        self.blackGains = blackGains
        self.blackOffset = blackOffset
        self.tones = tones
        isToned = !tones.isEmpty
        self.clippedCode = clippedCode
        self.exif = exif
        self.icc = icc
    }

    /// The same frame with its black level lowered by `offset`.
    package func loweringBlack(by offset: Float) -> FrameData {
        FrameData(
            samples: samples, linear: linear, curve: curve, name: name, info: info, whiteClip: whiteClip,
            clippedAtBlack: clippedAtBlack,
            blackGains: blackGains, blackOffset: blackOffset + offset, exif: exif, icc: icc)
    }

    /// The same frame with a table of its own for every plane.
    package func toned(_ tones: [[Float]]) -> FrameData {
        let clip = linear.firstIndex { $0 >= whiteClip } ?? linear.count - 1
        // Of the brightest channel of a pixel nobody asks which it is: light is trusted as far as all channels tell it.
        return FrameData(
            samples: samples, linear: linear, name: name, info: info,
            whiteClip: tones.map { $0[clip] }.min() ?? whiteClip, clippedAtBlack: clippedAtBlack, exif: exif, icc: icc,
            maxCode: maxCode, tones: tones, clippedCode: clip)
    }

    package var width: Int { samples.width }
    package var height: Int { samples.height }
    /// Grey frames have one plane for all channels.
    package var isGrey: Bool { samples.count == 1 }

    /// Linear light of `count` samples of row `y`, from `x` on, which must lie inside.
    package func linearRow(
        channel: Int, y: Int, from x: Int, count: Int, into out: MutableRow<Float>
    ) {
        let black = blackGains.isEmpty ? 0 : blackOffset * blackGains[channel]
        let plane = isGrey ? 0 : channel
        if let curve, case .words(let planes) = samples {
            return lightRow(planes[plane].row(y) + x, curve, black: black, count: count, into: out)
        }
        @inline(__always) func add(_ table: Row<Float>) {
            switch samples {
            case .bytes(let planes): look(up: planes[plane].row(y) + x, in: table, count, black, out)
            case .words(let planes): look(up: planes[plane].row(y) + x, in: table, count, black, out)
            }
        }
        // Each by itself: a table that may be either is counted in and out for every few samples.
        if isToned { tones[plane].withRow { add($0) } } else { linear.withRow { add($0) } }
    }

    /// R + 2 G + B of row `y`, and of row `other` on top of it.
    package func lumaRow(_ y: Int, adding other: Int? = nil, into out: MutableRow<Float>) {
        let black = blackGains.isEmpty ? 0 : blackOffset * (blackGains[0] + 2 * blackGains[1] + blackGains[2])
        let (g, b) = isGrey ? (0, 0) : (1, 2)
        if let curve, case .words(let p) = samples {
            func add(_ y: Int, adds: Bool) {
                let codes = (
                    red: Row(p[0].mutableRow(y)), green: Row(p[g].mutableRow(y)), blue: Row(p[b].mutableRow(y))
                )
                NightfuseKernels.lumaRow(codes, curve, black: black, adds: adds, count: width, into: out)
            }
            add(y, adds: false)
            if let other { add(other, adds: true) }
            return
        }
        if isToned {
            for (y, adds) in [(y, false)] + (other.map { [($0, true)] } ?? []) {
                tonedLumaRow(y, adds: adds, into: out)
            }
            return
        }
        linear.withRow { table in
            for (y, adds) in [(y, false)] + (other.map { [($0, true)] } ?? []) {
                switch samples {
                case .bytes(let p):
                    lumaSum(p[0].row(y), p[g].row(y), p[b].row(y), in: table, width, black, adds, out)
                case .words(let p):
                    lumaSum(p[0].row(y), p[g].row(y), p[b].row(y), in: table, width, black, adds, out)
                }
            }
        }
    }
}

extension FrameData {
    /// R + 2 G + B of a row by tables of their own.
    private func tonedLumaRow(_ y: Int, adds: Bool, into out: MutableRow<Float>) {
        withRoom(of: Float.self, count: width) { line in
            if !adds { out.update(repeating: 0, count: width) }
            for (c, weight) in [Float(1), 2, 1].enumerated() {
                linearRow(channel: c, y: y, from: 0, count: width, into: line)
                for x in 0..<width { out[x] += weight * line[x] }
            }
        }
    }
}

@inline(__always)
private func look<Code: FixedWidthInteger & UnsignedInteger>(
    up codes: Row<Code>, in table: Row<Float>, _ count: Int, _ black: Float,
    _ out: MutableRow<Float>
) {
    for i in 0..<count { out[i] = table[Int(truncatingIfNeeded: codes[i])] - black }
}

@inline(__always)
private func lumaSum<Code: FixedWidthInteger & UnsignedInteger>(
    _ r: Row<Code>, _ g: Row<Code>, _ b: Row<Code>,
    in table: Row<Float>, _ count: Int, _ black: Float, _ adds: Bool,
    _ out: MutableRow<Float>
) {
    @inline(__always) func light(_ code: Code) -> Float { table[Int(truncatingIfNeeded: code)] }
    if adds {
        for x in 0..<count { out[x] += (light(r[x]) + 2 * light(g[x]) + light(b[x])) - black }
    } else {
        for x in 0..<count { out[x] = (light(r[x]) + 2 * light(g[x]) + light(b[x])) - black }
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
            samples: picture.samples, linear: table, name: picture.name, info: picture.info,
            whiteClip: Float(picture.colour.transfer.linear(253.5 / 255)), clippedAtBlack: true, exif: picture.exif,
            icc: picture.icc, maxCode: picture.maxCode)
    }
}
