import NightfuseCodecs
import NightfuseCore
import Testing

/// Where `part` stands in `whole`.
private func find(_ part: [UInt8], in whole: [UInt8]) -> Int? {
    guard part.count <= whole.count else { return nil }
    return (0...(whole.count - part.count)).first { whole[$0...].starts(with: part) }
}

/// The tag's raw value in the block's first or EXIF directory, by a walk of its own.
private func value(_ tag: Int, in bytes: [UInt8]) -> [UInt8]? {
    let little = bytes[0] == 0x49
    func number(_ at: Int, _ count: Int) -> Int {
        let part = bytes[at..<(at + count)]
        return (little ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }
    var starts = [number(4, 4)]
    let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8]
    while let start = starts.popLast() {
        for i in 0..<number(start, 2) {
            let entry = start + 2 + 12 * i
            let length = number(entry + 4, 4) * sizes[number(entry + 2, 2)]
            let at = length > 4 ? number(entry + 8, 4) : entry + 8
            if number(entry, 2) == tag { return Array(bytes[at..<(at + length)]) }
            if number(entry, 2) == 0x8769 { starts.append(number(at, 4)) }
        }
    }
    return nil
}

@Suite struct EXIFEditTests {
    private func edited(_ fixture: EXIFFixture, _ change: (inout EXIFEdit) -> Void = { _ in }) -> [UInt8] {
        var edit = EXIFEdit(width: 400, height: 300)
        edit.block = fixture.bytes
        change(&edit)
        return edit.make().bytes
    }

    @Test(arguments: [true, false])
    func tagsAreKeptAndWhatChangedIsChanged(little: Bool) throws {
        let fixture = EXIFFixture.camera(little: little)
        let bytes = edited(fixture)
        #expect(value(0x010F, in: bytes) == Array("Maker & Sons\0".utf8))
        #expect(value(0x829A, in: bytes) == value(0x829A, in: fixture.bytes))
        #expect(value(0x0112, in: bytes) == fixture.number(1, 2))
        #expect(value(0x0131, in: bytes) == Array("Nightfuse\0".utf8))
        #expect(value(0xA002, in: bytes) == fixture.number(400, 4))
        #expect(value(0xA003, in: bytes) == fixture.number(300, 4))
        #expect(find(Array("THUMBNAIL".utf8), in: bytes) == nil)
        #expect(find(Array("PLACEDATE".utf8), in: bytes) != nil)
        #expect(value(0xA460, in: bytes) == nil, "no composite was told of")
    }

    @Test(arguments: [true, false])
    func makerNoteKeepsItsBytesAndItsPlace(little: Bool) throws {
        let fixture = EXIFFixture.camera(little: little)
        let place = try #require(find(EXIFFixture.makerNote, in: fixture.bytes))
        #expect(find(EXIFFixture.makerNote, in: edited(fixture)) == place)
    }

    @Test func locationIsStrippedToTheLastByte() throws {
        var fixture = EXIFFixture.camera(little: true)
        fixture.main.append(fixture.undefined(0x02BC, Array("<x:xmpmeta>PLACE</x:xmpmeta>".utf8)))
        let bytes = edited(fixture) { $0.stripLocation = true }
        #expect(value(0x8825, in: bytes) == nil && value(0x02BC, in: bytes) == nil)
        #expect(find(Array("PLACE".utf8), in: bytes) == nil)
        // 51 degrees 28'.
        #expect(find([51, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0], in: bytes) == nil)
        #expect(find(EXIFFixture.makerNote, in: bytes) != nil)
        fixture.main[0] = fixture.ascii(0x010F, "Panasonic")
        #expect(find(EXIFFixture.makerNote, in: edited(fixture) { $0.stripLocation = true }) == nil)
        #expect(find(EXIFFixture.makerNote, in: edited(fixture)) != nil)
    }

