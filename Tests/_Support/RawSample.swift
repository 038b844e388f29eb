public import NightfuseCore

/// A value of a directory entry, for files that tests build.
public enum TagValue: Sendable {
    case byte([Int]), short([Int]), long([Int]), double([Double]), text(String), undefined([UInt8])
    /// Numerator and denominator in turn.
    case rational([Int]), srational([Int])

    public var type: Int {
        switch self {
        case .byte: 1
        case .text: 2
        case .short: 3
        case .long: 4
        case .rational: 5
        case .undefined: 7
        case .srational: 10
        case .double: 12
        }
    }

    public var count: Int {
        switch self {
        case .byte(let v), .short(let v), .long(let v): v.count
        case .rational(let v), .srational(let v): v.count / 2
        case .double(let v): v.count
        case .text(let v): v.utf8.count + 1
        case .undefined(let v): v.count
        }
    }

    public func bytes(_ big: Bool) -> [UInt8] {
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            let little = (0..<size).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            return big ? little.reversed() : little
        }
        switch self {
        case .byte(let v): return v.flatMap { number($0, 1) }
        case .short(let v): return v.flatMap { number($0, 2) }
        case .long(let v), .rational(let v), .srational(let v): return v.flatMap { number($0, 4) }
        case .double(let v): return v.flatMap { number(Int(bitPattern: UInt($0.bitPattern)), 8) }
        case .text(let v): return Array(v.utf8) + [0]
        case .undefined(let v): return v
        }
    }
}

/// A DNG of the tests' own making, written without any of the library's code.
public struct RawSample: Sendable {
    public var bigEndian = false
    /// Tags of the raw directory but those of its cells, of the first directory, of the EXIF and GPS directories.
    public var raw: [Int: TagValue] = [:]
    public var main: [Int: TagValue] = [:]
    public var exif: [Int: TagValue] = [:]
    public var gps: [Int: TagValue] = [:]
    /// Whether the raw directory hangs below the first one.
    public var inSubDirectory = false
    /// Whether entries stand in falling order of their tags.
    public var isReversed = false
    /// Data of each strip or tile.
    public var cells: [[UInt8]] = []
    public var isTiled = false

    /// Width, height, depth and pattern of a plain mosaic, and what makes it a DNG.
    public init(width: Int, height: Int, bits: Int = 16, photometric: Int = 32803, samples: Int = 1) {
        main = [50706: .byte([1, 4, 0, 0]), 50708: .text("Test Camera"), 274: .short([1])]
        raw = [
            254: .long([0]), 256: .long([width]), 257: .long([height]),
            258: .short([Int](repeating: bits, count: samples)), 259: .short([1]), 262: .short([photometric]),
            277: .short([samples]), 278: .long([height]),
        ]
        if photometric == 32803 {
            raw[33421] = .short([2, 2])
            raw[33422] = .byte([0, 1, 1, 2])
        }
    }

    /// A plain mosaic of `samples`, one 16-bit strip.
    public init(mosaic samples: [Int], width: Int) {
        self.init(width: width, height: samples.count / width)
        cells = [Packing.pack(samples, bits: 16, rowSamples: width, bigEndian: false)]
    }

    public func build() -> [UInt8] {
        var file: [UInt8] = bigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
        file += TagValue.long([0]).bytes(bigEndian)
        var offsets: [Int] = []
        for cell in cells {
            offsets.append(file.count)
            file += cell + (cell.count % 2 == 1 ? [0] : [])
        }
        var rawTags = raw
        rawTags[isTiled ? 324 : 273] = .long(offsets)
        rawTags[isTiled ? 325 : 279] = .long(cells.map(\.count))
        var mainTags = main
        if inSubDirectory {
            mainTags[330] = .long([append(rawTags, to: &file)])
        } else {
            mainTags.merge(rawTags) { _, new in new }
        }
        if !exif.isEmpty { mainTags[34665] = .long([append(exif, to: &file)]) }
        if !gps.isEmpty { mainTags[34853] = .long([append(gps, to: &file)]) }
        let first = append(mainTags, to: &file)
        file.replaceSubrange(4..<8, with: TagValue.long([first]).bytes(bigEndian))
        return file
    }

    /// Appends a directory, its values first, and gives its place.
    private func append(_ tags: [Int: TagValue], to file: inout [UInt8]) -> Int {
        var entries: [UInt8] = []
        for (tag, value) in tags.sorted(by: { isReversed ? $0.key > $1.key : $0.key < $1.key }) {
            let bytes = value.bytes(bigEndian)
            entries += TagValue.short([tag, value.type]).bytes(bigEndian)
            entries += TagValue.long([value.count]).bytes(bigEndian)
            if bytes.count <= 4 {
                entries += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                entries += TagValue.long([file.count]).bytes(bigEndian)
                file += bytes + (bytes.count % 2 == 1 ? [0] : [])
            }
        }
        let at = file.count
        file += TagValue.short([tags.count]).bytes(bigEndian) + entries + [0, 0, 0, 0]
        return at
    }
}

/// Uncompressed samples, written bit by bit.
public enum Packing {
    /// Rows of `rowSamples` samples, each begun at a whole byte.
    public static func pack(_ samples: [Int], bits: Int, rowSamples: Int, bigEndian: Bool) -> [UInt8] {
        var out: [UInt8] = []
        for start in stride(from: 0, to: samples.count, by: rowSamples) {
            let row = samples[start..<start + rowSamples]
            if bits == 16 {
                out += TagValue.short(Array(row)).bytes(bigEndian)
                continue
            }
            var ones: [Int] = row.flatMap { sample in (0..<bits).map { sample >> (bits - 1 - $0) & 1 } }
            while ones.count % 8 != 0 { ones.append(1) }
            for i in stride(from: 0, to: ones.count, by: 8) {
                out.append(UInt8(ones[i..<i + 8].reduce(0) { $0 << 1 | $1 }))
            }
        }
        return out
    }

    /// The samples of a cell of a raster of `width` x `height` pixels; what lies outside is `filler`.
    public static func cell(
        _ samples: [Int], width: Int, height: Int, perPixel: Int, x: Int, y: Int, cellWidth: Int, cellHeight: Int,
        filler: Int = 0
    ) -> [Int] {
        var out: [Int] = []
        for row in y..<y + cellHeight {
            for column in x..<x + cellWidth {
                for c in 0..<perPixel {
                    let isInside = row < height && column < width
                    out.append(isInside ? samples[(row * width + column) * perPixel + c] : filler)
                }
            }
        }
        return out
    }
}

extension RawFrame {
    /// All samples, row by row, samples of a pixel side by side.
    public var samples: [Int] {
        (0..<height).flatMap { y in (0..<width).flatMap { x in planes.map { Int($0[x, y]) } } }
    }
}
