import NightfuseCodecs
import NightfuseCore
import Testing

@Suite struct PNGKindTests {
    private func decode(_ png: PNGFixture) throws -> Picture {
        try decodePicture(png.bytes, name: "p", limits: Limits())
    }

    @Test(arguments: [1, 2, 4, 8, 16])
    func greyOfEveryDepthFillsTheScale(depth: Int) throws {
        let width = 5
        let largest = (1 << depth) - 1
        let values = (0..<width).map { $0 * largest / (width - 1) }
        // Packed from the highest bit on, rows padded to whole bytes.
        var bits = values.flatMap { v in (0..<depth).map { (v >> (depth - 1 - $0)) & 1 } }
        while bits.count % 8 != 0 { bits.append(0) }
        let row = stride(from: 0, to: bits.count, by: 8).map { i in UInt8(bits[i..<(i + 8)].reduce(0) { $0 << 1 | $1 })
        }
        let picture = try decode(
            PNGFixture(width: width, height: 1, depth: UInt8(depth), colour: 0, rows: [row]))
        let scale = depth == 16 ? 65535 : 255
        #expect(picture.maxCode == scale && picture.bits == depth && picture.isGrey)
        #expect(samples(picture.planes[0]).map(Int.init) == values.map { $0 * scale / largest })
    }

    @Test func paletteGivesItsColoursAndTransparencyIsIgnored() throws {
        let png = PNGFixture(
            width: 3, height: 1, depth: 2, colour: 3,
            chunks: [("PLTE", [255, 0, 0, 0, 200, 0, 1, 2, 3]), ("tRNS", [0, 128])], rows: [[0b0001_1000]])
        let picture = try decode(png)
        #expect(picture.planes.map(samples) == [[255, 0, 1], [0, 200, 2], [0, 0, 3]])
    }

    @Test func alphaIsIgnored() throws {
        let rgba = try decode(PNGFixture(width: 2, height: 1, colour: 6, rows: [[1, 2, 3, 0, 4, 5, 6, 255]]))
        #expect(rgba.planes.map(samples) == [[1, 4], [2, 5], [3, 6]])
        let grey = try decode(PNGFixture(width: 2, height: 1, depth: 16, colour: 4, rows: [[1, 2, 0, 0, 3, 4, 0, 9]]))
        #expect(grey.planes.map(samples) == [[0x0102, 0x0304]])
        let key = try decode(
            PNGFixture(width: 1, height: 1, colour: 2, chunks: [("tRNS", [0, 7, 0, 8, 0, 9])], rows: [[7, 8, 9]]))
        #expect(key.planes.map(samples) == [[7], [8], [9]])
    }

    @Test(arguments: awkwardSizes, [1, 3, 6, 8])
    func interlacedPicturesComeTogetherAndStandUpright(size: (Int, Int), orientation: Int) throws {
        let (width, height) = size
        let first = [0, 4, 0, 2, 0, 1, 0]
        let top = [0, 0, 4, 0, 2, 0, 1]
        let across = [8, 8, 4, 4, 2, 2, 1]
        let down = [8, 8, 8, 4, 4, 2, 2]
        func sample(_ x: Int, _ y: Int) -> UInt8 { UInt8(truncatingIfNeeded: x &* 7 &+ y &* 13) }
        var rows: [[UInt8]] = []
        for pass in 0..<7 {
            let columns = Array(stride(from: first[pass], to: width, by: across[pass]))
            if columns.isEmpty { continue }
            for y in stride(from: top[pass], to: height, by: down[pass]) { rows.append(columns.map { sample($0, y) }) }
        }
        var exif = EXIFFixture(little: true)
        exif.main = [exif.short(0x0112, orientation)]
        let picture = try decode(
            PNGFixture(
                width: width, height: height, colour: 0, interlaced: true, chunks: [("eXIf", exif.bytes)], rows: rows))
        for y in 0..<height {
            for x in 0..<width {
                let (u, v) =
                    switch orientation {
                    case 1: (x, y)
                    case 3: (width - 1 - x, height - 1 - y)
                    case 6: (height - 1 - y, x)
                    default: (y, width - 1 - x)
                    }
                #expect(picture.planes[0][u, v] == UInt16(sample(x, y)))
            }
        }
    }

