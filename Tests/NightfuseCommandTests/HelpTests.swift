import Foundation
import NightfuseCommand
import Testing

/// What the command prints about itself, against files in Goldens. After a wanted change: run the tests with
/// NIGHTFUSE_WRITE_GOLDENS=FOLDER and look at the difference.
@Suite("Help")
struct HelpTests {
    private func expectGolden(_ text: String, _ name: String) throws {
        if let folder = ProcessInfo.processInfo.environment["NIGHTFUSE_WRITE_GOLDENS"] {
            try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
            return
        }
        let file = try #require(Bundle.module.url(forResource: name, withExtension: nil, subdirectory: "Goldens"))
        let golden = try String(contentsOf: file, encoding: .utf8)
        #expect(text == golden, "help differs from Goldens/\(name)")
    }

    @Test(arguments: Verb.table.map(\.name))
    func helpOfAVerbIsAsInItsGolden(name: VerbName) throws {
        let run = CommandRun("help", name.rawValue)
        #expect(run.status == 0 && run.error.isEmpty)
        try expectGolden(run.output, "help-\(name).txt")
        #expect(CommandRun(name.rawValue, "--help").output == run.output)
        #expect(CommandRun(name.rawValue, "-h").output == run.output)
    }

    @Test func overviewIsAsInItsGolden() throws {
        let run = CommandRun("help")
        #expect(run.status == 0 && run.error.isEmpty)
        try expectGolden(run.output, "help.txt")
        #expect(CommandRun("--help").output == run.output)
    }

    @Test func manualPageIsAsInItsGolden() throws { try expectGolden(CommandRun("manual").output, "nightfuse.1") }

    @Test func completionIsAsInItsGolden() throws {
        try expectGolden(CommandRun("completion").output, "nightfuse.bash")
    }

    @Test func helpFitsEightyColumns() {
        for name in [nil] + Verb.table.map({ Optional($0.name.rawValue) }) {
            let words = ["help"] + [name].compactMap(\.self)
            let text = CommandRun(words: words.map { Array($0.utf8) }).output
            for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        }
    }

    @Test func examplesStandBeforeFlags() throws {
        let text = CommandRun("help", "fuse").output
        let examples = try #require(text.range(of: "EXAMPLES"))
        let flags = try #require(text.range(of: "FLAGS\n"))
        #expect(examples.lowerBound < flags.lowerBound)
    }

    /// Each example is a command line that parses.
    @Test func examplesParse() throws {
        for verb in Verb.table {
            for example in verb.examples {
                let words = example.command.split(separator: " ").dropFirst(2).map { Array($0.utf8) }
                #expect(throws: Never.self, "\(example.command)") { try Arguments(verb, Array(words)) }
            }
        }
    }

    @Test func everyFlagIsExplained() {
        for flag in Flag.table {
            #expect(flag.name.hasPrefix("--") && !flag.summary.isEmpty && flag.paragraph.hasSuffix("."), "\(flag.name)")
            #expect(flag.takesValue == !flag.valueSyntax.isEmpty, "\(flag.name)")
        }
        #expect(Set(Flag.table.map(\.name)).count == Flag.table.count)
    }

    @Test func versionIsPrinted() {
        let run = CommandRun("--version")
        #expect(run.status == 0)
        #expect(run.output == "nightfuse \(nightfuseVersion)\n")
    }

    @Test func aReaderThatHasGoneIsNoError() {
        let run = CommandRun(words: [Array("help".utf8)], outputError: EPIPE)
        #expect(run.status == 0 && run.error.isEmpty)
    }

    @Test func aFullDiskUnderStandardOutputIsAnError() {
        let run = CommandRun(words: [Array("help".utf8)], outputError: ENOSPC)
        #expect(run.status == 1)
        #expect(run.error == "nightfuse: standard output: cannot be written: No space left on device\n")
    }
}
