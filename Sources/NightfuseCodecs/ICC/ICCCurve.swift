internal import NightfuseCore

extension ICCBytes {
    /// A tone curve: "curv" (nothing, a gamma or samples) or "para" (types 0 to 4). Nil where there is none or it is
    /// broken.
    func curve(_ name: String) -> TransferFunction? {
        guard let tag = tag(name) else { return nil }
        switch signature(tag.lowerBound) {
        case "curv": return sampled(tag)
        case "para": return parametric(tag)
        default: return nil
        }
    }

    private func sampled(_ tag: Range<Int>) -> TransferFunction? {
        let start = tag.lowerBound
        guard tag.count >= 12, let stated = u32(start + 8) else { return nil }
        let count = Int(stated)
        if count == 0 { return .gamma(1) }
        guard count <= (tag.count - 12) / 2 else { return nil }
        if count == 1 {
            // u8Fixed8Number.
            guard let gamma = u16(start + 12), gamma > 0 else { return nil }
            return .gamma(Double(gamma) / 256)
        }
        var highest: Float = 0
        let table = (0..<count).map { i in
            // Never falling, so that it can be turned round.
            highest = max(highest, Float(u16(start + 12 + 2 * i) ?? 0) / 65535)
            return highest
        }
        guard table[0] < table[count - 1] else { return nil }
        return .table(table)
    }

    private func parametric(_ tag: Range<Int>) -> TransferFunction? {
        let start = tag.lowerBound
        let counts = [1, 3, 4, 5, 7]
        guard let type = u16(start + 8), Int(type) < counts.count, tag.count >= 12 + 4 * counts[Int(type)] else {
            return nil
        }
        let p = (0..<counts[Int(type)]).compactMap { fixed(start + 12 + 4 * $0) }
        guard p.count == counts[Int(type)], p[0] > 0.05, p[0] < 20 else { return nil }
        // Types 1 and 2 switch at -b/a; below, they are constant.
        let result: TransferFunction
        switch type {
        case 0: return .gamma(p[0])
        case 1 where p[1] != 0:
            result = .parametric(g: p[0], a: p[1], b: p[2], c: 0, d: -p[2] / p[1], e: 0, f: 0)
        case 2 where p[1] != 0:
            result = .parametric(g: p[0], a: p[1], b: p[2], c: 0, d: -p[2] / p[1], e: p[3], f: p[3])
        case 3: result = .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4], e: 0, f: 0)
        case 4: result = .parametric(g: p[0], a: p[1], b: p[2], c: p[3], d: p[4], e: p[5], f: p[6])
        default: return nil
        }
        return result.isUsable ? result : nil
    }
}

extension TransferFunction {
    /// Whether it rises over 0...1 and stays near it.
    var isUsable: Bool {
        let values = (0...256).map { linear(Double($0) / 256) }
        // Rounded parameters may leave a step of a few 1/65536 where the pieces meet.
        let rises = zip(values, values.dropFirst()).allSatisfy { $1 >= $0 - 1e-3 }
        return rises && values.allSatisfy { $0.isFinite && $0 > -0.1 && $0 < 1.5 } && values[256] > values[0] + 0.1
    }

    /// The largest difference of two curves in coded values: what `other` codes for this curve's light.
    func codedDistance(to other: TransferFunction) -> Double {
        (0...255).map { Double($0) / 255 }.map { abs(other.coded(linear($0)) - $0) }.max() ?? 0
    }

    /// sRGB's own curve for one that differs from it by less than a quarter of an 8-bit code: profiles hold it as tables
    /// and as rounded parameters.
    var simplified: TransferFunction { codedDistance(to: .sRGB) < 0.25 / 255 ? .sRGB : self }
}
