import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: opcodes")
struct OpcodeTests {
    static func u32(_ values: Int...) -> [UInt8] { TagValue.long(values).bytes(true) }

    static func list(_ opcodes: [(code: Int, isOptional: Bool, parameters: [UInt8])]) -> TagValue {
        var bytes = u32(opcodes.count)
        for opcode in opcodes {
            bytes +=
                u32(opcode.code, 0x0103_0000, opcode.isOptional ? 1 : 0, opcode.parameters.count) + opcode.parameters
        }
        return .undefined(bytes)
    }

    static func gainMap(_ area: [Int], gains: [Float], rows: Int, columns: Int) -> [UInt8] {
        let head = area.flatMap { u32($0) } + u32(0, 1, 2, 2, rows, columns)
        let grid = TagValue.double([0.5, 1, 0.25, 0]).bytes(true) + u32(1)
        return head + grid + gains.flatMap { u32(Int($0.bitPattern)) }
    }

    static func read(_ tag: Int, _ value: TagValue, bigEndian: Bool = false, area: [Int]? = nil) throws -> RawFrame {
        var file = RawSample(width: 8, height: 6)
        file.bigEndian = bigEndian
        var samples = (0..<48).map { $0 + 100 }
        samples[13] = 7
        file.cells = [Packing.pack(samples, bits: 16, rowSamples: 8, bigEndian: bigEndian)]
        file.raw[tag] = value
        if let area { file.raw[50829] = .short(area) }
        return try DNGReader.read(file.build(), name: "a.dng")
    }

    @Test("A gain map of OpcodeList2, whatever the file's byte order", arguments: [false, true])
    func gainMaps(bigEndian: Bool) throws {
        let parameters = Self.gainMap([0, 1, 6, 8], gains: [1, 2, 3, 4, 5, 6], rows: 3, columns: 2)
        let frame = try Self.read(51009, Self.list([(9, false, parameters)]), bigEndian: bigEndian)
        let map = try #require(frame.gainMaps.first)
        #expect((map.top, map.left, map.bottom, map.right) == (0, 1, 6, 8))
        #expect((map.rowPitch, map.columnPitch, map.plane, map.planes) == (2, 2, 0, 1))
        #expect((map.rows, map.columns, map.mapPlanes) == (3, 2, 1))
        #expect((map.spacingV, map.spacingH, map.originV, map.originH) == (0.5, 1, 0.25, 0))
        #expect(map.gains == [1, 2, 3, 4, 5, 6])
        #expect(!map.byColour)
        let after = try Self.read(51022, Self.list([(9, false, parameters)]))
        #expect(after.gainMaps.first?.byColour == true)
    }

    @Test("Listed bad pixels and rectangles, counted from the active area's corner")
    func badList() throws {
        let parameters = Self.u32(0, 2, 1) + Self.u32(2, 3, 0, 0) + Self.u32(0, 0, 2, 2)
        let frame = try Self.read(51008, Self.list([(5, true, parameters)]), area: [1, 1, 6, 8])
        #expect(frame.badPixels.map { [$0.x, $0.y] } == [[2, 1], [0, 0]])
        let whole = try Self.read(51008, Self.list([(5, true, Self.u32(0, 2, 0) + Self.u32(2, 3, 0, 0))]))
        #expect(whole.badPixels.map { [$0.x, $0.y] } == [[3, 2], [0, 0]])
        let rectangle = try Self.read(51008, Self.list([(5, true, Self.u32(0, 0, 1) + Self.u32(4, 5, 6, 6))]))
        #expect(rectangle.badPixels.map { [$0.x, $0.y] } == [[5, 4], [5, 5]])
    }

    @Test("Pixels that hold the bad constant")
    func badConstant() throws {
        let frame = try Self.read(51008, Self.list([(4, false, Self.u32(7, 0))]))
        #expect(frame.badPixels.map { [$0.x, $0.y] } == [[5, 1]])
    }

    @Test("So many bad pixels that none could be mended are ignored, with a note")
    func badEverywhere() throws {
        let frame = try Self.read(
            51008, Self.list([(5, true, Self.u32(0, 0, 1) + Self.u32(0, 0, 0xFFFF_FFFF, 0xFFFF_FFFF))]))
        #expect(frame.badPixels.isEmpty)
        #expect(frame.notes.contains { $0.contains("marked bad") })
    }

    @Test(
        "Other opcodes are skipped with a note where they are optional, else refused", arguments: [51008, 51009, 51022])
    func others(tag: Int) throws {
        let frame = try Self.read(tag, Self.list([(1, true, [1, 2, 3]), (99, true, [])]))
        #expect(frame.notes.contains { $0.contains("warpRectilinear") })
        #expect(frame.notes.contains { $0.contains("opcode 99") })
        let error = #expect(throws: NightfuseError.self) { try Self.read(tag, Self.list([(8, false, [0])])) }
        guard case .unsupported(_, let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("mapPolynomial"))
    }

    @Test("Lists whose lengths lie are refused")
    func broken() throws {
        let map = Self.gainMap([0, 0, 6, 8], gains: [1, 2], rows: 3, columns: 2)
        let huge = Self.gainMap([0, 0, 6, 8], gains: [1, 2], rows: 0xFFFF_FFFF, columns: 0xFFFF_FFFF)
        let lists: [TagValue] = [
            .undefined([0, 0, 0]), .undefined(Self.u32(0xFFFF_FFFF)), .undefined(Self.u32(1, 9, 0, 0, 0xFFFF_FFFF)),
            Self.list([(9, false, map)]), Self.list([(9, false, huge)]), Self.list([(9, false, [])]),
        ]
        for list in lists {
            #expect(throws: NightfuseError.self) { try Self.read(51009, list) }
        }
        #expect(throws: NightfuseError.self) {
            try Self.read(51008, Self.list([(5, true, Self.u32(0, 0xFFFF_FFFF, 0))]))
        }
    }
}
