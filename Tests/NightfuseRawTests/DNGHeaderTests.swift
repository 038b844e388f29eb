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

    @Test("What the reader refuses by its directories, the header refuses too")
    func refusals() {
        var file = RawSample(mosaic: [1, 2, 3, 4], width: 2)
        file.raw[259] = .short([34892])
        let bytes = file.build()
        #expect(throws: NightfuseError.self) { try Self.header(bytes) }
        #expect(throws: NightfuseError.self) { try Self.header(Array(bytes.prefix(40))) }
    }
}
