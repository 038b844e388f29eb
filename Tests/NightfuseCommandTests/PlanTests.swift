import Foundation
import NightfuseCodecs
import NightfuseCommand
import Testing

/// Whole runs of `plan` on small previews.
@Suite("Planning from files")
struct PlanTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    /// Previews a thirtieth of a second apart.
    private func makePreviews(_ count: Int, dates: [String]? = nil, exposure: Double? = 1.0 / 30) throws -> [String] {
        try (0..<count).map { index in
            var edit = EXIFEdit(width: 160, height: 120)
            (edit.info.exposureSeconds, edit.info.iso) = (exposure, 1600)
            let milliseconds = String(1000 + index * 33).dropFirst()
            edit.info.date = dates?[index] ?? "2026:01:02 03:04:05.\(milliseconds)"
            return try folder.png(
                "p\(index).png", width: 160, height: 120, seed: UInt64(index), exif: edit.make().bytes)
        }
    }

    private func run(_ words: [String]) -> CommandRun { CommandRun(words: words.map { Array($0.utf8) }) }

    private func plan(_ words: [String]) throws -> JSONValue {
        let run = run(["plan"] + words + ["--json"])
        #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
        return try JSONParser.parse(Array(run.output.utf8))
    }

    @Test func thePlanHasFramesAndAScene() throws {
        let plan = try plan(try makePreviews(6))
        guard case .array(let frames) = plan["frames"] else { return #expect(Bool(false), "no frames") }
        #expect(!frames.isEmpty)
        #expect(try #require(plan["fusion_time_s"]?.double) > 0)
        #expect(plan["scene"]?["camera_motion_px_s"]?.double != nil)
    }

    @Test func flagsStandInForEXIF() throws {
        let files = try (0..<4).map { try folder.png("p\($0).png", width: 160, height: 120, seed: $0) }
        let bare = try plan(files + ["--exposure", "1/30", "--iso", "1600", "--fps", "30"])
        let tagged = try plan(try makePreviews(4))
        let luminances = try [bare, tagged].map { try #require($0["scene"]?["mean_luminance"]?.double) }
        // A tag's fraction is not the flag's to the last digit.
        #expect(abs(luminances[0] / luminances[1] - 1) < 1e-3)
    }

    @Test func exifIsBelievedBeforeFlags() throws {
        let files = try makePreviews(4)
        let flagged = try plan(files + ["--exposure", "1", "--iso", "100", "--fps", "5"])
        #expect(try flagged["scene"] == plan(files)["scene"])
    }

    @Test func theDevicesLimitsAreKept() throws {
        let device = try folder.write(
            "phone.json",
            Array(#"{ "exposure_s": [0.001, 0.05], "iso": [100, 800], "max_frames": 4, "frame_width": 640 }"#.utf8))
        let plan = try plan(try makePreviews(6) + ["--device", device, "--max-time", "0.5"])
        guard case .array(let frames) = plan["frames"] else { return #expect(Bool(false), "no frames") }
        #expect(frames.count <= 4)
        for frame in frames {
            #expect(try (0.001...0.05).contains(#require(frame["exposure_s"]?.double)))
            #expect(try (100.0...800).contains(#require(frame["iso"]?.double)))
        }
        #expect(try #require(plan["fusion_time_s"]?.double) <= 0.5)
    }

    @Test func aPhotographerGetsATable() throws {
        let run = run(["plan"] + (try makePreviews(4)))
        #expect(run.status == 0)
        #expect(run.output.hasPrefix("Night mode: "))
        #expect(run.output.contains("Frame  Exposure") && run.output.contains("Camera  "))
    }

    @Test func onePreviewIsPlannedSafelyAndSaysSo() throws {
        let run = run(["plan"] + (try makePreviews(1)))
        #expect(run.status == 0)
        #expect(run.error.hasPrefix("nightfuse: one preview frame only: motion cannot be known"))
        #expect(run.output.contains("Camera    not known"))
    }

    @Test func timesThatGoBackAreRefused() throws {
        let dates = ["2026:01:02 03:04:05.500", "2026:01:02 03:04:05.400"]
        let files = try makePreviews(2, dates: dates)
        let refused = run(["plan"] + files)
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.error
                == "nightfuse: \(files[1]): its time is not after that of the preview before it; put them in order\n"
        )
    }

    @Test func clocksAreNotMixed() throws {
        let files = try makePreviews(2, dates: ["2026:01:02 03:04:05.500", "2026:01:02 03:04:06"])
        let refused = run(["plan"] + files + ["--fps", "30"])
        #expect(refused.status == 1)
        #expect(
            refused.error
                == "nightfuse: \(files[1]): its EXIF has no time with parts of a second, which those before it have\n")
    }

    @Test func previewsOfDifferentSizesAreRefused() throws {
        let files = try [(160, 120), (120, 160)].enumerated().map { index, size in
            var edit = EXIFEdit(width: size.0, height: size.1)
            (edit.info.exposureSeconds, edit.info.iso) = (1.0 / 30, 1600)
            edit.info.date = "2026:01:02 03:04:05.\(index)00"
            return try folder.png(
                "p\(index).png", width: size.0, height: size.1, seed: UInt64(index), exif: edit.make().bytes)
        }
        let refused = run(["plan"] + files)
        #expect(refused.status == 1 && refused.output.isEmpty)
        #expect(
            refused.error
                == "nightfuse: \(files[1]): preview is 120 x 160, those before were 160 x 120; all must have one size\n"
        )
    }

    @Test func wholeSecondsNeedAPace() throws {
        let dates = ["2026:01:02 03:04:05", "2026:01:02 03:04:05"]
        let files = try makePreviews(2, dates: dates)
        let refused = run(["plan"] + files)
        #expect(refused.status == 1)
        #expect(
            refused.error
                == "nightfuse: \(files[0]): its EXIF has no time with parts of a second (--fps F); give the flag\n")
        #expect(run(["plan"] + files + ["--fps", "30"]).status == 0)
    }

    @Test func aPreviewThatCannotBeReadIsLeftOut() throws {
        var files = try makePreviews(4)
        files.insert(try folder.write("bad.png", Array("x".utf8)), at: 2)
        let run1 = run(["plan"] + files)
        #expect(run1.status == 0)
        #expect(run1.error.contains("bad.png: is not a picture") && run1.error.hasSuffix("left out\n"))
        #expect(run(["plan"] + files + ["--strict"]).status == 1)
    }

    @Test(arguments: [
        (#"{ "iso": [6400, 50] }"#, "iso is [6400.0, 50.0]; the first must not be above the second"),
        (#"{ "isos": [50, 6400] }"#, "unknown key 'isos' in the device; did you mean iso?"),
    ])
    func aSenselessDeviceIsRefused(text: String, message: String) throws {
        let device = try folder.write("phone.json", Array(text.utf8))
        let run = run(["plan"] + (try makePreviews(2)) + ["--device", device])
        #expect(run.status == 1)
        #expect(run.error == "nightfuse: \(device): \(message)\n")
    }
}
