import NightfuseCodecs
import NightfuseCore
import Testing

@Suite struct RefusalTests {
    private func message(_ bytes: [UInt8], _ limits: Limits = Limits()) -> String {
        do throws(NightfuseError) {
            _ = try decodePicture(bytes, name: "file", limits: limits)
            return "read"
        } catch { return "\(error)" }
    }

    private static func box(_ brand: String, _ others: String = "") -> [UInt8] {
        [0, 0, 0, 24] + Array("ftyp\(brand)\0\0\0\0\(others)".utf8)
    }

    private static func tiff(_ entries: [EXIFFixture.Entry]) -> [UInt8] {
        var e = EXIFFixture(little: true)
        e.main = entries
        return e.bytes
    }

    private static let kinds: [(String, [UInt8])] = [
        ("HEIC", box("heic")), ("HEIC", box("mif1", "heic")), ("AVIF", box("avif")), ("AVIF", box("mif1", "avif")),
        ("CR3", box("crx ")), ("JPEG XL", box("jxl ")), ("JPEG XL", [0xFF, 0x0A, 1]),
        ("WebP", Array("RIFF\0\0\0\0WEBPVP8 ".utf8)), ("GIF", Array("GIF89a".utf8)),
        ("BMP", Array("BM".utf8) + [UInt8](repeating: 0, count: 30)), ("RAF", Array("FUJIFILMCCD-RAW ".utf8)),
        ("RW2", Array("IIU\0".utf8) + [8, 0, 0, 0]), ("ORF", Array("IIRO".utf8) + [8, 0, 0, 0]),
        ("X3F", Array("FOVb".utf8)), ("CR2", Array("II*\0".utf8) + [16, 0, 0, 0] + Array("CR\u{2}\0".utf8)),
        ("NEF", tiff([EXIFFixture(little: true).ascii(0x010F, "NIKON CORPORATION")])),
        ("ARW", tiff([EXIFFixture(little: true).ascii(0x010F, "SONY")])),
        ("PEF", tiff([EXIFFixture(little: true).ascii(0x010F, "PENTAX")])),
        ("TIFF", tiff([EXIFFixture(little: true).short(0x0100, 3)])), ("BigTIFF", Array("II+\0".utf8) + [8, 0, 0, 0]),
        ("JPEG 2000", [0xFF, 0x4F, 0xFF, 0x51]), ("Photoshop", Array("8BPS".utf8)),
    ]

    @Test(arguments: kinds)
    func otherKindsAreRefusedByNameWithAdvice(kind: (String, [UInt8])) {
        let text = message(kind.1)
        #expect(text.hasPrefix("file: \(kind.0)") && text.contains("is not read; convert it to"))
    }

    @Test func aTIFFCutShortBeforeItsDirectoryIsSaidToBe() {
        let cut = Array("II*\0".utf8) + [0, 16, 0, 0] + [UInt8](repeating: 7, count: 2000)
        #expect(message(cut) == "file: TIFF or DNG that ends before its directory is not read; copy it again")
    }

    @Test func rawIsSentToItsReader() {
        let dng = Self.tiff([EXIFFixture.Entry(tag: 0xC612, type: 1, count: 4, value: [1, 4, 0, 0])])
        #expect(PictureFormat.sniff(dng) == .dng && message(dng).contains("DNG"))
    }

    @Test func whatIsNoPictureIsSaid() {
        #expect(message([]) == "file: is empty")
        for bytes in [[1], Array("hello, this is text".utf8), [UInt8](repeating: 0, count: 5000), Self.box("isom")] {
            #expect(message(bytes).contains("not a picture of a known kind"))
        }
    }

    @Test func jpegsOfOtherKindsAreRefusedByName() throws {
        let plain = try jpegWith()
        let frame = try #require(plain.indices.first { plain[$0...].starts(with: [0xFF, 0xC0]) })
        var deep = plain
        deep[frame + 4] = 12
        #expect(message(deep) == "file: 12-bit JPEG is not read; save it as a 16-bit PNG first")
        var lossless = plain
        lossless[frame + 1] = 0xC3
        #expect(message(lossless).contains("JPEG of a kind that is not read"))
    }

    @Test func absurdSizesCostNothing() throws {
        var png = PNGFixture(width: 65536, height: 65536, colour: 2, rows: [[1]]).bytes
        #expect(message(png).contains("65536 x 65536 is more than"))
        png = PNGFixture(width: 15000, height: 15000, colour: 2, rows: [[1]]).bytes
        #expect(message(png).contains("cannot hold 15000 x 15000"))
        png = PNGFixture(width: 0, height: 7, colour: 2, rows: [[1]]).bytes
        #expect(message(png).contains("0 x 7"))
        let plain = try jpegWith()
        let frame = try #require(plain.indices.first { plain[$0...].starts(with: [0xFF, 0xC0]) })
        func sized(_ width: Int, _ height: Int) -> [UInt8] {
            var bytes = plain
            bytes.replaceSubrange((frame + 5)..<(frame + 9), with: big(height << 16 | width))
            return bytes
        }
        #expect(message(sized(65500, 65500)).contains("65500 x 65500 is more than"))
        #expect(message(sized(65535, 100)).contains("65500"))
        #expect(message(sized(16000, 16000)).contains("cannot hold 16000 x 16000"))
        #expect(message(sized(100, 0)).hasPrefix("file: broken JPEG"))
    }

    @Test func limitsAreJudgedByTheHeader() throws {
        var limits = Limits()
        limits.pixels = 33 * 17 - 1
        #expect(message(try jpegWith(), limits).contains("pixels allowed"))
        limits = Limits()
        limits.memoryBytes = 24 * 16 * 3
        #expect(message(try pngWith(exif: []), limits) == "read")
        #expect(message(JPEGFixtures.restarts, limits) == "read")
        // A file of several scans holds all its coefficients as well.
        #expect(message(JPEGFixtures.progressive, limits).contains("several scans"))
        limits.memoryBytes = 24 * 16 * 3 - 1
        #expect(message(JPEGFixtures.restarts, limits).contains("--max-memory"))
    }

    @Test func metadataBeyondItsLimitIsLeftOut() throws {
        var limits = Limits()
        limits.metadataBytes = 100
        let exif = EXIFFixture.camera(little: true).bytes
        let icc = ICCFixture.rgb("t", ICCFixture.displayP3, ICCFixture.gamma(2.2)).bytes
        let planes = try testPlanes(3, 2, channels: 3, maxCode: 255)
        let png = try pngBytes(EncodedPicture(planes: planes, maxCode: 255, exif: exif, icc: icc), bits: 8)
        let picture = try decodePicture(png, name: "", limits: limits)
        #expect(picture.exif.isEmpty && picture.icc.isEmpty && !picture.notes.isEmpty)
        #expect(try decodePicture(try jpegWith(icc: icc), name: "", limits: limits).icc.isEmpty)
    }
}