    @Test func colourChunksAreReadByRank() throws {
        func space(_ chunks: [(String, [UInt8])]) throws -> Picture {
            try decode(PNGFixture(width: 1, height: 1, colour: 2, chunks: chunks, rows: [[1, 2, 3]]))
        }
        let linear = ("gAMA", big(100_000))
        let adobe = ("cHRM", [31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000].flatMap(big))
        let plain = ("cHRM", [31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000].flatMap(big))
        #expect(try space([]).colour == .sRGB)
        #expect(try space([("gAMA", big(45_455)), plain]).colour == .sRGB)
        #expect(try space([("gAMA", big(45_455)), plain]).icc.isEmpty)
        #expect(try space([linear]).colour.transfer == .gamma(1))
        #expect(try space([("sRGB", [0]), linear, adobe]).colour == .sRGB)
        let wide = try space([("gAMA", big(45_455)), adobe])
        #expect(wide.colour.transfer == .gamma(100_000 / 45_455.0))
        #expect(zip(wide.colour.toXYZ.m, ICCFixture.adobeRGB).allSatisfy { abs($0 - $1) < 2e-4 })
        // The profile that is made says the same.
        let again = try jpegWith(icc: wide.icc)
        let found = try decodePicture(again, name: "", limits: Limits()).colour
        #expect(zip(found.toXYZ.m, wide.colour.toXYZ.m).allSatisfy { abs($0 - $1) < 2e-5 })
        let p3 = try space([("cICP", [12, 13, 0, 1]), linear])
        #expect(p3.colour.transfer == .sRGB && p3.colour.name == "Display P3")
        #expect(zip(p3.colour.toXYZ.m, ICCFixture.displayP3).allSatisfy { abs($0 - $1) < 2e-4 })
        #expect(try space([("cICP", [1, 13, 0, 1])]).icc.isEmpty)
        #expect(try space([("cICP", [77, 13, 0, 1])]).notes.count == 1)
    }

    @Test(arguments: [16, 18])
    func hdrCodingIsRefusedByName(transfer: Int) {
        let png = PNGFixture(
            width: 1, height: 1, colour: 2, chunks: [("cICP", [9, UInt8(transfer), 0, 1])], rows: [[1, 2, 3]])
        let error = #expect(throws: NightfuseError.self) { try decode(png) }
        #expect(error.map { "\($0)".contains("HDR") } == true)
    }

    @Test func profilesLeaveAndComeBackEvenOnesThatLibpngDislikes() throws {
        let good = ICCFixture.rgb("Display P3", ICCFixture.displayP3, ICCFixture.gamma(2.2)).bytes
        let planes = try testPlanes(4, 4, channels: 3, maxCode: 255)
        let back = try decodePicture(
            try pngBytes(EncodedPicture(planes: planes, maxCode: 255, icc: good), bits: 8), name: "", limits: Limits())
        #expect(back.icc == good)
        // A rendering intent beyond the four.
        var odd = good
        odd[64] = 0xFF
        let bytes = try pngBytes(EncodedPicture(planes: planes, maxCode: 255, icc: odd), bits: 8)
        let name = Array("iCCPprofile\0".utf8)
        #expect((0..<bytes.count).contains { bytes[$0...].starts(with: name) })
        #expect(try decodePicture(bytes, name: "", limits: Limits()).planes.map(samples) == planes.map(samples))
    }

    @Test func damageBehindThePixelsIsNoted() throws {
        let png = PNGFixture(width: 1, height: 1, colour: 0, rows: [[5]]).bytes
        let cut = try decodePicture(Array(png.dropLast(12)), name: "p", limits: Limits())
        #expect(cut.planes[0][0, 0] == 5 && cut.notes.count == 1)
        let critical = Array(png.dropLast(12)) + PNGFixture.chunk("ABCD", []) + png.suffix(12)
        #expect(throws: NightfuseError.self) { try decodePicture(critical, name: "p", limits: Limits()) }
    }
}
