import NightfuseCore
import NightfusePipeline
import Testing

@Suite("Thumbnails")
struct ThumbnailTests {
    private func ramp(_ width: Int, _ height: Int, maxCode: Int = 255) throws -> Picture {
        let plane = try Plane<UInt16>(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width { plane[x, y] = UInt16((x + y * width) * maxCode / (width * height)) }
        }
        return Picture(planes: [plane], maxCode: maxCode, bits: maxCode > 255 ? 16 : 8, name: "ramp")
    }

    @Test func thePictureFitsTheLongSideAndKeepsItsMean() throws {
        for size in [(100, 60), (61, 200), (1000, 1)] {
            let picture = try ramp(size.0, size.1)
            let small = try picture.thumbnail(longSide: 25)
            #expect(max(small.width, small.height) == 25)
            func mean(_ p: Picture) -> Double {
                var sum = 0.0
                for y in 0..<p.height { for x in 0..<p.width { sum += Double(p.planes[0][x, y]) } }
                return sum / Double(p.width * p.height)
            }
            #expect(abs(mean(small) - mean(picture)) < 2)
        }
    }

    @Test func sixteenBitsBecomeEight() throws {
        let picture = try ramp(16, 16, maxCode: 65535)
        let small = try picture.thumbnail(longSide: 16)
        #expect(small.maxCode == 255 && small.bits == 8)
        for y in 0..<16 {
            for x in 0..<16 {
                let wanted = (Double(picture.planes[0][x, y]) / 257).rounded()
                #expect(Double(small.planes[0][x, y]) == wanted)
            }
        }
    }

    @Test func aSmallPictureKeepsItsSize() throws {
        let picture = try ramp(5, 3).thumbnail(longSide: 100)
        #expect((picture.width, picture.height) == (5, 3))
    }

    /// The letter F stored for each orientation, from the pictures of the EXIF standard.
    @Test(arguments: [
        (1, ["##", "#.", "##", "#."]), (2, ["##", ".#", "##", ".#"]), (3, [".#", "##", ".#", "##"]),
        (4, ["#.", "##", "#.", "##"]), (5, ["####", "#.#."]), (6, ["#.#.", "####"]), (7, [".#.#", "####"]),
        (8, ["####", ".#.#"]),
    ])
    func unturningGivesWhatWasStored(orientation: Int, stored: [String]) throws {
        let upright = ["##", "#.", "##", "#."]
        let plane = try Plane<UInt16>(width: 2, height: 4)
        for (y, row) in upright.enumerated() { for (x, c) in row.enumerated() { plane[x, y] = c == "#" ? 1 : 0 } }
        let picture = try Picture(planes: [plane], maxCode: 255, bits: 8, name: "F").unturned(orientation)
        let rows = (0..<picture.height).map { y in
            String((0..<picture.width).map { x in picture.planes[0][x, y] == 1 ? "#" as Character : "." })
        }
        #expect(rows == stored)
    }
}
