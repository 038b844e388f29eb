import NightfuseCore
import Testing

@Suite("Samples in bytes and in words")
struct SamplesTests {
    private static func ramp() throws -> Plane<UInt8> {
        let plane = try Plane<UInt8>(width: 131, height: 3)
        for y in 0..<3 { for x in 0..<131 { plane[x, y] = UInt8(truncatingIfNeeded: 7 * x + 50 * y) } }
        return plane
    }

    @Test func widenedBytesKeepTheirValues() throws {
        let plane = try Self.ramp()
        let wide = try Samples.bytes([plane]).words()
        #expect(wide.count == 1 && wide[0].width == 131 && wide[0].height == 3)
        for y in 0..<3 { for x in 0..<131 { #expect(wide[0][x, y] == UInt16(plane[x, y])) } }
    }

    @Test func wordsAreNotCopied() throws {
        let plane = try Plane<UInt16>(width: 5, height: 5)
        let samples = Samples.words([plane, plane, plane])
        #expect(try samples.words()[2] === plane)
        #expect(samples.count == 3 && samples.width == 5 && samples.height == 5)
    }

    @Test func aPictureOfBytesShowsThemAsWordsOnce() throws {
        let picture = Picture(samples: .bytes([try Self.ramp()]), maxCode: 255, bits: 8, name: "ramp")
        #expect(picture.isGrey && picture.width == 131 && picture.height == 3)
        #expect(picture.planes[0][130, 2] == UInt16(try Self.ramp()[130, 2]))
        #expect(picture.planes[0] === picture.planes[0])
    }
}
