internal import NightfuseCore

/// Bits of one entropy-coded segment whose stuffing has been taken out, most significant first.
///
/// Reads eight bytes at a time without asking where the end is: ``EntropyData`` keeps 16 zero bytes behind it, and
/// whoever decodes asks ``isPastEnd`` after every row.
struct BitReader {
    /// The next bits, left-aligned.
    var bits: UInt64 = 0
    /// How many of them are good.
    private var good: UInt64 = 0
    private let bytes: Row<UInt8>
    private var next = 0
    private let end: Int
    private var overran = false

    init(_ bytes: Row<UInt8>, count: Int) { (self.bytes, end) = (bytes, count) }

    /// Brings the good bits to at least 56.
    @inline(__always)
    mutating func refill() {
        // More than this and even the bits in hand were invented.
        if next > end + 8 {
            overran = true
            next = end
        }
        let word = loadWord(bytes + next)
        bits |= word &>> good
        next += Int((63 &- good) &>> 3)
        good |= 56
    }

    /// Takes `count` bits, at most as many as are good.
    @inline(__always)
    mutating func skip(_ count: UInt64) {
        bits &<<= count
        good &-= count
    }

    /// Whether more bits were taken than there are.
    var isPastEnd: Bool { overran || (next - end) * 8 > Int(good) }
}

/// The entropy-coded data of a scan in memory of its own: no stuffed zeros, no markers, cut at its restart markers.
final class EntropyData {
    /// Zero behind the data.
    private let memory: Plane<UInt8>
    /// Where each segment lies in memory.
    private(set) var segments: [Range<Int>] = []
    /// Where in the source the scan ends: at a marker that is no restart, or at the end.
    private(set) var sourceEnd = 0
    /// Whether the restart markers counted 0 to 7 and around again.
    private(set) var restartsInOrder = true

    /// Takes in `source` from `start`.
    init(_ source: FileBytes, from start: Int) throws(NightfuseError) {
        let padding = 16
        memory = try Plane(width: source.count - start + padding, height: 1)
        unstuff(source, from: start)
    }

    func reader(_ segment: Int) -> BitReader {
        BitReader(Row(memory.base) + segments[segment].lowerBound, count: segments[segment].count)
    }

    private func unstuff(_ source: FileBytes, from start: Int) {
        let memory = memory.base
        let count = source.count
        var from = start
        var to = 0
        var segmentStart = 0
        while from < count {
            let run = Self.run(source, from)
            (memory + to).update(from: source.row(from..<from + run), count: run)
            from += run
            to += run
            guard from < count else { break }
            // At a 0xFF: data where a zero follows; else fill bytes, then a marker.
            if from + 1 < count, source[from + 1] == 0 {
                memory[to] = 0xFF
                to += 1
                from += 2
                continue
            }
            var marker = from + 1
            while marker < count, source[marker] == 0xFF { marker += 1 }
            guard marker < count, source[marker] & 0xF8 == 0xD0 else { break }
            restartsInOrder = restartsInOrder && Int(source[marker] & 7) == segments.count & 7
            segments.append(segmentStart..<to)
            segmentStart = to
            from = marker + 1
        }
        segments.append(segmentStart..<to)
        sourceEnd = from
    }

    /// How many bytes from `start` are not 0xFF.
    private static func run(_ source: FileBytes, _ start: Int) -> Int {
        var at = start
        // Eight at a time: a byte of 0xFF is a zero byte of the complement, and only that borrows into bit 7.
        while at + 8 <= source.count {
            let word = ~source.load(at, as: UInt64.self)
            if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { break }
            at += 8
        }
        while at < source.count, source[at] != 0xFF { at += 1 }
        return at - start
    }
}
