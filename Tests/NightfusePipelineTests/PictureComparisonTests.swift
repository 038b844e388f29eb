import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Comparing pictures")
struct PictureComparisonTests {
    /// A pattern that scripts can make too: sample = hash of place and channel.
    private func picture(_ width: Int, _ height: Int, channels: Int = 3, salt: Int = 0, step: Int = 120) throws
        -> Picture
    {
        let planes = try (0..<channels).map { channel in
            let plane = try Plane<UInt16>(width: width, height: height)
            for y in 0..<height {
                for x in 0..<width {
                    let wave = (x / 5 + y / 7) % 2 * step + x * 2 + y
                    let noise = salt == 0 ? 0 : (x * 7 + y * 13 + channel * 5 + x * y * salt) % 17 - 8
                    plane[x, y] = UInt16(min(max(wave + channel * 10 + noise, 0), 255))
                }
            }
            return plane
        }
        return Picture(planes: planes, maxCode: 255, bits: 8, name: "pattern")
    }

    private func compare(_ a: Picture, _ b: Picture, threads: Int = 2) throws -> PictureComparison {
        try PictureComparison(a, truth: b, workers: Workers(threads: threads))
    }

    /// The figures are scikit-image's `structural_similarity(channel_axis=2, data_range=1)` and NumPy's of the same
    /// pattern; the last that of OpenCV's `GaussianBlur` with NumPy's `gradient` and `quantile`.
    @Test func figuresAgreeWithTheUsualTools() throws {
        let result = try compare(try picture(40, 30, salt: 3, step: 90), try picture(40, 30))
        #expect(abs(result.psnr - 21.38367) < 1e-3)
        #expect(abs(result.ssim - 0.947520) < 1e-4)
        #expect(abs(try #require(result.sharpness) - 0.761065) < 1e-4)
    }

    @Test func aPictureIsEqualToItself() throws {
        let it = try picture(33, 21)
        let result = try compare(it, it)
        #expect(result.psnr == 120)
        #expect(abs(result.ssim - 1) < 1e-9)
        #expect(result.sharpness == 1)
    }

    @Test func threadsDoNotChangeTheFigures() throws {
        let (a, b) = (try picture(50, 300, salt: 5), try picture(50, 300))
        #expect(try compare(a, b, threads: 1) == compare(a, b, threads: 4))
    }

    @Test func greyCountsAsThreeEqualColours() throws {
        let grey = try picture(20, 20, channels: 1)
        let colour = Picture(planes: [grey.planes[0], grey.planes[0], grey.planes[0]], maxCode: 255, bits: 8, name: "")
        #expect(try compare(grey, colour).psnr == 120)
    }

    @Test(arguments: [(1, 1), (1, 9), (2, 2), (6, 30), (3, 1)])
    func smallPicturesHaveFigures(width: Int, height: Int) throws {
        let result = try compare(try picture(width, height, salt: 1), try picture(width, height))
        #expect(result.psnr.isFinite && result.ssim.isFinite && result.ssim <= 1)
    }

    @Test func anotherColourSpaceIsBroughtToSRGB() throws {
        // The same primaries with another curve: 0.5 in linear data is 0.7354 in sRGB.
        let linear = ColourSpace(name: "linear", toXYZ: ColourSpace.sRGB.toXYZ, transfer: .gamma(1))
        func flat(_ code: UInt16, _ colour: ColourSpace) throws -> Picture {
            let plane = try Plane<UInt16>(width: 8, height: 8)
            plane.fill(code)
            return Picture(planes: [plane, plane, plane], maxCode: 65535, bits: 16, name: "flat", colour: colour)
        }
        let coded = UInt16((TransferFunction.sRGB.coded(0.5) * 65535).rounded())
        #expect(try compare(flat(32768, linear), flat(coded, .sRGB)).psnr > 90)
    }

    @Test func sizesMustAgree() throws {
        let error = #expect(throws: NightfuseError.self) { try compare(picture(8, 8), picture(8, 9)) }
        #expect(error?.description == "pattern is 8 x 8, pattern is 8 x 9: pictures to compare need one size")
    }
}
