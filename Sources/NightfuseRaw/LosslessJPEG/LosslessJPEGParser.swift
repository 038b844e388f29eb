internal import NightfuseCore

/// What a scan header and the tables before it say.
struct LosslessScan {
    /// The frame's components in the scan, from 0, and the table of each.
    var components: [Int]
    var tables: [HuffmanTable]
    /// 1 to 7.
    var predictor: Int
    var pointTransform: Int
    /// Rows between restart markers; 0: none.
    var restartRows: Int
    /// Where the entropy-coded data begin.
    var dataStart: Int
}

/// Goes from marker to marker, keeps what they define, and stops at each scan.
struct LosslessJPEGParser {
    private let bytes: FileBytes
    private let name: String
    private let extraOf16: Int
    private var tables = [HuffmanTable?](repeating: nil, count: 4)
    private var frame: LosslessJPEG.Frame?
    private var componentIDs: [UInt8] = []
    private var restartInterval = 0
    /// The byte that is read next.
    var position = 0

    init(_ bytes: FileBytes, name: String, extraOf16: Int = 0) {
        (self.bytes, self.name, self.extraOf16) = (bytes, name, extraOf16)
    }

    /// The frame header, once a scan has been found.
    func checkedFrame() throws(NightfuseError) -> LosslessJPEG.Frame {
        guard let frame else { throw fault("has no frame header") }
        return frame
    }

    /// Reads up to the data of the next scan; nil where the stream ends before one.
    mutating func nextScan() throws(NightfuseError) -> LosslessScan? {
        if position == 0 {
            guard bytes.count >= 2, bytes[0] == 0xFF, bytes[1] == 0xD8 else { throw fault("does not begin with SOI") }
            position = 2
        }
        while let marker = try nextMarker() {
            if marker == 0xD9 { return nil }
            let segment = try segment()
            switch marker {
            case 0xC4: try defineTables(segment)
            case 0xC3: try defineFrame(segment)
            case 0xDD:
                guard segment.count == 2 else { throw fault("has a bad DRI") }
                restartInterval = u16(segment.lowerBound)
            case 0xDA: return try scan(segment)
            case 0xC0, 0xC1, 0xC2, 0xC5, 0xC6:
                throw .unsupported(name, "lossy JPEG samples are not read; save it as a DNG without lossy compression")
            case 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF:
                throw .unsupported(name, "JPEG of type SOF\(marker & 15) is not read; save it as an ordinary DNG")
            case 0xDC: throw fault("defines its height late (DNL), which is not read")
            default: break
            }
        }
        return nil
    }

    private mutating func nextMarker() throws(NightfuseError) -> UInt8? {
        guard position + 1 < bytes.count else { return nil }
        guard bytes[position] == 0xFF else { throw fault("has no marker where one should be") }
        while position < bytes.count, bytes[position] == 0xFF { position += 1 }
        guard position < bytes.count else { return nil }
        position += 1
        return bytes[position - 1]
    }

    private mutating func segment() throws(NightfuseError) -> Range<Int> {
        guard position + 2 <= bytes.count else { throw fault("ends within a marker") }
        let length = u16(position)
        guard length >= 2, position + length <= bytes.count else { throw fault("ends within a marker") }
        let body = position + 2..<position + length
        position += length
        return body
    }

    private mutating func defineTables(_ body: Range<Int>) throws(NightfuseError) {
        var at = body.lowerBound
        while at < body.upperBound {
            let kind = bytes[at]
            guard kind < 4, at + 17 <= body.upperBound else { throw fault("has a bad DHT") }
            let counts = (1...16).map { Int(bytes[at + $0]) }
            let total = counts.reduce(0, +)
            guard at + 17 + total <= body.upperBound,
                let table = HuffmanTable(
                    counts: counts, symbols: Array(bytes[at + 17..<at + 17 + total]), extraOf16: extraOf16)
            else { throw fault("has a Huffman table that makes no code") }
            tables[Int(kind)] = table
            at += 17 + total
        }
    }

    private mutating func defineFrame(_ body: Range<Int>) throws(NightfuseError) {
        guard frame == nil else { throw fault("has two frame headers") }
        guard body.count >= 6 else { throw fault("has a bad SOF3") }
        let at = body.lowerBound
        let found = LosslessJPEG.Frame(
            precision: Int(bytes[at]), width: u16(at + 3), height: u16(at + 1), components: Int(bytes[at + 5]))
        guard (1...4).contains(found.components), body.count == 6 + 3 * found.components else {
            throw fault("has \(found.components) components, not 1 to 4")
        }
        guard (2...16).contains(found.precision), found.width > 0, found.height > 0 else {
            throw fault("claims \(found.width) x \(found.height) of \(found.precision) bits")
        }
        componentIDs = (0..<found.components).map { bytes[at + 6 + $0 * 3] }
        let sampling = (0..<found.components).map { bytes[at + 7 + $0 * 3] }
        guard found.components == 1 || sampling.allSatisfy({ $0 == sampling[0] }) else {
            throw .unsupported(name, "subsampled lossless JPEG is not read; save it as an ordinary DNG")
        }
        frame = found
    }

    private func scan(_ body: Range<Int>) throws(NightfuseError) -> LosslessScan {
        let frame = try checkedFrame()
        guard let first = body.first, body.count == 4 + 2 * Int(bytes[first]), bytes[first] > 0 else {
            throw fault("has a bad SOS")
        }
        var components: [Int] = []
        var used: [HuffmanTable] = []
        for i in 0..<Int(bytes[first]) {
            let at = first + 1 + i * 2
            guard let component = componentIDs.firstIndex(of: bytes[at]), !components.contains(component) else {
                throw fault("scans a component it does not have, or one twice")
            }
            guard bytes[at + 1] >> 4 < 4, let table = tables[Int(bytes[at + 1] >> 4)] else {
                throw fault("uses a Huffman table it does not have")
            }
            components.append(component)
            used.append(table)
        }
        let predictor = Int(bytes[body.upperBound - 3])
        let pointTransform = Int(bytes[body.upperBound - 1] & 15)
        guard (0...7).contains(predictor), pointTransform < frame.precision else {
            throw fault("has predictor \(predictor) and point transform \(pointTransform)")
        }
        guard restartInterval % frame.width == 0 else {
            throw fault("restarts after \(restartInterval) pixels, which is no whole row of \(frame.width)")
        }
        // The shortest code has one bit: a stream too short for its size is found before memory is asked for.
        guard frame.width * frame.height * components.count <= (bytes.count - body.upperBound) * 8 else {
            throw fault("ends early: \(bytes.count) bytes cannot hold \(frame.width) x \(frame.height) pixels")
        }
        return LosslessScan(
            components: components, tables: used, predictor: predictor, pointTransform: pointTransform,
            restartRows: restartInterval / frame.width, dataStart: body.upperBound)
    }

    private func u16(_ at: Int) -> Int { Int(bytes[at]) << 8 | Int(bytes[at + 1]) }

    private func fault(_ reason: String) -> NightfuseError {
        .file(name, "lossless JPEG \(reason) (at byte \(position) of it)")
    }
}
