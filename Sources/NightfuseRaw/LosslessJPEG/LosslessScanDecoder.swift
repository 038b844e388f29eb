internal import NightfuseCore

/// Turns the entropy-coded data of one scan into samples (T.81, H.2).
struct LosslessScanDecoder {
    let frame: LosslessJPEG.Frame
    let scan: LosslessScan
    /// The first sample of the frame, its rows `rowStride` samples apart.
    let base: MutableRow<UInt16>
    let rowStride: Int
    let name: String

    /// Decodes every row.
    ///
    /// - Returns: where in `bytes` the scan ends.
    /// - Throws: `.file` where the data end early, hold an invalid code, or their restart markers are out of order.
    func decode(_ bytes: FileBytes) throws(NightfuseError) -> Int {
        let data = try EntropyData(bytes, from: scan.dataStart)
        let rowsASegment = scan.restartRows == 0 ? frame.height : scan.restartRows
        let segments = (frame.height + rowsASegment - 1) / rowsASegment
        // Fewer segments leave rows without data; more are ignored, as an unused end is.
        guard data.segments.count >= segments, data.restartsInOrder || scan.restartRows == 0 else {
            throw .file(name, "lossless JPEG: restart markers are missing or out of order")
        }
        for segment in 0..<segments {
            var reader = data.reader(segment)
            let first = segment * rowsASegment
            for y in first..<min(first + rowsASegment, frame.height) {
                let isValid = y == first ? decodeFirstRow(y, &reader) : decodeRow(y, &reader)
                guard isValid, !reader.isPastEnd else {
                    let reason = reader.isPastEnd ? "the data end early" : "invalid code"
                    throw .file(name, "lossless JPEG: \(reason) in row \(y) of \(frame.height)")
                }
            }
        }
        if scan.pointTransform > 0 { scaleBack() }
        return data.sourceEnd
    }

    /// The first row after a start: the first pixel from half scale, the others from their left neighbour.
    private func decodeFirstRow(_ y: Int, _ reader: inout BitReader) -> Bool {
        let row = base + y * rowStride
        let middle = 1 << (frame.precision - scan.pointTransform - 1)
        for (component, table) in zip(scan.components, scan.tables) {
            guard let difference = table.one(&reader) else { return false }
            row[component] = UInt16(truncatingIfNeeded: middle &+ difference)
        }
        return decodeLeft(row, &reader)
    }

    /// Any other row: the first pixel from the one above, the others by the scan's predictor.
    private func decodeRow(_ y: Int, _ reader: inout BitReader) -> Bool {
        let row = base + y * rowStride
        let above = row - rowStride
        for (component, table) in zip(scan.components, scan.tables) {
            guard let difference = table.one(&reader) else { return false }
            row[component] = UInt16(truncatingIfNeeded: Int(above[component]) &+ difference)
        }
        return scan.predictor == 1 ? decodeLeft(row, &reader) : decodePlanar(row, above, &reader)
    }

    /// Predictor 1 from the second pixel on.
    private func decodeLeft(_ row: MutableRow<UInt16>, _ reader: inout BitReader) -> Bool {
        switch (scan.components.count, frame.components) {
        case (1, 1): decodeLeft1(row, &reader)
        case (2, 2) where scan.components == [0, 1]: decodeLeft2(row, &reader)
        default: decodeLeftAny(row, &reader)
        }
    }

    private func decodeLeft1(_ row: MutableRow<UInt16>, _ reader: inout BitReader) -> Bool {
        let table = scan.tables[0]
        return table.lookup.withRow { lookup in
            var value = Int(row[0])
            var bits = reader
            defer { reader = bits }
            for x in 1..<max(frame.width, 1) {
                guard let difference = bits.difference(lookup, table) else { return false }
                value &+= difference
                row[x] = UInt16(truncatingIfNeeded: value)
            }
            return true
        }
    }

