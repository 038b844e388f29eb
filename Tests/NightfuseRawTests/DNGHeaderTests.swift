import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

@Suite("DNG: the header alone")
struct DNGHeaderTests {
    static func header(_ bytes: [UInt8]) throws -> DNGHeader {
        try DNGHeader(bytes, name: "a.dng", limits: Limits())
    }

    @Test("The size is the crop's, upright", arguments: [(1, 6, 5), (6, 5, 6)])
    func size(orientation: Int, width: Int, height: Int) throws {
        var file = RawSample(mosaic: [Int](repeating: 1, count: 64), width: 8)
        file.main[274] = .short([orientation])
        file.main[33434] = .rational([1, 4])
        file.raw[50719] = .long([1, 2])
        file.raw[50720] = .long([6, 5])
        let header = try Self.header(file.build())
        #expect((header.width, header.height) == (width, height))
        #expect(header.info.exposureSeconds == 0.25)
    }

    @Test("A file's start is enough where it holds the directories, though the samples lie behind it")
    func start() throws {
        let raw = try DNGReader.read(RawSample(mosaic: [Int](repeating: 1, count: 64), width: 8).build(), name: "a.dng")
        let start = Array(try DNGWriter().bytes(raw).dropLast(4))
        #expect(throws: NightfuseError.self) { try Self.header(start) }
        let header = try DNGHeader(start, name: "a.dng", limits: Limits(), isStart: true)
        #expect((header.width, header.height) == (8, 8))
        #expect(throws: NightfuseError.self) {
            try DNGHeader(Array(start.prefix(40)), name: "a.dng", limits: Limits(), isStart: true)
        }
    }

    @Test("What the reader refuses by its directories, the header refuses too")
    func refusals() {
        var file = RawSample(mosaic: [1, 2, 3, 4], width: 2)
        file.raw[259] = .short([34892])
        let bytes = file.build()
        #expect(throws: NightfuseError.self) { try Self.header(bytes) }
        #expect(throws: NightfuseError.self) { try Self.header(Array(bytes.prefix(40))) }
    }
}
