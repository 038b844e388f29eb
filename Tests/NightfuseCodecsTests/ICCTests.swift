import NightfuseCodecs
import NightfuseCore
import Testing

private func near(_ a: Matrix3, _ b: [Double], _ tolerance: Double) -> Bool {
    zip(a.m, b).allSatisfy { abs($0 - $1) <= tolerance }
}

@Suite struct ICCTests {
    /// The picture that a JPEG with this profile gives.
    private func picture(_ icc: [UInt8], grey: Bool = false) throws -> Picture {
        let planes = try testPlanes(9, 5, channels: grey ? 1 : 3, maxCode: 255)
        var bytes = try jpegBytes(EncodedPicture(planes: planes, maxCode: 255), quality: 95)
        // Put in by hand: our encoder would make one that fits of one that does not.
        for (i, start) in stride(from: 0, to: icc.count, by: 60000).enumerated() {
            let piece = icc[start..<min(start + 60000, icc.count)]
            let length = piece.count + 16
            let head = [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 255)] + Array("ICC_PROFILE\0".utf8)
            bytes.insert(contentsOf: head + [UInt8(i + 1), UInt8((icc.count + 59999) / 60000)] + piece, at: 2)
        }
        return try decodePicture(bytes, name: "", limits: Limits())
    }

    @Test func profilesOfTheThreeUsualSpacesAreRead() throws {
        let curve = ICCFixture.table(1024, ICCFixture.sRGBCurve)
        let plain = ICCFixture.rgb("sRGB IEC61966-2.1", ICCFixture.sRGB, curve).bytes
        let sRGB = try picture(plain)
        #expect(sRGB.colour.transfer == .sRGB && near(sRGB.colour.toXYZ, ColourSpace.sRGB.toXYZ.m, 2e-4))
        #expect(sRGB.colour.name == "sRGB IEC61966-2.1" && sRGB.icc == plain && sRGB.notes.isEmpty)
        let para = ICCFixture.parametric(3, [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045])
        let p3 = try picture(ICCFixture.rgb("Display P3", ICCFixture.displayP3, para).bytes).colour
        #expect(p3.transfer == .sRGB && near(p3.toXYZ, ICCFixture.displayP3, 2e-5))
        let adobe = try picture(
            ICCFixture.rgb("Adobe RGB (1998)", ICCFixture.adobeRGB, ICCFixture.gamma(2.19921875)).bytes)
        #expect(adobe.colour.transfer == .gamma(2.19921875) && near(adobe.colour.toXYZ, ICCFixture.adobeRGB, 2e-5))
    }

    @Test func everyKindOfCurveGivesItsLight() throws {
        let kinds: [([UInt8], (Double) -> Double)] = [
            (Array("curv\0\0\0\0".utf8) + big(0), { $0 }),
            (ICCFixture.table(33) { $0 * $0 }, { $0 * $0 }),
            (ICCFixture.parametric(0, [1.8]), { TransferFunction.gamma(1.8).linear($0) }),
            (ICCFixture.parametric(1, [1, 1.25, -0.25]), { max(1.25 * $0 - 0.25, 0) }),
            (ICCFixture.parametric(2, [1, 0.75, -0.25, 0.25]), { max(0.75 * $0 - 0.25, 0) + 0.25 }),
            (
                ICCFixture.parametric(4, [1, 0.5, 0, 0.25, 0.5, 0.25, 0.125]),
                { $0 >= 0.5 ? 0.5 * $0 + 0.25 : 0.25 * $0 + 0.125 }
            ),
        ]
        for (curve, expected) in kinds {
            let transfer = try picture(ICCFixture.rgb("t", ICCFixture.sRGB, curve).bytes).colour.transfer
            for x in [0.0, 0.1, 0.3, 0.5, 0.77, 1] { #expect(abs(transfer.linear(x) - expected(x)) < 1e-3) }
        }
    }

    @Test func curvesThatDifferAreSaid() throws {
        var fixture = ICCFixture.rgb("t", ICCFixture.sRGB, ICCFixture.gamma(2.5))
        fixture.tags[4].1 = ICCFixture.gamma(2.0)
        #expect(try picture(fixture.bytes).notes == ["the profile's three curves differ; green's is used for all"])
    }

    @Test func whiteLeftUnderD65IsBroughtToD50() throws {
        // sRGB's matrix to XYZ as the standard has it, not adapted.
        let m = [0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505]
        let found = try picture(ICCFixture.rgb("t", m, ICCFixture.gamma(2.2)).bytes).colour.toXYZ
        #expect(near(found, ColourSpace.sRGB.toXYZ.m, 5e-4))
    }

    @Test func greyProfilesGiveTheirCurve() throws {
        let fixture = ICCFixture(
            space: "GRAY", tags: [("desc", ICCFixture.name("g")), ("kTRC", ICCFixture.gamma(1.75))])
        let grey = try picture(fixture.bytes, grey: true)
        #expect(grey.colour.transfer == .gamma(1.75) && grey.icc == fixture.bytes && grey.notes.isEmpty)
        // A colour picture with a grey profile, and the other way round, get one that fits.
        let colour = try picture(fixture.bytes)
        #expect(colour.colour.transfer == .gamma(1.75) && colour.icc != fixture.bytes && !colour.icc.isEmpty)
        let rgb = ICCFixture.rgb("t", ICCFixture.displayP3, ICCFixture.gamma(1.75)).bytes
        #expect(try picture(rgb, grey: true).colour.transfer == .gamma(1.75))
    }

    @Test func aWrittenPictureGetsAProfileOfItsOwnKind() throws {
        let grey = ICCFixture(space: "GRAY", tags: [("kTRC", ICCFixture.gamma(1.75))]).bytes
        let rgb = ICCFixture.rgb("t", ICCFixture.displayP3, ICCFixture.gamma(1.75)).bytes
        for (icc, channels) in [(grey, 3), (rgb, 1)] {
            let picture = EncodedPicture(
                planes: try testPlanes(2, 2, channels: channels, maxCode: 255), maxCode: 255, icc: icc)
            for bytes in [try pngBytes(picture, bits: 8), try jpegBytes(picture, quality: 90)] {
                let back = try decodePicture(bytes, name: "", limits: Limits())
                #expect(back.colour.transfer == .gamma(1.75) && !back.icc.isEmpty && back.icc != icc)
                // Written as it is read, so that it is not made anew again and again.
                #expect(back.notes.isEmpty)
            }
        }
    }

    @Test func theHeaderTellsTheSameAsThePicture() throws {
        let exif = EXIFFixture.camera(little: true).bytes
        let icc = ICCFixture.rgb("P3", ICCFixture.displayP3, ICCFixture.gamma(2.2)).bytes
        for bytes in [try pngWith(exif: exif), try jpegWith(exif: exif, icc: icc), JPEGFixtures.cmyk] {
            let picture = try decodePicture(bytes, name: "", limits: Limits())
            let header = try PictureHeader(bytes, name: "", limits: Limits())
            #expect(header.width == picture.width && header.height == picture.height)
            #expect(header.colour == picture.colour && header.info == picture.info)
        }
    }

    @Test func profilesThatCannotBeUsedAreSaidAndStandForSRGB() throws {
        let tables = ICCFixture(tags: [("desc", ICCFixture.name("Tables")), ("A2B0", [UInt8](repeating: 1, count: 40))])
        let kept = try picture(tables.bytes)
        #expect(kept.colour.transfer == .sRGB && kept.icc == tables.bytes && kept.notes.count == 1)
        let ink = try picture(ICCFixture(space: "CMYK", tags: [("desc", ICCFixture.name("Ink"))]).bytes)
        #expect(ink.colour == .sRGB && ink.icc.isEmpty && ink.notes.count == 1)
        let lines = try picture(ICCFixture(space: "A\nB\u{7}", tags: [("desc", ICCFixture.name("x"))]).bytes)
        #expect(lines.notes == ["the ICC profile is for AB and is left out; the colours are taken as sRGB"])
        let rubbish = try picture([UInt8](repeating: 3, count: 200))
        #expect(rubbish.colour == .sRGB && rubbish.icc.isEmpty && rubbish.notes.count == 1)
    }

    @Test func everyCutAndChangedByteOfAProfileIsSurvived() throws {
        let whole = ICCFixture.rgb("Display P3", ICCFixture.displayP3, ICCFixture.table(17) { $0 * $0 }).bytes
        let jpeg = try jpegWith(icc: whole)
        let start = try #require((0..<jpeg.count).first { jpeg[$0...].starts(with: whole) })
        for i in whole.indices {
            for change in [0x01, 0x80, 0xFF] as [UInt8] {
                var bytes = jpeg
                bytes[start + i] ^= change
                let picture = try decodePicture(bytes, name: "", limits: Limits())
                let finite = picture.colour.toXYZ.m.allSatisfy { $0.isFinite }
                #expect(finite)
                for x in [0.0, 0.5, 1] { #expect(picture.colour.transfer.linear(x).isFinite) }
            }
        }
        for count in 1..<whole.count {
            _ = try decodePicture(try jpegWith(icc: Array(whole[..<count])), name: "", limits: Limits())
        }
    }

    @Test func largeProfilesGoThroughInPieces() throws {
        var fixture = ICCFixture.rgb("t", ICCFixture.displayP3, ICCFixture.gamma(2.2))
        fixture.tags.append(("A2B0", (0..<150_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))
        #expect(try picture(fixture.bytes).icc == fixture.bytes)
        #expect(try decodePicture(try jpegWith(icc: fixture.bytes), name: "", limits: Limits()).icc == fixture.bytes)
    }

    @Test(arguments: [1, 3])
    func madeProfilesSayWhatTheyWereMadeOf(channels: Int) throws {
        let matrix = Matrix3(ICCFixture.adobeRGB)
        let curves: [TransferFunction] = [
            .sRGB, .gamma(1.8), .parametric(g: 2, a: 0.9, b: 0.1, c: 0.2, d: 0.05, e: 0, f: 0), .table([0, 0.25, 1]),
        ]
        for curve in curves {
            let icc = makeICCProfile(ColourSpace(name: "Made", toXYZ: matrix, transfer: curve), channels: channels)
            let found = try picture(icc, grey: channels == 1).colour
            #expect(found.name == "Made")
            if channels == 3 { #expect(near(found.toXYZ, matrix.m, 2e-5)) }
            for x in [0.0, 0.01, 0.3, 0.6, 1] { #expect(abs(found.transfer.linear(x) - curve.linear(x)) < 1e-4) }
        }
    }

    @Test func exifAloneMaySayAdobeRGB() throws {
        var e = EXIFFixture.camera(little: true)
        e.interoperability = [e.ascii(0x0001, "R03")]
        let picture = try decodePicture(try jpegWith(exif: e.bytes), name: "", limits: Limits())
        #expect(picture.colour.transfer == .gamma(2.19921875))
        #expect(near(picture.colour.toXYZ, ICCFixture.adobeRGB, 1e-4) && !picture.icc.isEmpty)
        #expect(near(Matrix3(ICCFixture.adobeRGB), picture.colour.toXYZ.m, 1e-4))
    }
}
