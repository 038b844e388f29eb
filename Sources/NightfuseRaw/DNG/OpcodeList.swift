internal import NightfuseCore

/// One entry of an opcode list: always big-endian, whatever the file is (DNG 1.4, chapter 7).
struct Opcode {
    enum Kind: Int {
        case warpRectilinear = 1
        case warpFisheye, fixVignetteRadial, fixBadPixelsConstant, fixBadPixelsList, trimBounds, mapTable
        case mapPolynomial, gainMap, deltaPerRow, deltaPerColumn, scalePerRow, scalePerColumn, warpRectilinear2
    }

    let code: Int
    let isOptional: Bool
    /// The DNG version it came with, its flags, and its parameters, as found.
    let version: UInt32
    let flags: UInt32
    let parameters: [UInt8]

    var kind: Kind? { Kind(rawValue: code) }
    var title: String { kind.map { "\($0)" } ?? "opcode \(code)" }

    func u32(_ at: Int) -> Int { (at..<at + 4).reduce(0) { $0 << 8 | Int(parameters[$1]) } }

    func double(_ at: Int) -> Double {
        Double(bitPattern: (at..<at + 8).reduce(0) { $0 << 8 | UInt64(parameters[$1]) })
    }

    func float(_ at: Int) -> Float { Float(bitPattern: UInt32(u32(at))) }
}

extension Opcode {
    /// The version of DNG that brought the opcodes that are written.
    private static let version: UInt32 = 0x0103_0000

    /// FixBadPixelsList of pixels of the active area, whose corner has the mosaic's first colour.
    init(badPixels: [(x: Int, y: Int)], layout: RawFrame.Layout) {
        var parameters = OpcodeList.bigEndian(Self.phase(layout))
        parameters += OpcodeList.bigEndian(UInt32(badPixels.count)) + OpcodeList.bigEndian(UInt32(0))
        for (x, y) in badPixels { parameters += OpcodeList.bigEndian(UInt32(y)) + OpcodeList.bigEndian(UInt32(x)) }
        (code, isOptional) = (Kind.fixBadPixelsList.rawValue, true)
        (version, flags, self.parameters) = (Self.version, 1, parameters)
    }

    /// DNG's number for where red is: 0 at the corner, 1 right of it, 2 below it, 3 across.
    private static func phase(_ layout: RawFrame.Layout) -> UInt32 {
        guard case .mosaic(let pattern) = layout, let red = pattern.firstIndex(of: 0) else { return 0 }
        return UInt32(red)
    }

    /// GainMap.
    init(_ map: RawFrame.GainMap) {
        let whole = [map.top, map.left, map.bottom, map.right, map.plane, map.planes, map.rowPitch, map.columnPitch]
        var parameters = (whole + [map.rows, map.columns]).flatMap { OpcodeList.bigEndian(UInt32($0)) }
        for value in [map.spacingV, map.spacingH, map.originV, map.originH] {
            parameters += OpcodeList.bigEndian(value.bitPattern)
        }
        parameters += OpcodeList.bigEndian(UInt32(map.mapPlanes))
        for gain in map.gains { parameters += OpcodeList.bigEndian(gain.bitPattern) }
        (code, isOptional) = (Kind.gainMap.rawValue, false)
        (version, flags, self.parameters) = (Self.version, 0, parameters)
    }
}

/// The opcodes of one list tag.
struct OpcodeList {
    /// OpcodeList1 (samples as stored), 2 (linear samples), 3 (demosaiced).
    let number: Int
    private(set) var opcodes: [Opcode] = []

    static let tags: [(TIFFTag, Int)] = [(.opcodeList1, 1), (.opcodeList2, 2), (.opcodeList3, 3)]

    /// Reads the list `number` of `raw`; nil where it has none.
    init?(_ raw: TIFFDirectory, _ tag: TIFFTag, _ number: Int) throws(NightfuseError) {
        guard let entry = raw.entry(tag) else { return nil }
        self.number = number
        let bytes = TIFFBytes(file: try raw.rawBytes(entry), bigEndian: true, name: raw.bytes.name)
        guard bytes.count >= 4 else { throw raw.fault(tag, "has \(bytes.count) bytes, too few") }
        var at = 4
        for i in 0..<bytes.u32(0) {
            guard at + 16 <= bytes.count, bytes.u32(at + 12) <= bytes.count - at - 16 else {
                throw raw.fault(tag, "ends within its opcode \(i)")
            }
            let parameters = bytes.file[at + 16..<at + 16 + bytes.u32(at + 12)]
            opcodes.append(
                Opcode(
                    code: bytes.u32(at), isOptional: bytes.u32(at + 8) & 1 != 0, version: bytes.bits32(at + 4),
                    flags: bytes.bits32(at + 8), parameters: Array(parameters)))
            at += 16 + parameters.count
        }
    }

    init(number: Int, opcodes: [Opcode]) { (self.number, self.opcodes) = (number, opcodes) }

    /// The list as a tag holds it.
    var encoded: [UInt8] {
        var out = Self.bigEndian(UInt32(opcodes.count))
        for opcode in opcodes {
            out += Self.bigEndian(UInt32(opcode.code)) + Self.bigEndian(opcode.version) + Self.bigEndian(opcode.flags)
            out += Self.bigEndian(UInt32(opcode.parameters.count)) + opcode.parameters
        }
        return out
    }

    /// Two encoded lists as one, the first one's opcodes first.
    static func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        func count(_ list: [UInt8]) -> UInt32 { list.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
        return bigEndian(count(first) + count(second)) + first.dropFirst(4) + second.dropFirst(4)
    }

    static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        value.bytes(bigEndian: true)
    }
}
