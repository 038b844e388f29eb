import Foundation
import NightfuseCommand
import Testing

/// One clear line, the right status, nothing left behind.
@Suite("Bad input")
struct BadInputTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    /// Runs, and holds the outcome against a status and the line of the error; the folder must stay as it was.
    private func refuses(
        _ words: [String], status: Int32 = 1, _ message: String, lines: Int = 1,
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let before = try folder.names
        let run = CommandRun(words: words.map { Array($0.utf8) })
        #expect(run.status == status, "\(run.error)", sourceLocation: place)
        #expect(run.output.isEmpty, sourceLocation: place)
        #expect(run.errorLines.count == lines, "\(run.error)", sourceLocation: place)
        let wanted = "nightfuse: " + message.replacing("DIR", with: folder.path)
        #expect(run.errorLines.last?.hasPrefix(wanted) == true, "\(run.error)", sourceLocation: place)
        #expect(try folder.names == before, sourceLocation: place)
    }

    private var out: String { folder.file("out.png") }

    @Test func noFrames() throws { try refuses(["fuse", "-o", out], status: 2, "fuse needs FRAME|FOLDER... -o OUT") }

    @Test func noOutput() throws { try refuses(["fuse", "a.png"], status: 2, "fuse needs -o OUT") }

    @Test(arguments: ["fuse", "plan", "inspect"])
    func aFolderWithoutPictures(verb: String) throws {
        try folder.write("notes.txt", Array("hello".utf8))
        try refuses([verb, folder.path] + (verb == "fuse" ? ["-o", out] : []), "DIR: no picture in this folder")
    }

    @Test(arguments: ["fuse", "plan", "inspect"])
    func aFileThatIsMissing(verb: String) throws {
        let words = [verb, folder.file("none.png")] + (verb == "fuse" ? ["-o", out] : [])
        try refuses(words, "DIR/none.png: No such file or directory")
    }

    @Test func aFileThatIsNoPicture() throws {
        let text = try folder.write("a.png", Array("This is no picture at all.".utf8))
        try refuses(["fuse", text, "-o", out], "DIR/a.png: is not a picture of a known kind")
    }

    @Test func anEmptyFile() throws {
        let empty = try folder.write("a.png", [])
        try refuses(["fuse", empty, "-o", out], "DIR/a.png: is empty")
    }

    @Test(arguments: [
        ("GIF89a..........", "GIF"), ("RIFF....WEBPVP8 ", "WebP"), ("\0\0\0\u{18}ftypheic........", "HEIC"),
        ("\0\0\0\u{18}ftypavif........", "AVIF"), ("\0\0\0\u{C}JXL ............", "JPEG XL"),
        ("II*\0\u{8}\0\0\0\0\0......", "TIFF"),
    ])
    func aKindThatIsNotReadIsNamed(start: String, kind: String) throws {
        let file = try folder.write("a.jpg", Array(start.utf8))
        let run = CommandRun("fuse", file, "-o", out)
        #expect(run.status == 1 && run.errorLines.count == 1)
        #expect(run.error.hasPrefix("nightfuse: \(file): ") && run.error.contains(kind), "\(run.error)")
    }

    @Test func aTruncatedPicture() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: folder.png("whole.png")))
        let cut = try folder.write("cut.png", Array(whole.prefix(whole.count / 2)))
        try refuses(["fuse", cut, "-o", out], "DIR/cut.png: ")
    }

    @Test func allFramesUnreadable() throws {
        let a = try folder.write("a.png", Array("nothing".utf8))
        let b = try folder.write("b.png", Array("nothing".utf8))
        try refuses(["fuse", a, b, "-o", out], "no frame could be read", lines: 3)
        try refuses(["inspect", a, b], "no frame could be read", lines: 3)
        try refuses(["fuse", a, b, "-o", out, "--strict"], "DIR/a.png: is not a picture")
    }

    @Test func aPictureThatClaimsAbsurdSizeCostsNothing() throws {
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.png("a.png"))))
        for at in [16, 20] { bytes.replaceSubrange(at..<(at + 4), with: [0x00, 0x0F, 0xFF, 0xFF]) }
        let file = try folder.write("a.png", bytes)
        let clock = ContinuousClock()
        let time = try clock.measure { try refuses(["fuse", file, "-o", out], "DIR/a.png: ") }
        #expect(time < .seconds(1))
    }

    @Test func moreMemoryThanAllowed() throws {
        let file = try folder.png("a.png", width: 1200, height: 1200)
        try refuses(["fuse", file, "-o", out, "--max-memory", "1M"], "DIR/a.png: ")
        try refuses(["compare", file, file, "--max-memory", "1M"], "DIR/a.png: ")
    }

    @Test func outputInAMissingFolder() throws {
        let file = try folder.png("a.png")
        try refuses(
            ["fuse", file, "-o", folder.file("none/out.png")], "DIR/none/out.png: there is no folder DIR/none")
    }

    @Test func outputIsAFolder() throws {
        let file = try folder.png("a.png")
        try FileManager.default.createDirectory(
            atPath: folder.file("b.png"), withIntermediateDirectories: false)
        try refuses(["fuse", file, "-o", folder.file("b.png")], "DIR/b.png: is a folder")
    }

    @Test(.enabled(if: getuid() != 0, "root may write everywhere"))
    func outputWithoutPermission() throws {
        let file = try folder.png("a.png")
        try FileManager.default.createDirectory(
            atPath: folder.file("locked"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o555])
        try refuses(["fuse", file, "-o", folder.file("locked/out.png")], "DIR/locked/out.png: Permission denied")
    }

    @Test func outputThatExists() throws {
        let file = try folder.png("a.png")
        try folder.write("out.png", [1, 2, 3])
        try refuses(["fuse", file, "-o", out], "DIR/out.png: exists already")
        #expect(try Data(contentsOf: URL(fileURLWithPath: out)) == Data([1, 2, 3]))
    }

    @Test func outputThatIsAFrame() throws {
        let file = try folder.png("a.png")
        let before = try Data(contentsOf: URL(fileURLWithPath: file))
        for words in [["fuse", file, "-o", file, "--force"], ["fuse", folder.path, "-o", folder.path + "/./a.png"]] {
            try refuses(words, status: 2, "DIR/\(words[3].hasSuffix("./a.png") ? "./" : "")a.png: is one of the frames")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    }

    @Test func outputThatLinksToAFrame() throws {
        let file = try folder.png("a.png")
        try FileManager.default.createSymbolicLink(atPath: out, withDestinationPath: file)
        try refuses(["fuse", file, "-o", out, "--force"], status: 2, "DIR/out.png: is one of the frames (DIR/a.png)")
    }

    @Test(arguments: [
        ("out.tif", ".tif is not written"), ("out", "has no ending"), ("out.HEIC", ".heic is not written"),
    ])
    func anUnknownEnding(name: String, message: String) throws {
        let file = try folder.png("a.png")
        try refuses(["fuse", file, "-o", folder.file(name)], status: 2, "DIR/\(name): \(message)")
    }

    @Test func aReferenceThatIsNotThere() throws {
        let file = try folder.png("a.png")
        try refuses(
            ["fuse", file, file, "-o", out, "--reference", "2"], status: 2,
            "--reference 2: the frames are numbered from 0 to 1")
    }

    @Test func aReferenceThatCannotBeRead() throws {
        let good = try folder.png("a.png")
        let bad = try folder.write("b.png", Array("nothing".utf8))
        let run = CommandRun("fuse", good, bad, "-o", out, "--reference", "1", "--quiet")
        #expect(run.status == 1)
        #expect(run.error.hasPrefix("nightfuse: \(bad): is to be the reference, but cannot be read: "), "\(run.error)")
    }

    @Test func aDNGOfPictures() throws {
        let file = try folder.png("a.png")
        try refuses(["fuse", file, "-o", folder.file("out.dng")], "DIR/out.dng: a DNG needs raw frames, and DIR/a.png")
    }

    @Test func framesOfTwoSizesNameTheOddOne() throws {
        let files = try [("a", 64), ("b", 80), ("c", 64)].map { try folder.png($0.0 + ".png", width: $0.1) }
        try refuses(
            ["fuse"] + files + ["-o", out],
            "DIR/b.png: is 80 x 48, the other frames are 64 x 48; a burst needs one size")
    }

    @Test func comparedPicturesNeedOneSize() throws {
        let (a, b) = (try folder.png("a.png"), try folder.png("b.png", width: 32))
        try refuses(["compare", a, b], "DIR/a.png is 64 x 48, DIR/b.png is 32 x 48")
    }

    @Test func mapsThatExist() throws {
        let file = try folder.png("a.png")
        try folder.write("frames.png", [1])
        try refuses(["fuse", file, "-o", out, "--maps", folder.path], "DIR/frames.png: exists already")
    }

    @Test func mapsWhereAFileIs() throws {
        let file = try folder.png("a.png")
        try refuses(["fuse", file, "-o", out, "--maps", file], "DIR/a.png: is not a folder")
        try refuses(["fuse", file, "-o", out, "--maps", folder.file("x/y")], "DIR/x/y: cannot be made")
    }

    // MARK: plan

    @Test func previewsWithoutEXIFAndFlags() throws {
        let files = try [1, 2].map { try folder.png("\($0).png", seed: $0) }
        try refuses(
            ["plan"] + files,
            "DIR/1.png: its EXIF has no exposure time (--exposure S), no ISO (--iso N), no time with parts of a second "
                + "(--fps F); give the flag")
        try refuses(
            ["plan"] + files + ["--exposure", "1/30", "--iso", "800"],
            "DIR/1.png: its EXIF has no time with parts of a second (--fps F); give the flag")
    }

    @Test func previewsOfTwoSizes() throws {
        let files = [try folder.png("a.png"), try folder.png("b.png", width: 80)]
        try refuses(["plan"] + files + ["--exposure", "1/30", "--iso", "800", "--fps", "30"], "DIR/b.png: ")
    }

    @Test func aDeviceFileThatIsNoJSON() throws {
        let file = try folder.png("a.png")
        let device = try folder.write("phone.json", Array("{ iso: 1 }".utf8))
        try refuses(
            ["plan", file, "--device", device], "DIR/phone.json: line 1 is not JSON: a key in quotes was expected")
        try refuses(["plan", file, "--device", folder.file("none.json")], "DIR/none.json: No such file")
    }
}
