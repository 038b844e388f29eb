import Foundation
import NightfuseCommand
import Testing

/// What only a process shows: signals, closed pipes, names that are no text.
@Suite("As a process", .enabled(if: CommandProcess.isBuilt, "the product nightfuse is not built"), .serialized)
struct ProcessTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    /// Enough work that a signal finds it under way.
    private func makeFrames(_ count: Int) throws {
        for index in 0..<count {
            try folder.png("\(index).png", width: 900, height: 700, seed: UInt64(index), shift: index)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalEndsItAtOnceAndLeavesNothing(signal: Int32) throws {
        try makeFrames(12)
        try folder.write("out.png", [1, 2, 3])
        let before = try folder.names
        let frames = (0..<12).map { folder.file("\($0).png") }
        let run = try CommandProcess(["fuse"] + frames + ["-o", folder.file("out.png"), "--force"])
        Thread.sleep(forTimeInterval: 0.3)
        let clock = ContinuousClock()
        let sent = clock.now
        kill(run.process.processIdentifier, signal)
        let end = run.finish()
        #expect(end.status == 130)
        #expect(clock.now - sent < .seconds(2))
        #expect(try folder.names == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("out.png"))) == Data([1, 2, 3]))
    }

    @Test func anIgnoredHangUpStaysIgnored() throws {
        try makeFrames(6)
        let run = try CommandProcess(
            shell: "trap '' HUP; exec \"$nightfuse\" fuse '\(folder.path)' -o '\(folder.file("out.jpg"))'")
        Thread.sleep(forTimeInterval: 0.2)
        kill(run.process.processIdentifier, SIGHUP)
        let end = run.finish()
        #expect(end.status == 0, "\(end.error)")
        #expect(try folder.names.contains("out.jpg"))
    }

    @Test func aReaderThatHasGoneIsNoError() throws {
        // Long enough that the reader is gone before the first word.
        let end = try CommandProcess(shell: "(sleep 0.2; \"$nightfuse\" manual; echo $? >&2) | true").finish()
        #expect(end.error == "0\n")
    }

    @Test func aClosedStandardOutputIsAnErrorAndSpoilsNoFile() throws {
        let file = try folder.png("a.png")
        let out = folder.file("out.png")
        let end = try CommandProcess(shell: "\"$nightfuse\" fuse '\(file)' -o '\(out)' --json >&-").finish()
        #expect(end.status == 1)
        #expect(end.error == "nightfuse: standard output: cannot be written: Bad file descriptor\n")
        let compared = CommandRun("compare", out, out)
        #expect(compared.status == 0, "\(compared.error)")
    }

    @Test func aFullDeviceUnderStandardOutputIsAnError() throws {
        let end = try CommandProcess(shell: "\"$nightfuse\" help > /dev/full").finish()
        #expect(end.status == 1)
        #expect(end.error.hasPrefix("nightfuse: standard output: cannot be written: "))
    }

    @Test func namesThatAreNoTextWork() throws {
        try folder.png("a.png")
        let end = try CommandProcess(
            shell: """
                cd '\(folder.path)' && n=$(printf 'b\\377\\nc.png') && cp a.png "$n" && mkdir -- -d && cp a.png -- -d/ &&
                "$nightfuse" compare "$n" a.png --json && "$nightfuse" compare --json -- -d/a.png a.png &&
                "$nightfuse" fuse nothing.png "$n.png" -o out.png
                """
        ).finish()
        #expect(end.status == 1)
        #expect(end.output.components(separatedBy: "\"psnr\": 120.0").count == 3, "\(end.output)\(end.error)")
        #expect(end.error.contains("nightfuse: b\\xff\\x0ac.png.png: No such file"), "\(end.error)")
    }

    @Test func progressStaysOutOfPipes() throws {
        for index in 0..<3 { try folder.png("\(index).png", width: 300, height: 200, seed: UInt64(index)) }
        let end = try CommandProcess(["fuse", folder.path, "-o", folder.file("out.jpg"), "--json"]).finish()
        #expect(end.status == 0)
        #expect(end.error.isEmpty)
        #expect(end.output.hasPrefix("{\n") && end.output.hasSuffix("}\n"))
        #expect(!end.output.contains("\r"))
    }

    @Test func bashTakesTheCompletion() throws {
        let shell = """
            command -v bash >/dev/null || exit 77
            bash -c 'eval "$("$nightfuse" completion)"
            try() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _nightfuse; echo "${COMPREPLY[*]}"; }
            try nightfuse f; try nightfuse fuse --lo; try nightfuse fuse --look n; try nightfuse help pl; try nightfuse plan --st'
            """
        let end = try CommandProcess(shell: shell).finish()
        if end.status == 77 { return }
        #expect(end.output == "fuse\n--look\nnight natural none\nplan\n--steady --strict\n", "\(end.error)")
    }

    @Test func manTakesTheManual() throws {
        let end = try CommandProcess(
            shell: "command -v groff >/dev/null || exit 77; \"$nightfuse\" manual | groff -man -Tutf8 -ww >/dev/null"
        ).finish()
        if end.status == 77 { return }
        #expect(end.status == 0)
        #expect(end.error.isEmpty)
    }
}
