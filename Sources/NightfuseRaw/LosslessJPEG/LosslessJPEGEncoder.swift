package import NightfuseCore

/// Writes lossless JPEG: predictors 1 to 7, components interleaved, one Huffman table made for the picture.
package struct LosslessJPEGEncoder {
    package let frame: LosslessJPEG.Frame
    /// 1 to 7. 1 is what other readers are quickest at, and within 2 % of the best on noisy mosaics.
    package var predictor = 1
    /// Bits that are left out at the bottom of every sample.
    package var pointTransform = 0
    /// Rows between restart markers; 0: none.
    package var restartRows = 0

    package init(frame: LosslessJPEG.Frame) { self.frame = frame }

    /// Encodes `frame.height` rows of `frame.rowSamples` samples, `rowStride` apart, each below 2^precision.
    ///
    /// - Returns: the stream, in a plane of one row.
    /// - Throws: `.limit` where there is no memory. Scratch: 2 bytes a sample, and twice the stream.
    package func encode(_ base: Row<UInt16>, rowStride: Int) throws(NightfuseError) -> Plane<UInt8> {
        let differences = try Plane<UInt16>(width: frame.rowSamples, height: frame.height, isZero: false)
        for y in 0..<frame.height { subtract(base + y * rowStride, rowStride, y, differences.mutableRow(y)) }
        var frequencies = [Int](repeating: 0, count: 17)
        for y in 0..<frame.height { Self.count(differences.row(y), frame.rowSamples, &frequencies) }
        let code = HuffmanCode(frequencies: frequencies)

        var bits = 0
        for length in 0...16 { bits += frequencies[length] * (Int(code.lengths[length]) + (length & 15)) }
        let head = header(code)
        let intervals = restartRows == 0 ? 1 : (frame.height + restartRows - 1) / restartRows
        // Every byte may need stuffing; each interval is filled up to a byte and followed by a marker.
        let room = head.count + (bits / 8 + 1 + intervals) * 2 + intervals * 2 + 16
        let out = try Plane<UInt8>(width: room, height: 1, isZero: false)
        for (i, byte) in head.enumerated() { out.base[i] = byte }
        var writer = BitWriter(out.base, from: head.count)
        for y in 0..<frame.height {
            if restartRows > 0, y > 0, y % restartRows == 0 {
                writer.finish()
                writer.marker(0xD0 + UInt8((y / restartRows - 1) & 7))
            }
            Self.write(differences.row(y), frame.rowSamples, code, &writer)
        }
        writer.finish()
        writer.marker(0xD9)
        let length = writer.next
        let exact = try Plane<UInt8>(width: length, height: 1)
        exact.base.update(from: out.base, count: length)
        return exact
    }

    private func header(_ code: HuffmanCode) -> [UInt8] {
        func u16(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
        let components = frame.components
        var head: [UInt8] = [0xFF, 0xD8, 0xFF, 0xC4] + u16(19 + code.symbols.count) + [0]
        head += code.counts.map { UInt8($0) } + code.symbols
        head += [0xFF, 0xC3] + u16(8 + 3 * components) + [UInt8(frame.precision)] + u16(frame.height)
        head += u16(frame.width) + [UInt8(components)]
        for component in 0..<components { head += [UInt8(component), 0x11, 0] }
        if restartRows > 0 { head += [0xFF, 0xDD] + u16(4) + u16(restartRows * frame.width) }
        head += [0xFF, 0xDA] + u16(6 + 2 * components) + [UInt8(components)]
        for component in 0..<components { head += [UInt8(component), 0] }
        return head + [UInt8(predictor), 0, UInt8(pointTransform)]
    }

    // MARK: Differences

    private func subtract(
        _ row: Row<UInt16>, _ rowStride: Int, _ y: Int, _ out: MutableRow<UInt16>
    ) {
        let step = frame.components
        let isFirst = restartRows == 0 ? y == 0 : y % restartRows == 0
        let shift = UInt16(pointTransform)
        if isFirst {
            let middle = UInt16(1) << UInt16(frame.precision - pointTransform - 1)
            for c in 0..<step { out[c] = (row[c] >> shift) &- middle }
        } else {
            for c in 0..<step { out[c] = (row[c] >> shift) &- (row[c - rowStride] >> shift) }
        }
        guard frame.rowSamples > step else { return }
        if isFirst || predictor == 1 {
            for x in step..<frame.rowSamples { out[x] = (row[x] >> shift) &- (row[x - step] >> shift) }
            return
        }
        let above = row - rowStride
        for x in step..<frame.rowSamples {
            let (left, up, upLeft) = (
                Int(row[x - step] >> shift), Int(above[x] >> shift), Int(above[x - step] >> shift)
            )
            let guess =
                switch predictor {
                case 2: up
                case 3: upLeft
                case 4: left &+ up &- upLeft
                case 5: left &+ ((up &- upLeft) >> 1)
                case 6: up &+ ((left &- upLeft) >> 1)
                default: (left &+ up) >> 1
                }
            out[x] = (row[x] >> shift) &- UInt16(truncatingIfNeeded: guess)
        }
    }

    /// The bit length of a difference: 0 to 15, and 16 for 32768.
    @inline(__always)
    private static func bitLength(_ difference: UInt16) -> Int {
        16 &- Int16(bitPattern: difference).magnitude.leadingZeroBitCount
    }

    private static func count(_ row: Row<UInt16>, _ count: Int, _ frequencies: inout [Int]) {
        frequencies.withMutableRow { base in
            for x in 0..<count { base[bitLength(row[x])] &+= 1 }
        }
    }

    private static func write(
        _ row: Row<UInt16>, _ count: Int, _ code: HuffmanCode, _ writer: inout BitWriter
    ) {
        code.codes.withRow { codes in
            code.lengths.withRow { lengths in
                var bits = writer
                for x in 0..<count {
                    let length = bitLength(row[x])
                    // A negative difference is written less 1, in as many bits as its magnitude has; 32768 in none.
                    let extra = UInt64(length & 15)
                    let value = Int64(Int16(bitPattern: row[x]))
                    let low = UInt64(bitPattern: value &+ (value >> 63)) & ((1 &<< extra) &- 1)
                    bits.put(codes[length] &<< extra | low, lengths[length] &+ extra)
                }
                writer = bits
            }
        }
    }
}

/// Writes bits, most significant first, with a zero stuffed behind every byte of ones.
private struct BitWriter {
    private let out: MutableRow<UInt8>
    /// Where the next byte goes.
    private(set) var next: Int
    private var bits: UInt64 = 0
    private var count: UInt64 = 0

    /// Writes to `out` from byte `start` on, where there must be room for all that will come.
    init(_ out: MutableRow<UInt8>, from start: Int) { (self.out, next) = (out, start) }

    /// Appends the low `length` (at most 32) bits of `value`.
    @inline(__always)
    mutating func put(_ value: UInt64, _ length: UInt64) {
        bits = bits &<< length | value
        count &+= length
        guard count >= 32 else { return }
        count &-= 32
        let word = UInt32(truncatingIfNeeded: bits &>> count)
        // A byte of ones is a zero byte of the complement.
        let holes = ~word
        if (holes &- 0x0101_0101) & ~holes & 0x8080_8080 == 0 {
            storeWord(word, out + next)
            next += 4
        } else {
            for shift in stride(from: UInt32(24), through: 0, by: -8) { byte(UInt8(truncatingIfNeeded: word >> shift)) }
        }
    }

    /// Fills the last byte up with ones.
    mutating func finish() {
        let missing = (8 - count & 7) & 7
        bits = bits << missing | ((1 << missing) - 1)
        count += missing
        while count > 0 {
            count -= 8
            byte(UInt8(truncatingIfNeeded: bits >> count))
        }
    }

    mutating func marker(_ code: UInt8) {
        out[next] = 0xFF
        out[next + 1] = code
        next += 2
    }

    private mutating func byte(_ value: UInt8) {
        out[next] = value
        next += 1
        guard value == 0xFF else { return }
        out[next] = 0
        next += 1
    }
}
