import NightfuseCodecs
import NightfuseCore
import Testing

@Suite struct JPEGKindTests {
    @Test(arguments: ["progressive", "arithmetic", "restarts"])
    func ofEveryCodingThePixelsAreTheSame(kind: String) throws {
        let bytes = [
            "progressive": JPEGFixtures.progressive, "arithmetic": JPEGFixtures.arithmetic,
            "restarts": JPEGFixtures.restarts,
        ]
        let picture = try decodePicture(try #require(bytes[kind]), name: "", limits: Limits())
        #expect(picture.width == 24 && picture.height == 16 && picture.notes.isEmpty)
        var worst = 0
        for y in 0..<16 {
            for x in 0..<24 {
                for (c, v) in [10 * x, 15 * y, 6 * (x + y)].enumerated() {
                    worst = max(worst, abs(Int(picture.planes[c][x, y]) - v))
                }
            }
        }
        #expect(worst <= 8, "quality 90")
    }

    @Test func inkBecomesLight() throws {
        let picture = try decodePicture(JPEGFixtures.cmyk, name: "", limits: Limits())
        for (x, colour) in [(3, [0, 255, 255]), (12, [127, 127, 0])] {
            for c in 0..<3 { #expect(abs(Int(picture.planes[c][x, 4]) - colour[c]) <= 3) }
        }
        #expect(picture.notes.count == 1, "the colours are approximate")
        // Without Adobe's marker the same numbers mean the opposite amounts of ink.
        let marker = try #require((0..<40).first { JPEGFixtures.cmyk[$0...].starts(with: [0xFF, 0xEE]) })
        var plain = JPEGFixtures.cmyk
        plain.removeSubrange(marker..<(marker + 16))
        let flipped = try decodePicture(plain, name: "", limits: Limits())
        for c in 0..<3 { #expect(flipped.planes[c][3, 4] <= 3, "all black") }
    }

    @Test func profilePiecesMayComeInAnyOrder() throws {
        let icc = ICCFixture.rgb("Display P3", ICCFixture.displayP3, ICCFixture.gamma(2.2)).bytes
        func piece(_ number: UInt8, _ body: ArraySlice<UInt8>) -> [UInt8] {
            let length = body.count + 16
            return [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Array("ICC_PROFILE\0".utf8) + [number, 2]
                + body
        }
        let plain = try jpegWith()
        let pieces = piece(2, icc[100...]) + piece(1, icc[..<100])
        let both = Array(plain[..<2]) + pieces + plain[2...]
        #expect(try decodePicture(both, name: "", limits: Limits()).icc == icc)
        let one = Array(plain[..<2]) + piece(2, icc[100...]) + plain[2...]
        let picture = try decodePicture(one, name: "", limits: Limits())
        #expect(
            picture.icc.isEmpty
                && picture.notes == ["piece 1 of 2 of the ICC profile is missing; the profile is left out"])
    }

    /// A progressive grey picture of 8 x 8 whose scans are a byte each: one for the mean, then `bands` of refinements.
    private func scans(_ bands: Int, _ depth: Int) -> [UInt8] {
        func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((body.count + 2) >> 8), UInt8((body.count + 2) & 255)] + body
        }
        // One code of one bit: no difference, or end of block.
        let codes = [1] + [UInt8](repeating: 0, count: 15) + [0]
        var out: [UInt8] = [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        out += segment(0xC2, [8, 0, 8, 0, 8, 1, 1, 0x11, 0])
        out += segment(0xC4, [0x00] + codes) + segment(0xC4, [0x10] + codes)
        out += segment(0xDA, [1, 1, 0, 0, 0, 0]) + [0x7F]
        for band in 1...bands {
            for low in (0..<depth).reversed() {
                let high = low == depth - 1 ? 0 : low + 1
                out += segment(0xDA, [1, 1, 0, UInt8(band), UInt8(band), UInt8(high << 4 | low)]) + [0x7F]
            }
        }
        return out + [0xFF, 0xD9]
    }

    @Test func scansWithoutEndAreRefused() throws {
        let picture = try decodePicture(scans(33, 3), name: "", limits: Limits())
        #expect(Set(samples(picture.planes[0])) == [128])
        let error = #expect(throws: NightfuseError.self) {
            try decodePicture(scans(63, 10), name: "", limits: Limits())
        }
        #expect(error.map { "\($0)".contains("more than 100 scans") } == true)
    }

    @Test func everyScanMustBeThere() throws {
        // The components of a picture in separate scans; the last one is taken away, and the end marker stays.
        let whole = JPEGFixtures.progressive
        let starts = whole.indices.dropLast().filter { whole[$0] == 0xFF && whole[$0 + 1] == 0xDA }
        let last = try #require(starts.last)
        let cut = Array(whole[..<last]) + [0xFF, 0xD9]
        // Only refinements are lost: a whole, if coarser, picture.
        #expect(try decodePicture(cut, name: "", limits: Limits()).width == 24)
        let first = Array(whole[..<starts[0]]) + [0xFF, 0xD9]
        #expect(throws: NightfuseError.self) { try decodePicture(first, name: "", limits: Limits()) }
    }

    @Test func paddingBeforeTheEndIsNoted() throws {
        let plain = try jpegWith()
        let padded = Array(plain.dropLast(2)) + [UInt8](repeating: 0, count: 40) + [0xFF, 0xD9]
        let picture = try decodePicture(padded, name: "", limits: Limits())
        #expect(picture.notes.count == 1)
        let bare = try decodePicture(Array(plain.dropLast(2)), name: "", limits: Limits())
        #expect(bare.notes == ["the JPEG has all its pixels but no end marker"])
        #expect(try decodePicture(plain + [1, 2, 3], name: "", limits: Limits()).notes.isEmpty)
    }
}
