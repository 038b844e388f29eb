import Foundation
import NightfuseCodecs
import NightfuseCommand
import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

/// Whole runs on small raw bursts.
@Suite("Fusing raw files")
struct RawFuseTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    /// A mosaic of lamps on a dark ground, `shift` pixels (an even number) further to the left.
    private func frame(_ seed: UInt64, shift: Int, orientation: Int = 1, gps: Bool = false) throws -> RawFrame {
        var random = SeededRandom(seed: seed)
        let plane = try Plane<UInt16>(width: 160, height: 120)
        for y in 0..<120 {
            for x in 0..<160 {
                let u = x + shift
                let light = (u / 12 + y / 9) % 5 == 0 ? 0.3 : 0.03 + 0.002 * Double(u % 16)
                let value = 1024 + 15360 * (light + 0.01 * random.normal())
                plane[x, y] = UInt16(min(max(value, 0), 16383))
            }
        }
        var info = CaptureInfo()
        (info.exposureSeconds, info.iso, info.orientation) = (0.05, 1600, orientation)
        // XYZ to a camera whose colours are linear sRGB's.
        let matrix = Matrix3([3.2406, -1.5372, -0.4986, -0.9689, 1.8758, 0.0415, 0.0557, -0.2040, 1.0570])
        return RawFrame(
            planes: [plane], layout: .mosaic([0, 1, 1, 2]), black: [1024], blackRows: 1, blackColumns: 1,
            white: [16383], neutral: [0.9, 1, 0.8],
            calibrations: [RawFrame.Calibration(illuminant: 21, colourMatrix: matrix)], baselineExposure: 0,
            noise: [NoiseModel(shot: 0, read: 0.01)], gainMaps: [], badPixels: [], crop: (0, 0, 160, 120),
            info: info, name: "frame", bits: 14, compression: "none", notes: [])
    }

    private func burst(_ count: Int, orientation: Int = 1) throws -> [String] {
        try (0..<count).map { index in
            let raw = try frame(UInt64(index), shift: 2 * index, orientation: orientation)
            return try folder.write("\(index).dng", try DNGWriter().bytes(raw))
        }
    }

    private func run(_ words: [String]) -> CommandRun { CommandRun(words: words.map { Array($0.utf8) }) }

    private func file(_ name: String) throws -> [UInt8] {
        try FileAccess.read(FilePath(folder.file(name)), limits: Limits())
    }

    @Test func rawFramesBecomeADevelopedPicture() throws {
        let run = run(["fuse"] + (try burst(4)) + ["-o", folder.file("out.png"), "--look", "none"])
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        let picture = try decodePicture(try file("out.png"), name: "out", limits: Limits())
        #expect((picture.width, picture.height, picture.bits) == (160, 120, 16))
        #expect(picture.info.exposureSeconds == 0.05)
    }

    @Test func theDevelopedPictureStandsUpright() throws {
        let run = run(["fuse"] + (try burst(2, orientation: 6)) + ["-o", folder.file("out.png"), "--json"])
        #expect(run.status == 0)
        let document = try JSONParser.parse(Array(run.output.utf8))
        #expect(document["width"] == .integer(120) && document["height"] == .integer(160))
    }

    @Test func rawFramesBecomeAMergedRaw() throws {
        let run = run(["fuse"] + (try burst(4)) + ["-o", folder.file("out.dng"), "--json"])
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        let merged = try DNGReader.read(try file("out.dng"), name: "out")
        #expect((merged.width, merged.height, merged.bits) == (160, 120, 16))
        #expect(merged.layout == .mosaic([0, 1, 1, 2]))
        let noise = try #require(merged.noise.first)
        #expect(noise.read < 0.0075, "\(noise)")
        let document = try JSONParser.parse(Array(run.output.utf8))
        #expect(document["width"] == .integer(160) && document["height"] == .integer(120))
    }

    @Test func aTurnedMergedRawKeepsItsGeometry() throws {
        let run = run(["fuse"] + (try burst(2, orientation: 6)) + ["-o", folder.file("out.dng"), "--json"])
        #expect(run.status == 0, "\(run.error)")
        let merged = try DNGReader.read(try file("out.dng"), name: "out")
        #expect((merged.width, merged.height, merged.info.orientation) == (160, 120, 6))
        let document = try JSONParser.parse(Array(run.output.utf8))
        #expect(document["width"] == .integer(120) && document["height"] == .integer(160))
    }

    @Test func idleFlagsOfAMergedRawAreTold() throws {
        let run = run(["fuse"] + (try burst(1)) + ["-o", folder.file("out.dng"), "--look", "none", "--bits", "8"])
        #expect(run.status == 0)
        #expect(run.error.contains("--look does nothing") && run.error.contains("--bits does nothing"))
    }

    @Test func rawAndPicturesInOneBurstAreRefused() throws {
        let files = try burst(2) + [try folder.png("odd.png", width: 160, height: 120)]
        let run = run(["fuse"] + files + ["-o", folder.file("out.png")])
        #expect(run.status == 1)
        #expect(
            run.error
                == "nightfuse: \(files[2]): is in colour, the other frames are raw; a burst needs one kind\n")
    }

    @Test func inspectTellsWhatARawFileHolds() throws {
        let file = try burst(1)[0]
        let run = run(["inspect", file, "--json"])
        #expect(run.status == 0)
        let document = try JSONParser.parse(Array(run.output.utf8))
        guard case .array(let frames) = document["frames"], let frame = frames.first else {
            return #expect(Bool(false), "no frame")
        }
        #expect(frame["format"] == .string("DNG"))
        #expect(frame["exposure_s"]?.double == 0.05 && frame["iso"]?.double == 1600)
        let raw = try #require(frame["raw"])
        #expect(raw["pattern"] == .string("RGGB"))
        guard case .array(let white) = raw["white"] else { return #expect(Bool(false), "no white level") }
        #expect(white.first?.double == 16383)
        let raster = try #require(raw["raster"])
        guard case .string(let crc)? = raster["crc32"] else { return #expect(Bool(false), "no check") }
        #expect(crc.count == 8 && raster["samples"]?.double == 1)
        let text = CommandRun("inspect", file).output
        #expect(text.contains("raw RGGB, black 1024") && text.contains("CRC-32 \(crc)"))
    }

    @Test func aTruncatedRawIsLeftOut() throws {
        var files = try burst(3)
        let whole = try file("1.dng")
        files[1] = try folder.write("1.dng", Array(whole[..<(whole.count / 2)]))
        let run = run(["fuse"] + files + ["-o", folder.file("out.png")])
        #expect(run.status == 0)
        #expect(run.errorLines.count == 1 && run.error.hasPrefix("nightfuse: \(files[1]): "))
        #expect(run.error.hasSuffix("; left out\n"))
    }

    @Test func rawFramesAreComparedDeveloped() throws {
        let files = try burst(2)
        let run = run(["compare", files[0], files[0], "--json"])
        #expect(run.status == 0)
        #expect(try JSONParser.parse(Array(run.output.utf8))["psnr"]?.double == 120)
    }

    @Test func aReportOfRawFramesShowsTheReferenceDeveloped() throws {
        let report = folder.file("report.html")
        let run = run(["fuse"] + (try burst(3)) + ["-o", folder.file("out.png"), "--report", report])
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        let page = try String(contentsOfFile: report, encoding: .utf8)
        // Before, after and two maps; frames are not developed for the table.
        #expect(page.components(separatedBy: "<img ").count == 5)
    }
}
