internal import NightfuseCore

extension PNGChunks {
    /// The colours by rank (PNG, third edition, 4.3): cICP, iCCP, sRGB, gAMA with cHRM, then EXIF.
    ///
    /// - Throws: `.unsupported` for PQ and HLG, whose light is not relative to white.
    func colour(
        icc: [UInt8], channels: Int, exif: EXIFBlock?, name: String
    ) throws(NightfuseError) -> ColourTag {
        var notes: [String] = []
        if let cicp {
            if let space = try codePointSpace(cicp, name: name) { return ColourTag(space, channels: channels) }
            notes.append("the cICP chunk \(cicp.map { "\($0)" }.joined(separator: " ")) is not known and is left out")
        }
        if !icc.isEmpty {
            var tag = ColourTag(profile: icc, channels: channels)
            tag.notes = notes + tag.notes
            return tag
        }
        if hasProfile { notes.append("the ICC profile is broken and is left out") }
        var tag = ColourTag()
        if isSRGB {
        } else if let space = chunkSpace {
            tag = ColourTag(space, channels: channels)
        } else {
            tag = ColourTag(exif: exif, channels: channels)
        }
        tag.notes = notes + tag.notes
        return tag
    }

    /// ITU-T H.273: the primaries and curves that a photograph may have. Nil for others.
    private func codePointSpace(_ codes: [UInt8], name: String) throws(NightfuseError) -> ColourSpace? {
        if codes[1] == 16 || codes[1] == 18 {
            throw .unsupported(name, "an HDR picture (PQ or HLG) is not read; save it with an SDR profile first")
        }
        // Matrix 0 is RGB; PNG allows no other. The last byte is 1 for the full range.
        guard codes[2] == 0, codes[3] == 1 else { return nil }
        let primaries: [UInt8: (String, Primaries)] = [
            1: ("BT.709", .bt709), 9: ("BT.2020", .bt2020), 12: ("Display P3", .displayP3),
        ]
        let video = TransferFunction.parametric(
            g: 1 / 0.45, a: 1 / 1.099, b: 0.099 / 1.099, c: 1 / 4.5, d: 0.081, e: 0, f: 0)
        let transfers: [UInt8: TransferFunction] = [
            1: video, 4: .gamma(2.2), 5: .gamma(2.8), 6: video, 8: .gamma(1), 13: .sRGB, 14: video, 15: video,
        ]
        guard let (title, found) = primaries[codes[0]], let transfer = transfers[codes[1]] else { return nil }
        if codes[0] == 1, transfer == .sRGB { return .sRGB }
        return found.space(title, transfer)
    }

    /// What gAMA and cHRM say; nil where they say nothing, or nonsense, or sRGB.
    private var chunkSpace: ColourSpace? {
        var primaries = Primaries.bt709
        if let c = chromaticities?.map({ Double($0) / 100_000 }) {
            let stated = Primaries(
                red: Chromaticity(c[2], c[3]), green: Chromaticity(c[4], c[5]), blue: Chromaticity(c[6], c[7]),
                white: Chromaticity(c[0], c[1]))
            if stated.toXYZ != nil, !stated.isNear(.bt709) { primaries = stated }
        }
        var transfer = TransferFunction.sRGB
        // 1/2.2 is how sRGB's curve is written in gAMA; gammas beyond 0.1 to 10 are nonsense.
        if let gamma, (10_000...1_000_000).contains(gamma), primaries != .bt709 || abs(Int(gamma) - 45_455) > 500 {
            transfer = .gamma(100_000 / Double(gamma))
        }
        if primaries == .bt709 {
            guard transfer != .sRGB else { return nil }
            return ColourSpace(name: "PNG gamma", toXYZ: ColourSpace.sRGB.toXYZ, transfer: transfer)
        }
        return primaries.space("PNG colours", transfer)
    }
}
