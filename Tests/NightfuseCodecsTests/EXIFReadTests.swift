import NightfuseCodecs
import NightfuseCore
import Testing

/// A PNG of 3 x 2 pixels that carries the block.
func pngWith(exif: [UInt8]) throws -> [UInt8] {
    try pngBytes(
        EncodedPicture(planes: try testPlanes(3, 2, channels: 3, maxCode: 255), maxCode: 255, exif: exif), bits: 8)
}

func jpegWith(exif: [UInt8] = [], icc: [UInt8] = []) throws -> [UInt8] {
    let planes = try testPlanes(33, 17, channels: 3, maxCode: 255)
    return try jpegBytes(EncodedPicture(planes: planes, maxCode: 255, exif: exif, icc: icc), quality: 95)
}

func info(_ fixture: EXIFFixture) throws -> CaptureInfo {
    try decodePicture(try pngWith(exif: fixture.bytes), name: "", limits: Limits()).info
}

@Suite struct EXIFReadTests {
    @Test(arguments: [true, false])
    func everyFieldIsReadInBothByteOrders(little: Bool) throws {
        let block = EXIFFixture.camera(little: little).bytes
        for file in [try pngWith(exif: block), try jpegWith(exif: block)] {
            let picture = try decodePicture(file, name: "", limits: Limits())
            let info = picture.info
            #expect(info.exposureSeconds == 1.0 / 15 && info.iso == 3200)
            #expect(info.make == "Maker & Sons" && info.model == "Night 1" && info.lens == "Lens 27mm f/1.8")
            #expect(info.date == "2024:02:29 23:59:58.125")
            // date -u -d "2024-02-29 23:59:58" +%s
            #expect(info.timeSeconds == 1_709_251_198.125)
            #expect(info.orientation == 1, "it has been applied")
            #expect(picture.exif == block && picture.notes.isEmpty)
        }
    }

    @Test func exposureAndSpeedMayStandInTheFirstDirectory() throws {
        var e = EXIFFixture(little: true)
        e.main = [e.ratio(0x829A, 1, 8), e.short(0x8827, 800)]
        let info = try info(e)
        #expect(info.exposureSeconds == 0.125 && info.iso == 800)
    }

    @Test func longSpeedsAndApexTimesAreUsedWhereTheUsualFieldsCannotHoldThem() throws {
        var e = EXIFFixture(little: false)
        e.exif = [
            e.short(0x8827, 65535), e.long(0x8832, 102_400),
            EXIFFixture.Entry(tag: 0x9201, type: 10, count: 1, value: e.number(-1, 4) + e.number(1, 4)),
        ]
        let info = try info(e)
        #expect(info.exposureSeconds == 2 && info.iso == 102_400)
    }

    @Test func faultyTypesAndValuesAreReadOrUnknown() throws {
        var e = EXIFFixture(little: true)
        // Time as text, speed as a ratio, orientation 9, a date of zeros, a lens of type 0, a make beyond the end.
        e.main = [
            e.short(0x0112, 9), EXIFFixture.Entry(tag: 0x010F, type: 2, count: 1 << 30, value: e.number(8, 4)),
        ]
        e.exif = [
            e.ascii(0x829A, "0.5"), e.ratio(0x8827, 200, 1), e.ascii(0x9003, "0000:00:00 00:00:00"),
            EXIFFixture.Entry(tag: 0xA434, type: 0, count: 4, value: [1, 2, 3, 4]),
        ]
        let info = try info(e)
        #expect(info.exposureSeconds == 0.5 && info.iso == 200 && info.orientation == 1)
        #expect(info.make == nil && info.date == nil && info.lens == nil && info.timeSeconds == nil)
    }

    @Test func textIsOneLine() throws {
        var e = EXIFFixture(little: true)
        e.main = [e.ascii(0x010F, "Ma\nker\u{1B}[2J"), e.ascii(0x0110, "\n")]
        let info = try info(e)
        #expect(info.make == "Maker[2J" && info.model == nil)
    }

    @Test func divisionByZeroIsUnknown() throws {
        var e = EXIFFixture(little: true)
        e.exif = [e.ratio(0x829A, 1, 0), e.short(0x8827, 0)]
        let info = try info(e)
        #expect(info.exposureSeconds == nil && info.iso == nil)
    }

    @Test func directoriesThatLeadToThemselvesEnd() throws {
        var e = EXIFFixture(little: true)
        e.main = [e.ascii(0x010F, "Maker"), e.long(0x8769, 8), e.long(0x8825, 8), e.long(0xA005, 8)]
        var bytes = e.bytes
        // The next directory is the first again.
        bytes.replaceSubrange((8 + 2 + 48)..<(8 + 2 + 52), with: e.number(8, 4))
        let picture = try decodePicture(try pngWith(exif: bytes), name: "", limits: Limits())
        #expect(picture.info.make == "Maker")
        var edit = EXIFEdit(width: 3, height: 2)
        edit.block = bytes
        #expect(edit.make().bytes.count < 400)
    }

    @Test(arguments: [true, false])
    func everyCutAndEveryChangedByteIsSurvived(little: Bool) throws {
        let whole = EXIFFixture.camera(little: little).bytes
        for count in 1..<whole.count { try survive(Array(whole[..<count])) }
        for i in whole.indices {
            for change in [0x00, 0x01, 0x7F, 0x80, 0xFF] as [UInt8] {
                var bytes = whole
                bytes[i] ^= change == 0 ? bytes[i] : change
                try survive(bytes)
            }
        }
    }

    /// Reads the block, edits it, and reads the result, which must be sound whatever the block was.
    private func survive(_ block: [UInt8]) throws {
        let picture = try decodePicture(try pngWith(exif: block), name: "", limits: Limits())
        var edit = EXIFEdit(width: 5, height: 4)
        edit.block = picture.exif
        edit.stripLocation = block.count % 2 == 0
        let again = try decodePicture(try pngWith(exif: edit.make().bytes), name: "", limits: Limits())
        #expect(again.notes.isEmpty && again.exif == edit.make().bytes)
        #expect(again.info.exposureSeconds == picture.info.exposureSeconds && again.info.date == picture.info.date)
    }

    @Test func datesAreCountedByTheCalendar() throws {
        for (date, seconds) in [
            ("1970:01:01 00:00:00", 0.0), ("2000:03:01 00:00:00", 951_868_800), ("2100:02:28 12:00:01", 4_107_499_201),
            ("1969-12-31 23:59:59", -1),
        ] {
            var e = EXIFFixture(little: true)
            e.exif = [e.ascii(0x9003, date)]
            let found = try info(e).timeSeconds
            #expect(found == seconds)
        }
    }
}
