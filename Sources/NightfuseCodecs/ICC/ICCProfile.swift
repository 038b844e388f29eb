internal import NightfuseCore

/// A profile as far as it is used: a matrix and curves, or a grey curve.
struct ICCProfile {
    enum Model: Equatable {
        case grey
        case rgb
        /// CMYK, Lab and others.
        case other(String)
    }

    let model: Model
    /// As in the profile; only its ASCII, so that messages are one line.
    let name: String
    /// Nil where the profile has no matrix and curves (tables only).
    let space: ColourSpace?
    /// What is not quite as the profile has it.
    let note: String?

    /// Nil where the bytes are no profile.
    init?(_ bytes: [UInt8]) {
        let icc = ICCBytes(bytes: bytes)
        guard bytes.count >= 132, icc.signature(36) == "acsp", let data = icc.signature(16) else { return nil }
        let stated = icc.description.map { $0.filter { $0 >= " " && $0 <= "~" } } ?? ""
        let name = stated.isEmpty ? "unnamed profile" : stated
        self.name = name
        switch data {
        case "RGB ":
            model = .rgb
            (space, note) = Self.matrixSpace(icc, name: name)
        case "GRAY":
            model = .grey
            // Grey has no primaries; as R = G = B of sRGB it is grey again.
            space = icc.curve("kTRC").map {
                ColourSpace(name: name, toXYZ: ColourSpace.sRGB.toXYZ, transfer: $0.simplified)
            }
            note = nil
        default:
            model = .other(data.filter { $0 > " " && $0 <= "~" })
            space = nil
            note = nil
        }
    }

    private static func matrixSpace(_ icc: ICCBytes, name: String) -> (ColourSpace?, String?) {
        guard icc.signature(20) == "XYZ ", let matrix = icc.matrix, let red = icc.curve("rTRC"),
            let green = icc.curve("gTRC"), let blue = icc.curve("bTRC")
        else { return (nil, nil) }
        let apart = max(red.codedDistance(to: green), blue.codedDistance(to: green))
        // Less than one code of 8 bits apart counts as one curve.
        let note = apart > 1.0 / 255 ? "the profile's three curves differ; green's is used for all" : nil
        return (ColourSpace(name: name, toXYZ: matrix, transfer: green.simplified), note)
    }
}

extension ICCBytes {
    /// The colorants as columns, white brought to D50 where a (faulty) profile did not.
    fileprivate var matrix: Matrix3? {
        var m = [Double](repeating: 0, count: 9)
        for (column, name) in ["rXYZ", "gXYZ", "bXYZ"].enumerated() {
            guard let tag = tag(name), signature(tag.lowerBound) == "XYZ ", tag.count >= 20 else { return nil }
            for row in 0..<3 {
                guard let value = fixed(tag.lowerBound + 8 + 4 * row) else { return nil }
                m[row * 3 + column] = value
            }
        }
        let matrix = Matrix3(m)
        let white = matrix * [1, 1, 1]
        guard matrix.inverse != nil, white.allSatisfy({ $0 > 0.1 && $0 < 2 }) else { return nil }
        let off = zip(white, Chromaticity.d50White).map { abs($0 - $1) }.max() ?? 0
        // Profiles of sound makers are right to 0.001; D65 left as it is is off by 0.26 in Z.
        guard off > 0.02 else { return matrix }
        return Chromaticity.bradford(from: white, to: Chromaticity.d50White).map { $0 * matrix }
    }

    /// The profile's own name: "desc" as text (version 2) or the first of its languages (version 4).
    fileprivate var description: String? {
        guard let tag = tag("desc") else { return nil }
        let start = tag.lowerBound
        if signature(start) == "desc", let count = u32(start + 8), count > 1, tag.count >= 12 {
            let text = bytes[(start + 12)..<(start + 12 + min(Int(count), tag.count - 12))].prefix { $0 != 0 }
            return String(decoding: text.prefix(Self.mostName), as: UTF8.self)
        }
        guard signature(start) == "mluc", let length = u32(start + 20), let offset = u32(start + 24),
            Int(offset) <= tag.count, Int(length) <= tag.count - Int(offset)
        else { return nil }
        let units = (0..<min(Int(length) / 2, Self.mostName)).compactMap { u16(start + Int(offset) + 2 * $0) }
        return String(decoding: units, as: UTF16.self)
    }

    /// Most characters of a name.
    private static let mostName = 128
}
