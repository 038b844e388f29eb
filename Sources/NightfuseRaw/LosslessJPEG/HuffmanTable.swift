internal import NightfuseCore

/// A Huffman table of lossless JPEG (ITU-T T.81, C and H.1.2.2), ready to decode.
///
/// `lookup` maps the next ``lookupBits`` bits to a packed entry: bits 0 to 7 the length of the code and its extra bits
/// together, 8 to 15 the length of the code, 16 to 23 the number of extra bits; 0 where the code is longer, invalid, or
/// stands for the difference 32768, which `slow` decides.
struct HuffmanTable {
    static let lookupBits = 12

    /// 1 << ``lookupBits`` entries.
    let lookup: [UInt32]
    /// For each code length 1 to 16: the first code past that length, left-aligned in 16 bits.
    private let limits: [Int]
    /// For each code length: what to add to a code to index `symbols`.
    private let offsets: [Int]
    private let symbols: [UInt8]
    /// Extra bits after the code for the difference 32768: 0 by T.81; writers before DNG 1.1 gave it 16.
    private let extraOf16: Int

    /// - Parameters:
    ///   - counts: number of codes of each length 1 to 16.
    ///   - symbols: bit lengths of differences, in the order of their codes.
    /// - Returns: nil where the counts make no prefix code, or a symbol is above 16.
    init?(counts: [Int], symbols: [UInt8], extraOf16: Int = 0) {
        guard counts.count == 16, counts.reduce(0, +) == symbols.count, symbols.allSatisfy({ $0 <= 16 }) else {
            return nil
        }
        var limits = [Int](repeating: 0, count: 17)
        var offsets = [Int](repeating: 0, count: 17)
        var code = 0
        var index = 0
        for length in 1...16 {
            code <<= 1
            offsets[length] = index - code
            code += counts[length - 1]
            index += counts[length - 1]
            guard code <= 1 << length else { return nil }
            limits[length] = code << (16 - length)
        }
        self.limits = limits
        self.offsets = offsets
        self.symbols = symbols
        self.extraOf16 = extraOf16
        self.lookup = Self.fill(counts, symbols)
    }

    private static func fill(_ counts: [Int], _ symbols: [UInt8]) -> [UInt32] {
        var lookup = [UInt32](repeating: 0, count: 1 << lookupBits)
        var at = 0
        var index = 0
        for length in 1...lookupBits {
            for _ in 0..<counts[length - 1] {
                let extra = UInt32(symbols[index])
                let packed = extra == 16 ? 0 : UInt32(length) + extra | UInt32(length) << 8 | extra << 16
                let span = 1 << (lookupBits - length)
                for i in at..<at + span { lookup[i] = packed }
                at += span
                index += 1
            }
        }
        return lookup
    }

    /// Decodes what the table has no entry for. `bits`: the next bits, left-aligned in 64, at least 32 of them good.
    ///
    /// - Returns: the difference modulo 65536 and the bits it took; 0 bits where there is no such code.
    @inline(never)
    func slow(_ bits: UInt64) -> (difference: Int, length: Int) {
        let next = Int(bits >> 48)
        for length in 1...16 where next < limits[length] {
            let extra = Int(symbols[(next >> (16 - length)) + offsets[length]])
            if extra == 16 && extraOf16 == 0 { return (32768, length) }
            let value = Int((bits << UInt64(length)) >> UInt64(64 - extra))
            let isNegative = value >> (extra - 1) == 0
            return (isNegative ? value - (1 << extra) + 1 : value, length + extra)
        }
        return (0, 0)
    }
}