    private func decodeLeft2(_ row: MutableRow<UInt16>, _ reader: inout BitReader) -> Bool {
        let (table0, table1) = (scan.tables[0], scan.tables[1])
        return table0.lookup.withRow { lookup0 in
            table1.lookup.withRow { lookup1 in
                var (value0, value1) = (Int(row[0]), Int(row[1]))
                var bits = reader
                defer { reader = bits }
                for x in 1..<max(frame.width, 1) {
                    guard let difference0 = bits.difference(lookup0, table0),
                        let difference1 = bits.difference(lookup1, table1)
                    else { return false }
                    value0 &+= difference0
                    value1 &+= difference1
                    row[x * 2] = UInt16(truncatingIfNeeded: value0)
                    row[x * 2 + 1] = UInt16(truncatingIfNeeded: value1)
                }
                return true
            }
        }
    }

    private func decodeLeftAny(_ row: MutableRow<UInt16>, _ reader: inout BitReader) -> Bool {
        let step = frame.components
        for x in 1..<max(frame.width, 1) {
            for (component, table) in zip(scan.components, scan.tables) {
                guard let difference = table.one(&reader) else { return false }
                let at = x * step + component
                row[at] = UInt16(truncatingIfNeeded: Int(row[at - step]) &+ difference)
            }
        }
        return true
    }

    /// Predictors 2 to 7 from the second pixel on. The choice within the loop is always the same, hence free.
    private func decodePlanar(
        _ row: MutableRow<UInt16>, _ above: MutableRow<UInt16>, _ reader: inout BitReader
    ) -> Bool {
        let step = frame.components
        let predictor = scan.predictor
        for x in 1..<max(frame.width, 1) {
            for (component, table) in zip(scan.components, scan.tables) {
                guard let difference = table.one(&reader) else { return false }
                let at = x * step + component
                let (left, up, upLeft) = (Int(row[at - step]), Int(above[at]), Int(above[at - step]))
                let guess =
                    switch predictor {
                    case 0: 0
                    case 2: up
                    case 3: upLeft
                    case 4: left &+ up &- upLeft
                    case 5: left &+ ((up &- upLeft) >> 1)
                    case 6: up &+ ((left &- upLeft) >> 1)
                    default: (left &+ up) >> 1
                    }
                row[at] = UInt16(truncatingIfNeeded: guess &+ difference)
            }
        }
        return true
    }

    /// Undoes the point transform of the scan's components.
    private func scaleBack() {
        for y in 0..<frame.height {
            let row = base + y * rowStride
            for x in 0..<frame.width {
                for component in scan.components { row[x * frame.components + component] <<= scan.pointTransform }
            }
        }
    }
}

extension HuffmanTable {
    /// One difference; for the first pixel of a row and rare layouts.
    @inline(__always)
    fileprivate func one(_ reader: inout BitReader) -> Int? {
        lookup.withRow { reader.difference($0, self) }
    }
}

extension BitReader {
    /// The next difference, -32767 to 32768; nil where no code fits. `lookup` is that of `table`.
    @inline(__always)
    fileprivate mutating func difference(_ lookup: Row<UInt32>, _ table: HuffmanTable) -> Int? {
        refill()
        let entry = UInt64(lookup[Int(bits &>> UInt64(64 - HuffmanTable.lookupBits))])
        guard entry != 0 else {
            let (difference, length) = table.slow(bits)
            skip(UInt64(length))
            return length == 0 ? nil : difference
        }
        let rest = bits &<< ((entry &>> 8) & 0xFF)
        let extra = entry &>> 16
        let value = Int((rest &>> 1) &>> (63 &- extra))
        // Where the first extra bit is 0 the difference is negative: value - (2^extra - 1), without a branch.
        let negative = Int(truncatingIfNeeded: ~Int64(bitPattern: rest) >> 63)
        skip(entry & 0xFF)
        return value &+ (negative & (1 &- (1 &<< Int(extra))))
    }
}
