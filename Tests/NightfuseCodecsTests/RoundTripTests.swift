import NightfuseCodecs
import NightfuseCore
import NightfuseTestSupport
import Testing

/// Sides that meet the edges of blocks, passes and cache lines.
let awkwardSizes = [(1, 1), (1, 9), (9, 1), (2, 3), (7, 8), (8, 8), (15, 17), (16, 16), (17, 33), (33, 17)]

/// A seeded picture: a ramp in each channel with noise, so that no two rows or columns are alike.
func testPlanes(_ width: Int, _ height: Int, channels: Int, maxCode: Int, noise: Double = 0.1) throws -> [Plane<UInt16>]
{
    var random = SeededRandom(seed: UInt64(width * 1000 + height * 10 + channels))
    return try (0..<channels).map { c in
        let plane = try Plane<UInt16>(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width {
                let ramp = [
                    Double(x) / Double(width), Double(y) / Double(height), Double(x + y) / Double(width + height),
                ]
                let value = ramp[c] * (1 - noise) + noise * random.uniform()
                plane[x, y] = UInt16(value * Double(maxCode))
            }
        }
        return plane
    }
}

/// The samples of a plane without its padding.
func samples(_ plane: Plane<UInt16>) -> [UInt16] {
    (0..<plane.height).flatMap { Array(UnsafeBufferPointer(start: plane.row($0), count: plane.width)) }
}

func pngBytes(_ picture: EncodedPicture, bits: Int) throws -> [UInt8] {
    let sink = MemorySink()
    try encodePNG(picture, bits: bits, to: sink)
    return sink.bytes
}

func jpegBytes(_ picture: EncodedPicture, quality: Int) throws -> [UInt8] {
    let sink = MemorySink()
    try encodeJPEG(picture, quality: quality, to: sink)
    return sink.bytes
}

@Suite struct RoundTripTests {
    @Test(arguments: awkwardSizes, [1, 3])
    func pngKeepsEverySample(size: (Int, Int), channels: Int) throws {
        for maxCode in [255, 65535] {
            let planes = try testPlanes(size.0, size.1, channels: channels, maxCode: maxCode)
            let bytes = try pngBytes(EncodedPicture(planes: planes, maxCode: maxCode), bits: maxCode == 255 ? 8 : 16)
            let picture = try decodePicture(bytes, name: "p", limits: Limits())
            #expect(picture.maxCode == maxCode && picture.bits == (maxCode == 255 ? 8 : 16))
            #expect(picture.planes.map(samples) == planes.map(samples))
            #expect(picture.format == "PNG" && picture.notes.isEmpty)
        }
    }

    @Test(arguments: awkwardSizes, [1, 3])
    func bytesAreWrittenAsWordsAre(size: (Int, Int), channels: Int) throws {
        let planes = try testPlanes(size.0, size.1, channels: channels, maxCode: 255)
        let bytes = try planes.map { plane in
            let narrow = try Plane<UInt8>(width: plane.width, height: plane.height)
            for y in 0..<plane.height { for x in 0..<plane.width { narrow[x, y] = UInt8(plane[x, y]) } }
            return narrow
        }
        let narrow = EncodedPicture(samples: .bytes(bytes), maxCode: 255)
        let wide = EncodedPicture(planes: planes, maxCode: 255)
        #expect(try pngBytes(narrow, bits: 8) == pngBytes(wide, bits: 8))
        #expect(try jpegBytes(narrow, quality: 95) == jpegBytes(wide, quality: 95))
    }

    @Test(arguments: awkwardSizes, [1, 3])
    func jpegOfBestQualityIsNearEverySample(size: (Int, Int), channels: Int) throws {
        let planes = try testPlanes(size.0, size.1, channels: channels, maxCode: 255)
        let bytes = try jpegBytes(EncodedPicture(planes: planes, maxCode: 255), quality: 100)
        let picture = try decodePicture(bytes, name: "j", limits: Limits())
        #expect(picture.width == size.0 && picture.height == size.1 && picture.planes.count == channels)
        for (a, b) in zip(picture.planes, planes) {
            let worst = zip(samples(a), samples(b)).map { abs(Int($0) - Int($1)) }.max()
            // Rounding in two colour transforms and one cosine transform.
            #expect(try #require(worst) <= 4)
        }
    }

    @Test func depthIsScaledOnTheWayOut() throws {
        let deep = try Plane<UInt16>(width: 3, height: 1)
        for (x, v) in [0, 33000, 65535].enumerated() { deep[x, 0] = UInt16(v) }
        let narrow = try pngBytes(EncodedPicture(planes: [deep], maxCode: 65535), bits: 8)
        #expect(samples(try decodePicture(narrow, name: "", limits: Limits()).planes[0]) == [0, 128, 255])
        let plain = try Plane<UInt16>(width: 3, height: 1)
        for (x, v) in [0, 128, 255].enumerated() { plain[x, 0] = UInt16(v) }
        let wide = try pngBytes(EncodedPicture(planes: [plain], maxCode: 255), bits: 16)
        #expect(samples(try decodePicture(wide, name: "", limits: Limits()).planes[0]) == [0, 32896, 65535])
    }

    @Test func lowQualityHalvesColourAndHighKeepsIt() throws {
        // Columns of red and blue in turn: half-size colour cannot hold them.
        let planes = try (0..<3).map { _ in try Plane<UInt16>(width: 32, height: 32) }
        for y in 0..<32 { for x in 0..<32 { planes[x % 2 * 2][x, y] = 255 } }
        let worst = try [89, 90].map { quality in
            let bytes = try jpegBytes(EncodedPicture(planes: planes, maxCode: 255), quality: quality)
            let picture = try decodePicture(bytes, name: "j", limits: Limits())
            return zip(samples(picture.planes[0]), samples(planes[0])).map { abs(Int($0) - Int($1)) }.max() ?? 0
        }
        #expect(worst[0] > 80 && worst[1] < 40)
    }
}
