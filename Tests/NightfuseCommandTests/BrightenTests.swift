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
