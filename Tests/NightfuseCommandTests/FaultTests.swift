import Foundation
import Nightfuse
import NightfuseCodecs
import NightfuseCommand
import NightfuseTestSupport
import Testing

/// What the system may do to a run: whatever it is, frames stay as they are, and OUT is whole or as it was.
@Suite("Faults of the system", .enabled(if: CommandProcess.isBuilt))
struct FaultTests {
    private let folder: BurstFolder
    private let frames: String
    private let out: String

    init() throws {
        folder = try BurstFolder()
        frames = folder.file("frames")
        out = folder.file("out.png")
        try FileManager.default.createDirectory(atPath: frames, withIntermediateDirectories: false)
        for index in 0..<3 {
            try folder.png("frames/\(index).png", width: 240, height: 180, seed: UInt64(index), shift: index)
        }
    }

    private func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

    private var hidden: [String] { get throws { try folder.names.filter { $0.hasPrefix(".") } } }

    private func isPicture(_ path: String) -> Bool {
        guard let bytes = bytes(path) else { return false }
        do {
            _ = try decodePicture(Array(bytes), name: path, limits: Limits())
            return true
        } catch { return false }
    }

    /// A sanitiser reserves so much that no limit on address space can be set.
    private var mayLimitAddressSpace: Bool {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmPeak:") }),
            let kibibytes = Int(line.filter(\.isNumber))
        else { return false }
        return kibibytes < 1 << 30
    }

    /// Threads, buffers and planes are refused at one time or another: none of that may hang or end the process.
    @Test(arguments: [36, 40, 44, 48, 64, 80, 96, 112, 128, 192])
    func littleAddressSpaceIsAnErrorOrEnough(mebibytes: Int) throws {
        guard mayLimitAddressSpace else { return }
        let shell = """
            ulimit -v \(mebibytes * 1024) && timeout 60 "$nightfuse" fuse '\(frames)' -o '\(out)' --max-memory 4G
            """
        let end = try CommandProcess(shell: shell).finish()
        #expect(end.status == 0 || end.status == 1, "\(end.status): \(end.error)")
        #expect(end.status == 0 ? isPicture(out) : bytes(out) == nil)
        #expect(end.error.split(separator: "\n").allSatisfy { $0.hasPrefix("nightfuse: ") }, "\(end.error)")
        #expect(try hidden.isEmpty)
    }

    @Test func aFileThatMayGrowNoFurtherIsAnError() throws {
        try folder.write("out.png", [1, 2, 3])
        let end = try CommandProcess(
            shell: "ulimit -f 8 && \"$nightfuse\" fuse '\(frames)' -o '\(out)' --force"
        ).finish()
        #expect(end.status == 1)
        #expect(end.error == "nightfuse: \(out): File too large\n")
        #expect(bytes(out) == Data([1, 2, 3]))
        #expect(try hidden.isEmpty)
    }

