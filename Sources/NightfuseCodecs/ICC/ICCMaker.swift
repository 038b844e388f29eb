public import NightfuseCore

/// Makes a profile (ICC version 4.2, display class) of a colour space: for pictures whose space is told by other means,
/// and grey for grey ones.
///
/// - Parameter channels: 1 (only the curve is kept) or 3.
public func makeICCProfile(_ space: ColourSpace, channels: Int) -> [UInt8] {
    let curve = curveTag(space.transfer)
    var tags: [(String, [UInt8])] = [
        ("desc", textTag(space.name)), ("cprt", textTag("No copyright, use freely")),
        ("wtpt", xyzTag(Chromaticity.d50White)),
    ]
    if channels == 1 {
        tags.append(("kTRC", curve))
    } else {
        let m = space.toXYZ.m
        for (i, name) in ["rXYZ", "gXYZ", "bXYZ"].enumerated() {
            tags.append((name, xyzTag([m[i], m[3 + i], m[6 + i]])))
        }
        for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
        // Bradford from D65, the white of every space made here.
        if let white = Chromaticity.d65.xyz,
            let adapt = Chromaticity.bradford(from: white, to: Chromaticity.d50White)
        {
            tags.append(("chad", fixedArrayTag(adapt.m)))
        }
    }
    return assemble(tags, grey: channels == 1)
}

private func assemble(_ tags: [(String, [UInt8])], grey: Bool) -> [UInt8] {
    var table = u32(tags.count)
    var data: [UInt8] = []
    var places: [[UInt8]: Int] = [:]
    let start = 128 + 4 + 12 * tags.count
    for (name, body) in tags {
        // Equal curves are kept once.
        let place = places[body] ?? start + data.count
        if places[body] == nil {
            places[body] = place
            data += body
            while data.count % 4 != 0 { data.append(0) }
        }
        table += Array(name.utf8) + u32(place) + u32(body.count)
    }
    var header = u32(start + data.count) + [0, 0, 0, 0] + [4, 0x20, 0, 0] + Array("mntr".utf8)
    header += Array((grey ? "GRAY" : "RGB ").utf8) + Array("XYZ ".utf8)
    // 2020-01-01: a date must stand here, and the same bytes come out every day.
    header += [2020, 1, 1, 0, 0, 0].flatMap { u32($0).suffix(2) } + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28)
    header += Chromaticity.d50White.flatMap(fixed)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
}

private func u32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }

/// s15Fixed16Number, clamped to what it holds.
private func fixed(_ value: Double) -> [UInt8] { u32(Int((min(max(value, -32768), 32767) * 65536).rounded())) }

private func xyzTag(_ xyz: [Double]) -> [UInt8] { Array("XYZ \0\0\0\0".utf8) + xyz.flatMap(fixed) }

private func fixedArrayTag(_ values: [Double]) -> [UInt8] { Array("sf32\0\0\0\0".utf8) + values.flatMap(fixed) }

private func textTag(_ text: String) -> [UInt8] {
    let units = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return Array("mluc\0\0\0\0".utf8) + u32(1) + u32(12) + Array("enUS".utf8) + u32(units.count) + u32(28) + units
}

private func curveTag(_ transfer: TransferFunction) -> [UInt8] {
    func parametric(_ type: Int, _ p: [Double]) -> [UInt8] {
        Array("para\0\0\0\0".utf8) + u32(type).suffix(2) + [0, 0] + p.flatMap(fixed)
    }
    switch transfer {
    // IEC 61966-2-1 as ICC type 3.
    case .sRGB: return parametric(3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
    case .gamma(let g): return parametric(0, [g])
    case .parametric(let g, let a, let b, let c, let d, let e, let f): return parametric(4, [g, a, b, c, d, e, f])
    case .table(let table):
        let samples = table.flatMap { u32(Int((min(max($0, 0), 1) * 65535).rounded())).suffix(2) }
        return Array("curv\0\0\0\0".utf8) + u32(table.count) + samples
    }
}
