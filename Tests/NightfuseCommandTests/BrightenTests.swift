import Foundation
import NightfuseCodecs
import NightfuseCommand
import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Brightening a photograph")
struct BrightenTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    private var out: String { folder.file("out.png") }

    /// A ramp of patches from `low` to `high` (coded) with a little noise.
    private func photo(_ name: String, _ low: Double, _ high: Double) throws -> String {
        var random = SeededRandom(seed: 7)
        let planes = try (0..<3).map { _ in
            let plane = try Plane<UInt16>(width: 160, height: 120)
            for y in 0..<120 {
                for x in 0..<160 {
                    let share = Double(x / 20 + y / 20 * 8) / 47
                    plane[x, y] = UInt16(min(max((low + (high - low) * share) * 255 + 2 * random.normal(), 0), 255))
                }
            }
            return plane
        }
        let sink = MemorySink()
        try encodePNG(EncodedPicture(planes: planes, maxCode: 255), bits: 8, to: sink)
        return try folder.write(name, sink.bytes)
    }

    private func mean(_ path: String) throws -> Double {
        let bytes = try FileAccess.read(FilePath(path), limits: Limits())
        let picture = try decodePicture(bytes, name: path, limits: Limits())
        var sum = 0.0
        for plane in picture.planes {
            for y in 0..<plane.height { for x in 0..<plane.width { sum += Double(plane[x, y]) } }
        }
        return sum / Double(3 * picture.width * picture.height * picture.maxCode)
    }

    private func brighten(_ words: String...) -> CommandRun {
        CommandRun(words: (["brighten"] + words).map { Array($0.utf8) })
    }

    @Test func aDarkPhotographGetsLight() throws {
        let dark = try photo("dark.png", 0.02, 0.25)
        let run = brighten(dark, "-o", out)
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.output.hasPrefix("\(out): brightened by 0."))
        #expect(try mean(out) > 1.4 * mean(dark))
    }

    /// A black night with one lit front, lamps of four colours and, in the lower half, ground three codes above black.
    private func lampsAtNight() throws -> (file: String, lamps: [(x: Int, y: Int)]) {
        var random = SeededRandom(seed: 9)
        let colours: [[Double]] = [[255, 150, 20], [60, 90, 255], [255, 40, 30], [255, 255, 255]]
        let planes = try (0..<3).map { channel in
            let plane = try Plane<UInt16>(width: 320, height: 240)
            for y in 0..<240 {
                for x in 0..<320 {
                    var light = y < 120 ? 1.0 : 4
                    if x >= 60, x < 260, y >= 90, y < 120 { light = [190, 95, 5][channel] * (x % 20 < 10 ? 1 : 0.7) }
                    for (i, colour) in colours.enumerated() where abs(x - 60 - 60 * i) < 5 && abs(y - 60) < 5 {
                        light = colour[channel]
                    }
                    plane[x, y] = UInt16(min(max(light + 0.6 * random.normal(), 0), 255) + 0.5)
                }
            }
            return plane
        }
        let sink = MemorySink()
        try encodePNG(EncodedPicture(planes: planes, maxCode: 255), bits: 8, to: sink)
        return (try folder.write("lamps.png", sink.bytes), (0..<4).map { (60 + 60 * $0, 60) })
    }

    private func picture(_ path: String) throws -> Picture {
        try decodePicture(try FileAccess.read(FilePath(path), limits: Limits()), name: path, limits: Limits())
    }

    /// Mean sRGB-coded luma (0 to 1), and the share of pixels with a channel at its top.
    private func lumaAndClipped(_ picture: Picture) -> (luma: Double, clipped: Double) {
        var (sum, clipped) = (0.0, 0)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let (r, g, b) = (picture.planes[0][x, y], picture.planes[1][x, y], picture.planes[2][x, y])
                sum += 0.2126 * Double(r) + 0.7152 * Double(g) + 0.0722 * Double(b)
                if max(r, g, b) == picture.maxCode { clipped += 1 }
            }
        }
        let count = Double(picture.width * picture.height)
        return (sum / count / Double(picture.maxCode), Double(clipped) / count)
    }

    @Test func aNightThatIsNearlyAllBlackIsRaisedAndItsLampsAreHeld() throws {
        let (file, lamps) = try lampsAtNight()
        #expect(brighten(file, "-o", out).status == 0)
        let (before, after) = (try picture(file), try picture(out))
        let (dark, lit) = (lumaAndClipped(before), lumaAndClipped(after))
        #expect(dark.luma < 0.1)
        #expect(lit.luma > 0.2 && lit.luma < 0.4, "\(lit.luma)")
        #expect(lit.clipped < dark.clipped + 0.01)
        // The strongest channel of a lamp stays the strongest, the weakest the weakest.
        for (x, y) in lamps.prefix(3) {
            let (was, now) = (before.planes.map { $0[x, y] }, after.planes.map { $0[x, y] })
            #expect(was.max() == was[now.firstIndex(of: now.max() ?? 0) ?? 0], "\(was) \(now)")
            #expect(now.max().map(Int.init) ?? 0 > Int(now.min() ?? 0) + 100, "\(was) \(now)")
        }
    }

    @Test(arguments: [0.02, 0.06, 0.12])
    func aDarkPhotographIsRaisedToBetweenAFifthAndTwoFifths(low: Double) throws {
        let dark = try photo("dark.png", low, 0.3)
        #expect(brighten(dark, "-o", out).status == 0)
        let lit = lumaAndClipped(try picture(out))
        #expect(lit.luma > 0.2 && lit.luma < 0.4, "\(lit.luma)")
    }

    @Test func aBrightPhotographComesBackNearlyAsItWasAndTheCommandSaysSo() throws {
        let bright = try photo("bright.png", 0.3, 0.9)
        let run = brighten(bright, "-o", out)
        #expect(run.output.hasPrefix("\(out): is not dark, and was left nearly as it was; "))
        #expect(abs(try mean(out) - mean(bright)) < 2.0 / 255)
    }

    @Test func theAmountIsObeyed() throws {
        let dark = try photo("dark.png", 0.02, 0.25)
        let means = try ["0", "0.3", "1"].map { amount in
            #expect(brighten(dark, "-o", out, "--amount", amount, "--force").status == 0)
            return try mean(out)
        }
        #expect(abs(means[0] - (try mean(dark))) < 2.0 / 255)
        #expect(means[0] < means[1] && means[1] < means[2])
    }

    @Test func theDocumentHasTheAmount() throws {
        let run = brighten(try photo("dark.png", 0.02, 0.25), "-o", out, "--json", "--amount", "0.4")
        let document = try JSONParser.parse(Array(run.output.utf8))
        #expect(document["amount"]?.double == 0.4)
        guard case .array(let frames) = document["frames"] else { return #expect(Bool(false), "no frames") }
        #expect(frames.count == 1)
    }

    @Test(arguments: [0, 255])
    func aPictureOfOneColourIsNoError(code: Int) throws {
        let plane = try Plane<UInt16>(width: 64, height: 48)
        plane.fill(UInt16(code))
        let sink = MemorySink()
        try encodePNG(EncodedPicture(planes: [plane, plane, plane], maxCode: 255), bits: 8, to: sink)
        let file = try folder.write("flat.png", sink.bytes)
        let run = brighten(file, "-o", out)
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        #expect(abs(try mean(out) - Double(code) / 255) < 0.02)
        let words = code == 0 ? "is all black, with no light to raise" : "is not dark, and was left nearly as it was"
        #expect(run.output.contains(words), "\(run.output)")
    }

    @Test func aRawResultAndAFolderAreRefused() throws {
        let file = try photo("a.png", 0.1, 0.2)
        let raw = brighten(file, "-o", folder.file("out.dng"))
        #expect(raw.status == 2 && raw.error == "nightfuse: \(folder.file("out.dng")): brighten writes .png and .jpg\n")
        let all = brighten(folder.path, "-o", out)
        #expect(all.status == 1)
        #expect(all.error == "nightfuse: \(folder.path): is a folder; brighten takes one photograph\n")
        #expect(brighten(file, file, "-o", out).status == 2)
    }
}
