import Foundation
import NightfuseCodecs
import NightfuseCommand
import NightfuseCore
import Testing

/// Whole runs of `fuse` and `inspect` on small bursts.
@Suite("Fusing files")
struct FuseTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    private var out: String { folder.file("out/night.png") }

    /// Frames 1.png, 2.png, ... of one scene, each a pixel further, and a folder for results.
    private func makeBurst(_ count: Int, exif: Bool = false) throws -> [String] {
        try FileManager.default.createDirectory(atPath: folder.file("out"), withIntermediateDirectories: true)
        return try (1...count).map { index in
            var block: [UInt8] = []
            if exif {
                var edit = EXIFEdit(width: 160, height: 120)
                (edit.info.exposureSeconds, edit.info.iso) = (0.05, 1600)
                edit.info.date = "2026:01:02 03:04:05.\(index)"
                edit.info.model = "Pinhole"
                block = edit.make().bytes
            }
            return try folder.png(
                "\(index).png", width: 160, height: 120, seed: UInt64(index), shift: index, exif: block)
        }
    }

    private func run(_ words: [String], columns: Int? = nil) -> CommandRun {
        CommandRun(words: words.map { Array($0.utf8) }, columns: columns)
    }

    private func document(_ run: CommandRun) throws -> JSONValue { try JSONParser.parse(Array(run.output.utf8)) }

    private func frames(_ run: CommandRun) throws -> [JSONValue] {
        guard case .array(let frames) = try document(run)["frames"] else { return [] }
        return frames
    }

    private func picture(_ path: String) throws -> Picture {
        try decodePicture(try FileAccess.read(FilePath(path), limits: Limits()), name: path, limits: Limits())
    }

    @Test func aBurstBecomesAPictureOfItsSize() throws {
        let files = try makeBurst(4)
        let run = run(["fuse"] + files + ["-o", out, "--look", "none"])
        #expect(run.status == 0 && run.error.isEmpty)
        #expect(run.output.hasPrefix("\(out): 160 x 120 from 4 of 4 frames, "), "\(run.output)")
        let result = try picture(out)
        #expect((result.width, result.height, result.bits) == (160, 120, 8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("out")) == ["night.png"])
    }

    @Test func theDocumentTellsWhatWasDone() throws {
        let files = try makeBurst(4, exif: true)
        let run = run(["fuse", folder.path, "-o", out, "--json"])
        #expect(run.status == 0 && run.error.isEmpty)
        let document = try document(run)
        #expect(document["output"] == .string(out))
        #expect(document["width"] == .integer(160) && document["height"] == .integer(120))
        let frames = try frames(run)
        #expect(frames.map { $0["file"] } == files.map { .string($0) })
        #expect(frames.allSatisfy { $0["used"] == .bool(true) && $0["exposure_s"]?.double == 0.05 })
        #expect(try #require(document["peak_memory_bytes"]?.double) > 1e6)
        let total = try #require(document["seconds"]?["total"]?.double)
        #expect(try #require(document["seconds"]?["merge"]?.double) <= total)
    }

    /// Frame k shows the scene k pixels further to the left, so the reference's centre lies to the left in later ones.
    @Test func shiftsAreTold() throws {
        let files = try makeBurst(4)
        let run = run(["fuse"] + files + ["-o", out, "--json", "--reference", "1"])
        #expect(try document(run)["reference"] == .integer(1))
        for (index, frame) in try frames(run).enumerated() {
            guard case .array(let shift) = frame["shift_px"], let x = shift.first?.double else {
                Issue.record("no shift")
                continue
            }
            #expect(abs(x - Double(1 - index)) < 0.3, "frame \(index): \(x)")
        }
    }

    @Test func aFrameThatCannotBeReadIsLeftOutWithAWarning() throws {
        var files = try makeBurst(3)
        files.insert(try folder.write("bad.png", Array("no picture".utf8)), at: 1)
        let run = run(["fuse"] + files + ["-o", out, "--json"])
        #expect(run.status == 0)
        #expect(
            run.error
                == "nightfuse: \(files[1]): is not a picture of a known kind (PNG, JPEG and DNG are read); left out\n")
        let frames = try frames(run)
        #expect(frames.map { $0["used"] } == [true, false, true, true].map { .bool($0) })
        #expect(
            frames[1]["reason"]
                == .string("cannot be read: is not a picture of a known kind (PNG, JPEG and DNG are read)"))
        #expect(frames[1]["shift_px"] == .null)
    }

    @Test func strictEndsTheRunThere() throws {
        var files = try makeBurst(3)
        files.append(try folder.write("bad.png", Array("no picture".utf8)))
        let run = run(["fuse"] + files + ["-o", out, "--strict"])
        #expect(run.status == 1 && run.output.isEmpty && run.errorLines.count == 1)
        #expect(!FileManager.default.fileExists(atPath: out))
    }

    @Test func quietSaysNothingAndStillWrites() throws {
        var files = try makeBurst(2)
        files.append(try folder.write("bad.png", Array("no picture".utf8)))
        let run = run(["fuse"] + files + ["-o", out, "--quiet"], columns: 80)
        #expect(run.status == 0 && run.output.isEmpty && run.error.isEmpty)
        #expect(FileManager.default.fileExists(atPath: out))
    }

    @Test func oneFrameAloneIsFused() throws {
        let run = run(["fuse"] + (try makeBurst(1)) + ["-o", out, "--json"])
        #expect(run.status == 0)
        #expect(try document(run)["effective_frames"]?["mean"]?.double == 1)
    }

    @Test func forceReplacesWhatIsThere() throws {
        let files = try makeBurst(1)
        try folder.write("out/night.png", [1, 2, 3])
        #expect(run(["fuse"] + files + ["-o", out]).status == 1)
        #expect(run(["fuse"] + files + ["-o", out, "--force"]).status == 0)
        #expect(try picture(out).width == 160)
    }

    @Test func theBitsAreThoseAskedFor() throws {
        let files = try makeBurst(2)
        #expect(run(["fuse"] + files + ["-o", out, "--bits", "16"]).status == 0)
        #expect(try picture(out).bits == 16)
        let jpeg = folder.file("out/night.jpg")
        let run = run(["fuse"] + files + ["-o", jpeg, "--bits", "16", "--quality", "50"])
        #expect(run.status == 0)
        #expect(run.error == "nightfuse: --bits 16 does nothing: a JPEG has 8\n")
        #expect(try picture(jpeg).format == "JPEG")
    }

    @Test func qualityMakesAJPEGLarger() throws {
        let files = try makeBurst(1)
        let sizes = try ["30", "98"].map { quality in
            let jpeg = folder.file("out/\(quality).jpg")
            #expect(run(["fuse"] + files + ["-o", jpeg, "--quality", quality]).status == 0)
            return try Data(contentsOf: URL(fileURLWithPath: jpeg)).count
        }
        #expect(sizes[1] > 2 * sizes[0])
    }

    @Test func theNumberOfThreadsDoesNotChangeTheResult() throws {
        let files = try makeBurst(3)
        let pictures = try ["1", "2", "5"].map { threads in
            let path = folder.file("out/\(threads).png")
            #expect(run(["fuse"] + files + ["-o", path, "--threads", threads]).status == 0)
            return try Data(contentsOf: URL(fileURLWithPath: path))
        }
        #expect(pictures[0] == pictures[1] && pictures[0] == pictures[2])
    }

    @Test func theResultCarriesTheReferencesEXIFAndWhatItWasMadeOf() throws {
        let files = try makeBurst(3, exif: true)
        #expect(run(["fuse"] + files + ["-o", out, "--reference", "2"]).status == 0)
        let result = try picture(out)
        #expect(result.info.exposureSeconds == 0.05 && result.info.iso == 1600)
        #expect(result.info.model == "Pinhole" && result.info.date == "2026:01:02 03:04:05.3")
        // Tag 0xA461, SHORT, 2 values: 3 frames, 3 used.
        let count: [UInt8] = [0xA4, 0x61, 0, 3, 0, 0, 0, 2, 0, 3, 0, 3]
        #expect((0..<result.exif.count).contains { result.exif[$0...].starts(with: count) })
    }

    @Test func mapsAreWritten() throws {
        let files = try makeBurst(4)
        let maps = folder.file("maps")
        #expect(run(["fuse"] + files + ["-o", out, "--maps", maps]).status == 0)
        let frames = try picture(maps + "/frames.png")
        let motion = try picture(maps + "/motion.png")
        #expect((frames.width, frames.height, frames.bits, frames.isGrey) == (160, 120, 16, true))
        #expect((motion.width, motion.height, motion.bits, motion.isGrey) == (160, 120, 8, true))
        #expect(frames.planes[0][80, 60] >= 256 && frames.planes[0][80, 60] <= 4 * 256 + 64)
    }

    @Test func aFailedRunLeavesNoMapsFolder() throws {
        let bad = try folder.write("bad.png", Array("no picture".utf8))
        let run = run(["fuse", bad, "-o", folder.file("x.png"), "--maps", folder.file("maps")])
        #expect(run.status == 1)
        #expect(try folder.names == ["bad.png"])
    }

    @Test func brightnessMakesItBrighter() throws {
        let files = try makeBurst(1)
        let means = try ["-1", "0", "1"].map { ev in
            let path = folder.file("out/\(ev).png")
            #expect(run(["fuse"] + files + ["-o", path, "--look", "none", "--brightness", ev]).status == 0)
            let plane = try picture(path).planes[1]
            var sum = 0
            for y in 0..<plane.height { for x in 0..<plane.width { sum += Int(plane[x, y]) } }
            return sum
        }
        #expect(means[0] < means[1] && means[1] < means[2])
    }

    @Test func progressIsDrawnOnATerminalOnlyAndFitsIt() throws {
        let files = try makeBurst(4)
        for columns in [20, 80] {
            let run = run(["fuse"] + files + ["-o", out, "--force", "--json"], columns: columns)
            #expect(run.status == 0)
            let drawn = run.error.components(separatedBy: "\r").map { $0.replacing("\u{1B}[K", with: "") }
            #expect(drawn.contains { $0.contains("/4") })
            #expect(drawn.allSatisfy { $0.count < columns })
            #expect(run.error.hasSuffix("\r\u{1B}[K"))
            #expect(throws: Never.self) { try JSONParser.parse(Array(run.output.utf8)) }
        }
    }

    @Test func aFolderStandsForItsPicturesInNaturalOrder() throws {
        for index in [10, 9, 1] { try folder.png("img\(index).png", width: 64, height: 64, seed: UInt64(index)) }
        try folder.write("notes.txt", Array("x".utf8))
        let run = run(["inspect", folder.path, "--json"])
        #expect(
            try frames(run).map { $0["file"] } == [1, 9, 10].map { .string(folder.file("img\($0).png")) })
    }

    // MARK: inspect

    @Test func inspectTellsWhatEachFrameIs() throws {
        let files = try makeBurst(3, exif: true)
        let run = run(["inspect"] + files + ["--json"])
        #expect(run.status == 0 && run.error.isEmpty)
        let frames = try frames(run)
        #expect(frames.count == 3)
        for (index, frame) in frames.enumerated() {
            #expect(frame["width"] == .integer(160) && frame["height"] == .integer(120))
            #expect(frame["bits"] == .integer(8) && frame["format"] == .string("PNG"))
            #expect(frame["date"] == .string("2026:01:02 03:04:05.\(index + 1)"))
            #expect(frame["sharpness"]?.double != nil && frame["weight"]?.double != nil)
        }
        #expect(try folder.names == ["1.png", "2.png", "3.png", "out"])
    }

    @Test func inspectPrintsATable() throws {
        let run = run(["inspect"] + (try makeBurst(3, exif: true)))
        #expect(run.status == 0)
        let lines = run.output.split(separator: "\n")
        #expect(lines[0].contains("Exposure") && lines[0].contains("Sharp") && lines[0].contains("File"))
        #expect(lines[1].contains("160 x 120") && lines[1].contains("1/20 s") && lines[1].contains("1600"))
        #expect(run.output.contains("taken on 2026:01:02"))
    }

    @Test func inspectTakesPicturesThatAreNoBurst() throws {
        let a = try folder.png("a.png")
        let b = try folder.png("b.png", width: 80)
        let run = run(["inspect", a, b, "--json"])
        #expect(run.status == 0)
        let frames = try frames(run)
        #expect(frames[1]["width"] == .integer(80))
        #expect(frames[1]["used"] == .bool(false))
        #expect(frames[1]["reason"] != .null)
    }

    // MARK: compare

    @Test func compareHasTheKeysOfTheContract() throws {
        let a = try folder.png("a.png")
        let run = run(["compare", a, try folder.png("b.png", seed: 2), "--json"])
        #expect(run.status == 0)
        let document = try document(run)
        for key in ["psnr", "ssim", "sharpness"] { #expect(document[key]?.double != nil) }
        #expect(CommandRun("compare", a, a).output == "PSNR       120.00 dB\nSSIM       1.0000\nSharpness  1.000\n")
    }

    @Test func doctorTellsTheMachine() {
        let run = CommandRun("doctor")
        #expect(run.status == 0)
        for word in ["nightfuse", "kernels", "cpu features", "libpng", "libjpeg", "threads", "memory"] {
            #expect(run.output.contains("\n" + word) || run.output.hasPrefix(word))
        }
    }
}
