/// Names as people count: runs of digits by their value (img2 before img10), ASCII letters without regard to case, all
/// else by bytes. Names that tie so are put in order of their bytes; a strict order of all names.
func precedesNaturally(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    var i = 0
    var j = 0
    while i < a.count, j < b.count {
        if isDigit(a[i]), isDigit(b[j]) {
            let (x, y) = (digits(a, &i), digits(b, &j))
            if x.count != y.count { return x.count < y.count }
            if let k = zip(x, y).firstDifference { return k.0 < k.1 }
        } else {
            let (x, y) = (folded(a[i]), folded(b[j]))
            if x != y { return x < y }
            i += 1
            j += 1
        }
    }
    if a.count - i != b.count - j { return a.count - i < b.count - j }
    return a.lexicographicallyPrecedes(b)
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

private func folded(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte }

/// The run of digits at `i`, without leading zeros; moves `i` past it.
private func digits(_ name: [UInt8], _ i: inout Int) -> ArraySlice<UInt8> {
    let start = i
    while i < name.count, isDigit(name[i]) { i += 1 }
    return name[start..<i].drop { $0 == 0x30 }
}

extension Zip2Sequence where Sequence1.Element: Equatable, Sequence1.Element == Sequence2.Element {
    fileprivate var firstDifference: (Sequence1.Element, Sequence1.Element)? {
        for (a, b) in self where a != b { return (a, b) }
        return nil
    }
}