    @Test func killedAtAnyMomentNothingIsLost() throws {
        let before = try (0..<3).map { try #require(bytes("\(frames)/\($0).png")) }
        try folder.write("out.png", [1, 2, 3])
        var random = SeededRandom(seed: 300)
        for _ in 0..<12 {
            let run = try CommandProcess(["fuse", frames, "-o", out, "--force", "--quiet"])
            usleep(UInt32.random(in: 0..<400_000, using: &random))
            kill(run.process.processIdentifier, SIGKILL)
            _ = run.finish()
            #expect(bytes(out) == Data([1, 2, 3]) || isPicture(out))
            #expect(try hidden.count <= 1)
            for name in try hidden { try FileManager.default.removeItem(atPath: folder.file(name)) }
        }
        for index in 0..<3 { #expect(bytes("\(frames)/\(index).png") == before[index]) }
    }

    @Test(arguments: ["env -i", "env -i LC_ALL=tr_TR.UTF-8 LANG=de_DE", "env -i TMPDIR=/nowhere HOME=/nowhere"])
    func theEnvironmentDoesNotMatter(environment: String) throws {
        let shell = "\(environment) \"$nightfuse\" fuse '\(frames)' -o '\(out)' --json"
        let end = try CommandProcess(shell: shell).finish()
        #expect(end.status == 0 && end.error.isEmpty, "\(end.error)")
        #expect(throws: Never.self) { try JSONParser.parse(Array(end.output.utf8)) }
    }

    @Test(arguments: ["/dev/zero", "/dev/full", "/dev/stdin", "fifo", "loop", "/proc/self/mem"])
    func whatIsNoRegularFileIsLeftOutAtOnce(name: String) throws {
        let shell = """
            cd '\(folder.path)' && mkfifo fifo && ln -s loop loop &&
            timeout 20 "$nightfuse" fuse \(name) frames/0.png -o out.png </dev/null
            """
        let end = try CommandProcess(shell: shell).finish()
        #expect(end.status == 0, "\(end.error)")
        #expect(end.error.hasPrefix("nightfuse: \(name): ") && end.error.hasSuffix("left out\n"), "\(end.error)")
    }

    @Test func framesThatVanishAndShrinkAreLeftOut() throws {
        for index in 3..<8 { try folder.png("frames/\(index).png", width: 240, height: 180, seed: UInt64(index)) }
        let shell = """
            (sleep 0.1; rm '\(frames)/7.png'; : > '\(frames)/6.png') &
            "$nightfuse" fuse '\(frames)' -o '\(out)'; status=$?; wait; exit $status
            """
        let end = try CommandProcess(shell: shell).finish()
        #expect(end.status == 0, "\(end.error)")
        #expect(isPicture(out))
    }

    /// The prediction is never short of what is used, and no more than a few times it.
    @Test(arguments: [(1600, 1000), (900, 1400)])
    func memoryStaysWithinWhatWasPredicted(width: Int, height: Int) throws {
        for index in 0..<3 {
            try folder.png("frames/\(index).png", width: width, height: height, seed: UInt64(index), shift: index)
        }
        let end = try CommandProcess(["fuse", frames, "-o", out, "--json"]).finish()
        try #require(end.status == 0, "\(end.error)")
        let used = try #require(try JSONParser.parse(Array(end.output.utf8))["peak_memory_bytes"]?.double)
        let predicted = Double(MemoryEstimate.fusion(width: width, height: height))
        if mayLimitAddressSpace { #expect(used <= predicted, "\(used) of \(predicted)") }
        #expect(used > predicted / 4, "\(used) of \(predicted)")
    }

    /// The least memory that the command itself says would do is kept to, and the picture is the same.
    @Test(arguments: ["auto", "0", "2"], [[], ["--maps"], ["--quality-mode", "best"]])
    func littleMemoryMakesTheSamePicture(reference: String, more: [String]) throws {
        for index in 0..<5 {
            try folder.png("frames/\(index).png", width: 1700, height: 1100, seed: UInt64(index), shift: index)
        }
        let maps = more == ["--maps"] ? [folder.file("maps")] : []
        let words = ["fuse", frames, "--reference", reference, "--json", "--force", "-o", out] + more + maps
        let free = try CommandProcess(words).finish()
        try #require(free.status == 0, "\(free.error)")
        let picture = bytes(out)
        let refused = try CommandProcess(words + ["--max-memory", "40M"]).finish()
        #expect(refused.status == 1)
        let least = try #require(refused.error.firstMatch(of: /--max-memory (\d+)M would do/).flatMap { Int($0.1) })
        let end = try CommandProcess(words + ["--max-memory", "\(least)M"]).finish()
        try #require(end.status == 0, "\(end.error)")
        #expect(bytes(out) == picture)
        let used = try #require(try JSONParser.parse(Array(end.output.utf8))["peak_memory_bytes"]?.double)
        if mayLimitAddressSpace { #expect(used <= Double(least << 20), "\(used) of \(least << 20)") }
        #expect(used > Double(least << 20) / 3, "\(used) of \(least << 20)")
    }

    /// Less than decoding ahead wants, and more than planes in files do with.
    @Test(arguments: ["auto", "2"])
    func framesReadTwiceMakeTheSamePicture(reference: String) throws {
        for index in 0..<5 {
            try folder.png("frames/\(index).png", width: 1700, height: 1100, seed: UInt64(index), shift: index)
        }
        let words = ["fuse", frames, "--reference", reference, "--json", "--force", "--threads", "2", "-o", out]
        let free = try CommandProcess(words).finish()
        try #require(free.status == 0, "\(free.error)")
        let picture = bytes(out)
        let whole = MemoryEstimate.Burst(width: 1700, height: 1100, bits: 8, ahead: 1, isLean: false, threads: 2).bytes
        let end = try CommandProcess(words + ["--max-memory", "\(whole >> 20)M"]).finish()
        try #require(end.status == 0, "\(end.error)")
        #expect(bytes(out) == picture)
        let used = try #require(try JSONParser.parse(Array(end.output.utf8))["peak_memory_bytes"]?.double)
        if mayLimitAddressSpace { #expect(used <= Double(whole), "\(used) of \(whole)") }
    }

    /// Where no file may grow, planes cannot live in files, which is known before the work.
    @Test func withoutRoomForFilesTooLittleMemoryIsRefused() throws {
        for index in 0..<3 {
            try folder.png("frames/\(index).png", width: 1700, height: 1100, seed: UInt64(index), shift: index)
        }
        let words = "\"$nightfuse\" fuse '\(frames)' -o '\(out)' --threads 2 --max-memory 100M"
        let end = try CommandProcess(shell: "ulimit -f 1000 && \(words)").finish()
        #expect(end.status == 1)
        #expect(end.error.contains("and 100 MiB are allowed; --max-memory "), "\(end.error)")
        #expect(bytes(out) == nil)
        #expect(try hidden.isEmpty)
    }

    @Test func comparingAndPlanningKeepToTheMemoryAllowed() throws {
        let large = try folder.png("large.png", width: 1200, height: 1000)
        let compared = CommandRun("compare", large, large, "--max-memory", "20M")
        #expect(compared.status == 1)
        #expect(
            compared.error
                == "nightfuse: \(large): 1200 x 1000 needs 45 MiB, and 20 MiB are allowed; --max-memory 46M would do\n")
        let planned = CommandRun("plan", large, "--exposure", "0.1", "--iso", "100", "--max-memory", "8M")
        #expect(planned.status == 1)
        #expect(planned.error.contains("needs 13 MiB, and 8 MiB are allowed; --max-memory 14M would do"))
    }
}
