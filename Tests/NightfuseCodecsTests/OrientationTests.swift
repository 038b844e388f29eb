import NightfuseCodecs
import NightfuseCore
import Testing

@Suite struct OrientationTests {
    @Test(arguments: 1...8, awkwardSizes)
    func pixelsAreTurnedUprightOnce(orientation: Int, size: (Int, Int)) throws {
        let (width, height) = size
        let planes = try testPlanes(width, height, channels: 3, maxCode: 255)
        var exif = EXIFFixture(little: false)
        exif.main = [exif.short(0x0112, orientation)]
        let stored = EncodedPicture(planes: planes, maxCode: 255, exif: exif.bytes)
        for (bytes, tolerance) in [(try pngBytes(stored, bits: 8), 0), (try jpegBytes(stored, quality: 100), 4)] {
            let picture = try decodePicture(bytes, name: "", limits: Limits())
            #expect(picture.width == (orientation > 4 ? height : width))
            #expect(picture.info.orientation == 1)
            var worst = 0
            for c in 0..<3 {
                for y in 0..<height {
                    for x in 0..<width {
                        let (u, v) = upright(x, y, width, height, orientation)
                        worst = max(worst, abs(Int(picture.planes[c][u, v]) - Int(planes[c][x, y])))
                    }
                }
            }
            #expect(worst <= tolerance)
        }
    }

    /// Where the pixel stored at (x, y) is to be seen: the table of EXIF 2.32, Orientation (row 0 is the visual ...).
    private func upright(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ orientation: Int) -> (Int, Int) {
        switch orientation {
        case 2: (width - 1 - x, y)
        case 3: (width - 1 - x, height - 1 - y)
        case 4: (x, height - 1 - y)
        case 5: (y, x)
        case 6: (height - 1 - y, x)
        case 7: (height - 1 - y, width - 1 - x)
        case 8: (y, width - 1 - x)
        default: (x, y)
        }
    }

    @Test func aLargerPictureIsTurnedInBands() throws {
        // More rows than a band has, and no multiple of it.
        let planes = try testPlanes(70, 101, channels: 1, maxCode: 65535)
        var exif = EXIFFixture(little: false)
        exif.main = [exif.short(0x0112, 6)]
        let bytes = try pngBytes(EncodedPicture(planes: planes, maxCode: 65535, exif: exif.bytes), bits: 16)
        let picture = try decodePicture(bytes, name: "", limits: Limits())
        for y in 0..<101 { for x in 0..<70 { #expect(picture.planes[0][100 - y, x] == planes[0][x, y]) } }
    }
}
