import NightfuseCodecs
import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite struct DamageTests {
    private static func files() throws -> [(String, [UInt8])] {
        let exif = EXIFFixture.camera(little: true).bytes
        let icc = ICCFixture.rgb("t", ICCFixture.displayP3, ICCFixture.gamma(2.2)).bytes
        let planes = try testPlanes(17, 9, channels: 3, maxCode: 65535)
        let picture = EncodedPicture(planes: planes, maxCode: 65535, exif: exif, icc: icc)
        let interlaced = PNGFixture(
            width: 2, height: 2, colour: 3, interlaced: true, chunks: [("PLTE", [1, 2, 3, 4, 5, 6])],
            rows: [[0], [1], [1, 0]])
        return [
            ("PNG", try pngBytes(picture, bits: 16)), ("interlaced PNG", interlaced.bytes),
            ("JPEG", try jpegBytes(picture, quality: 80)), ("progressive", JPEGFixtures.progressive),
            ("arithmetic", JPEGFixtures.arithmetic), ("restarts", JPEGFixtures.restarts), ("CMYK", JPEGFixtures.cmyk),
        ]
    }

    private func decode(_ bytes: [UInt8]) -> Result<Picture, NightfuseError> {
        do throws(NightfuseError) {
            return .success(try decodePicture(bytes, name: "cut", limits: Limits()))
        } catch { return .failure(error) }
    }

    @Test func aCutFileGivesAllItsPixelsOrAnError() throws {
        for (kind, whole) in try Self.files() {
            let truth = try decode(whole).get().planes.map(samples)
            for count in 0..<whole.count {
                switch decode(Array(whole[..<count])) {
                case .success(let picture):
                    #expect(picture.planes.map(samples) == truth, "\(kind) cut at \(count)")
                    #expect(!picture.notes.isEmpty, "\(kind) cut at \(count): it is said that something is missing")
                case .failure(let error):
                    #expect("\(error)".hasPrefix("cut: ") && !"\(error)".contains("\n"))
                }
            }
        }
    }

    @Test func aCutIsCalledACut() throws {
        for (kind, whole) in try Self.files() where kind != "interlaced PNG" {
            guard case .failure(let error) = decode(Array(whole[..<(whole.count * 9 / 10)])) else {
                Issue.record("\(kind): read")
                continue
            }
            #expect("\(error)".contains("truncated"), "\(kind)")
        }
    }

    @Test func aChangedByteOfAPNGIsFoundOrHarmless() throws {
        for (kind, whole) in try Self.files().prefix(2) {
            let truth = try decode(whole).get().planes.map(samples)
            for i in whole.indices {
                for change in [0x01, 0x10, 0xFF] as [UInt8] {
                    var bytes = whole
                    bytes[i] ^= change
                    guard case .success(let picture) = decode(bytes) else { continue }
                    // Checksums guard the pixels; a chunk that is lost, and the orientation with it, is said.
                    #expect(picture.planes.map(samples) == truth || !picture.notes.isEmpty, "\(kind), byte \(i)")
                }
            }
        }
    }

    @Test func aChangedByteOfAJPEGIsSurvived() throws {
        var random = SeededRandom(seed: 7)
        for (_, whole) in try Self.files().dropFirst(2) {
            for i in whole.indices {
                var bytes = whole
                bytes[i] ^= UInt8.random(in: 1...255, using: &random)
                if case .success(let picture) = decode(bytes) { #expect(picture.width > 0) }
            }
        }
    }

    @Test func corruptDataIsNamedWithItsPlace() throws {
        let planes = try testPlanes(64, 64, channels: 1, maxCode: 255, noise: 0.9)
        var jpeg = try jpegBytes(EncodedPicture(planes: planes, maxCode: 255), quality: 95)
        // A marker in the middle of the data.
        jpeg[jpeg.count / 2] = 0xFF
        jpeg[jpeg.count / 2 + 1] = 0xD9
        guard case .failure(let error) = decode(jpeg) else {
            Issue.record("read")
            return
        }
        #expect("\(error)".hasPrefix("cut: corrupt JPEG data near byte ") && "\(error)".contains("of 64"))
        var png = try pngBytes(EncodedPicture(planes: planes, maxCode: 255), bits: 8)
        png[png.count / 2] ^= 1
        guard case .failure(let problem) = decode(png) else {
            Issue.record("read")
            return
        }
        #expect("\(problem)".hasPrefix("cut: corrupt PNG near byte ") && "\(problem)".contains("IDAT"))
    }
}
