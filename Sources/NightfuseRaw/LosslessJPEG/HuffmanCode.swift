/// A Huffman code for differences, made from how often each bit length occurs.
struct HuffmanCode {
    /// Codes of each length 1 to 16, and the bit lengths in the order of their codes: as DHT has them.
    let counts: [Int]
    let symbols: [UInt8]
    /// The code of each bit length 0 to 16, and its length; 0 where it does not occur.
    private(set) var codes = [UInt64](repeating: 0, count: 17)
    private(set) var lengths = [UInt64](repeating: 0, count: 17)

    /// The shortest code for `frequencies` of the bit lengths 0 to 16, none longer than 16 and none all ones.
    init(frequencies: [Int]) {
        precondition(frequencies.count == 17)
        var depths = Self.depths(frequencies)
        // 17 bit lengths and the reserved code make a tree of depth 17 at most, when frequencies grow as Fibonacci's
        // numbers; halving them flattens it.
        var flattened = frequencies
        while depths.contains(where: { $0 > 16 }) {
            flattened = flattened.map { ($0 + 1) / 2 }
            depths = Self.depths(flattened)
        }
        let order = (0...16).filter { depths[$0] > 0 }.sorted { (depths[$0], $0) < (depths[$1], $1) }
        var counts = [Int](repeating: 0, count: 16)
        var code: UInt64 = 0
        var length = 0
        for symbol in order {
            code <<= UInt64(depths[symbol] - length)
            length = depths[symbol]
            codes[symbol] = code
            lengths[symbol] = UInt64(length)
            counts[length - 1] += 1
            code += 1
        }
        self.counts = counts
        self.symbols = order.map { UInt8($0) }
    }

    /// Depth in Huffman's tree of each bit length; 0 where it does not occur. A leaf of no weight takes the place of the
    /// code of all ones, which T.81 reserves.
    private static func depths(_ frequencies: [Int]) -> [Int] {
        let reserved = 17
        var depths = [Int](repeating: 0, count: 18)
        var trees = frequencies.indices.filter { frequencies[$0] > 0 }.map { (weight: frequencies[$0], leaves: [$0]) }
        trees.append((0, [reserved]))
        while trees.count > 1 {
            trees.sort { $0.weight > $1.weight }
            let (a, b) = (trees.removeLast(), trees.removeLast())
            let leaves = a.leaves + b.leaves
            for leaf in leaves { depths[leaf] += 1 }
            trees.append((a.weight + b.weight, leaves))
        }
        // The reserved leaf is the lightest, hence among the deepest, and goes last among those: the code of all ones.
        return Array(depths.prefix(17))
    }
}
