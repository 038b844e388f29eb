import NightfuseCodecs
import NightfuseCommand
import Testing

@Suite("Reading the command line")
struct ArgumentsTests {
    private func parse(_ verb: VerbName, _ words: String...) throws -> Arguments {
        try Arguments(#require(Verb.table.first { $0.name == verb }), words.map { Array($0.utf8) })
    }

    @Test func aFlagTakesItsValueAfterASpaceOrAnEqualsSign() throws {
        let spaced = try parse(.fuse, "a.png", "-o", "b.png", "--strength", "0.5")
        let joined = try parse(.fuse, "a.png", "--output=b.png", "--strength=0.5")
        #expect(spaced.values == joined.values)
        #expect(spaced.number("--strength") == 0.5)
        #expect(spaced.operands == [FilePath("a.png")])
    }

    @Test func numbersMayBeNegative() throws {
        #expect(try parse(.fuse, "a", "--brightness", "-1.5").number("--brightness") == -1.5)
        #expect(try parse(.fuse, "a", "--brightness=-2").number("--brightness") == -2)
    }

    @Test func twoDashesEndTheFlags() throws {
        let arguments = try parse(.fuse, "-o", "b.png", "--", "--look", "-x.png")
        #expect(arguments.operands == [FilePath("--look"), FilePath("-x.png")])
        #expect(!arguments.has("--look"))
    }

    @Test func theLastOfTwoCounts() throws {
        #expect(try parse(.fuse, "a", "--look", "none", "--look", "natural").text("--look") == "natural")
    }

    @Test func namesThatAreNoUTF8AreKept() throws {
        let verb = try #require(Verb.table.first { $0.name == .fuse })
        let name: [UInt8] = [0x61, 0xFF, 0x2E, 0x70, 0x6E, 0x67]
        let arguments = try Arguments(verb, [name, Array("-o".utf8), name])
        #expect(arguments.operands == [FilePath(bytes: name)])
        #expect(arguments.path("--output") == FilePath(bytes: name))
    }

    @Test(arguments: [
        ("512M", 512 << 20), ("2G", 2 << 30), ("1.5g", 3 << 29), ("1048576", 1 << 20), ("64MiB", 64 << 20),
        ("4096KB", 4 << 20),
    ])
    func sizesTakeBinaryLetters(text: String, bytes: Int) throws {
        #expect(try parse(.fuse, "a", "--max-memory", text).integer("--max-memory") == bytes)
    }

    @Test func exposuresMayBeFractions() throws {
        #expect(try parse(.plan, "a", "--exposure", "1/30").number("--exposure") == 1.0 / 30)
    }

    @Test func referenceIsAutoOrANumber() throws {
        #expect(try parse(.fuse, "a", "--reference", "auto").text("--reference") == "auto")
        #expect(try parse(.fuse, "a", "--reference", "3").integer("--reference") == 3)
    }

    @Test(arguments: [
        (["--brightness", "9"], "--brightness '9': must be a number from -8 to 8 (EV)"),
        (["--brightness", "nan"], "--brightness 'nan': must be a number from -8 to 8 (EV)"),
        (["--brightness", "0x1"], "--brightness '0x1': must be a number from -8 to 8 (EV)"),
        (["--strength", "2.1"], "--strength '2.1': must be a number from 0 to 2"),
        (["--strength", "-0.1"], "--strength '-0.1': must be a number from 0 to 2"),
        (["--strength", "1/0"], "--strength '1/0': must be a number from 0 to 2"),
        (["--quality", "0"], "--quality '0': must be a whole number from 1 to 100"),
        (["--quality", "101"], "--quality '101': must be a whole number from 1 to 100"),
        (["--quality", "9.5"], "--quality '9.5': must be a whole number from 1 to 100"),
        (["--bits", "12"], "--bits '12': must be one of 8, 16"),
        (["--look", "nigth"], "--look 'nigth': must be one of night, natural, none; did you mean night?"),
        (["--reference", "-1"], "--reference '-1': must be auto or a whole number from 0"),
        (["--reference", "99999999999999999999"], "must be auto or a whole number from 0"),
        (["--threads", "0"], "--threads '0': must be a whole number from 1 to 1024"),
        (["--max-memory", "12Q"], "--max-memory '12Q': must be a size such as 512M or 2G, at least 1M"),
        (["--max-memory", "1"], "--max-memory '1': must be a size such as 512M or 2G, at least 1M"),
        (["--max-memory", "1e300"], "--max-memory '1e300': must be a size"),
        (["--output"], "--output needs a value: --output OUT"),
        (["-o", "--look"], "-o needs a value: -o OUT"),
        (["--output="], "--output needs a value: --output OUT"),
        (["--force=yes"], "--force takes no value"),
        (["--stregth", "1"], "fuse has no flag --stregth; did you mean --strength?"),
        (["--bright", "1"], "fuse has no flag --bright; did you mean --brightness?"),
        (["--device", "a"], "fuse has no flag --device (plan has); see nightfuse help fuse"),
        (["--wibble"], "fuse has no flag --wibble; see nightfuse help fuse"),
        (["-x"], "fuse has no flag -x; see nightfuse help fuse"),
    ])
    func aWrongFlagIsOneLineAndStatusTwo(words: [String], message: String) {
        let run = CommandRun(words: (["fuse", "a.png"] + words).map { Array($0.utf8) })
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errorLines.count == 1)
        #expect(run.error.hasPrefix("nightfuse: ") && run.error.contains(message), "\(run.error)")
    }

    @Test(arguments: [
        ([], "a verb is missing: fuse, plan"),
        (["fues"], "no verb 'fues'; did you mean fuse?"),
        (["wobble"], "no verb 'wobble'; there are fuse"),
        (["--look", "none"], "the verb comes first, then '--look'"),
        (["fuse"], "fuse needs FRAME|FOLDER... -o OUT"),
        (["fuse", "", "-o", "b.png"], "a file's name is empty"),
        (["plan"], "plan needs PREVIEW|FOLDER..."),
        (["compare", "a"], "compare needs more: PICTURE TRUTH"),
        (["compare", "a", "b", "c"], "compare takes no 'c'"),
        (["doctor", "a"], "doctor takes no 'a'"),
        (["help", "fuze"], "no verb 'fuze'; did you mean fuse?"),
        (["--version", "x"], "--version stands alone"),
        (["a\nb"], "no verb 'a\\nb'"),
    ])
    func aWrongVerbIsOneLineAndStatusTwo(words: [String], message: String) {
        let run = CommandRun(words: words.map { Array($0.utf8) })
        #expect(run.status == 2)
        #expect(run.output.isEmpty)
        #expect(run.errorLines.count == 1)
        #expect(run.error.contains(message), "\(run.error)")
    }
}