    @Test(arguments: [true, false])
    func compositeTagsHoldCountsAndTimes(little: Bool) throws {
        let fixture = EXIFFixture.camera(little: little)
        let bytes = edited(fixture) {
            $0.composite = CompositeRecord(
                sources: [
                    .init(exposureSeconds: 1.0 / 15, used: true), .init(exposureSeconds: 0.25, used: false),
                    .init(exposureSeconds: 0.125, used: true),
                ], periodSeconds: 0.5)
        }
        func pair(_ above: Int, _ below: Int) -> [UInt8] { fixture.number(above, 4) + fixture.number(below, 4) }
        #expect(value(0xA460, in: bytes) == fixture.number(3, 2))
        #expect(value(0xA461, in: bytes) == fixture.number(3, 2) + fixture.number(2, 2))
        // Period; sums 53/120 and 23/120; longest 1/4 and 1/8; shortest 1/15 twice; 1 sequence of 3; each.
        let expected =
            pair(1, 2) + pair(53, 120) + pair(23, 120) + pair(1, 4) + pair(1, 8) + pair(1, 15) + pair(1, 15)
            + fixture.number(1, 2) + fixture.number(3, 2) + pair(1, 15) + pair(1, 4) + pair(1, 8)
        #expect(value(0xA462, in: bytes) == expected)
        #expect(value(0x9000, in: bytes) == Array("0232".utf8))
    }

    @Test func unknownExposuresLeaveOutTheTimesAlone() throws {
        let bytes = edited(.camera(little: true)) {
            $0.composite = CompositeRecord(
                sources: [.init(exposureSeconds: 0.1, used: true), .init(exposureSeconds: nil, used: true)])
        }
        #expect(value(0xA461, in: bytes) == [2, 0, 2, 0] && value(0xA462, in: bytes) == nil)
        let period = edited(.camera(little: true)) {
            $0.composite = CompositeRecord(
                sources: [.init(exposureSeconds: 0.1, used: true), .init(exposureSeconds: 0.1, used: true)])
        }
        #expect(value(0xA462, in: period)?.prefix(8) == [0, 0, 0, 0, 0, 0, 0, 0], "0/0: the period is not known")
    }

    @Test func frameWithoutABlockGetsOneFromWhatIsKnown() throws {
        var edit = EXIFEdit(width: 3, height: 2)
        edit.info.exposureSeconds = 0.066
        edit.info.iso = 1600
        edit.info.make = "Maker"
        edit.info.lens = "Lens"
        edit.info.date = "2024:01:02 03:04:05.678"
        let (bytes, notes) = edit.make()
        let info = try decodePicture(try pngWith(exif: bytes), name: "", limits: Limits()).info
        #expect(info.exposureSeconds == 0.066 && info.iso == 1600 && info.make == "Maker" && info.lens == "Lens")
        #expect(info.date == "2024:01:02 03:04:05.678" && notes.isEmpty)
        #expect(value(0xA001, in: bytes) == [0, 1])
        edit.isSRGB = false
        #expect(value(0xA001, in: edit.make().bytes) == [0xFF, 0xFF])
    }

    @Test func blockTooLargeForJPEGLosesItsMakerNoteFirst() throws {
        var fixture = EXIFFixture.camera(little: true)
        fixture.exif[5] = fixture.undefined(0x927C, [UInt8](repeating: 7, count: 64000))
        var edit = EXIFEdit(width: 3, height: 2)
        edit.block = fixture.bytes
        #expect(edit.make().notes.isEmpty)
        edit.block = fixture.bytes + [UInt8](repeating: 9, count: 1500)
        let (bytes, notes) = edit.make()
        #expect(notes == ["the maker note does not fit and is left out"] && bytes.count <= mostJPEGExifBytes)
        #expect(value(0x010F, in: bytes) != nil && value(0x927C, in: bytes) == nil)
        edit.byteLimit = 1 << 20
        #expect(edit.make().notes.isEmpty)
    }

    @Test func brokenBlockIsReplacedAndSaid() {
        var edit = EXIFEdit(width: 3, height: 2)
        edit.block = [1, 2, 3]
        edit.info.iso = 100
        let (bytes, notes) = edit.make()
        #expect(value(0x8827, in: bytes) == [0, 100] && notes.count == 1)
    }
}
