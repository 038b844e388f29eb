internal import Nightfuse
internal import NightfuseCore

/// The command: parses its words, calls the library, reports. Gives the exit status: 0 done, 1 it could not be done,
/// 2 the command line is wrong, 130 interrupted.
///
/// - Parameter words: the command line after the program's name, as bytes, since names of files need not be UTF-8.
public func runCommand(_ words: [[UInt8]], console: Console = .standard) -> Int32 {
    Machine.returnsLargeBlocks()
    do {
        guard SystemMemory.canGive(leastMemory) else {
            throw NightfuseError.limit("the system gives less than \(leastMemory >> 20) MiB of memory (see ulimit -v)")
        }
        try dispatch(words, console)
        return 0
    } catch let error as UsageError {
        console.say(error.message)
        return 2
    } catch NightfuseError.cancelled {
        console.say("interrupted")
        return Interrupts.status
    } catch {
        console.say("\(error)")
        return 1
    }
}

/// Bytes that have to be had for a start: words, headers and tables. Where arrays of that size are refused, Swift's runtime
/// ends the program without a word.
private let leastMemory = 8 << 20

private func dispatch(_ words: [[UInt8]], _ console: Console) throws {
    guard let first = words.first.map({ String(decoding: $0, as: UTF8.self) }) else {
        throw UsageError("a verb is missing: \(shownNames); see nightfuse help")
    }
    switch first {
    case "--help", "-h":
        guard words.count == 1 else { return try dispatch([Array("help".utf8)] + words.dropFirst(), console) }
        return try console.print(HelpText.overview)
    case "--version":
        guard words.count == 1 else { throw UsageError("--version stands alone") }
        return try console.print("nightfuse \(nightfuseVersion)\n")
    default: break
    }
    guard let name = VerbName(rawValue: first), let verb = Verb.named(name) else { throw unknownVerb(first) }
    let arguments = try Arguments(verb, Array(words.dropFirst()))
    guard !arguments.has("--help") else { return try console.print(HelpText.of(verb)) }
    if let problem = KernelLevel.problem { throw UsageError(problem) }
    try run(name, arguments, console)
}

private func run(_ name: VerbName, _ arguments: Arguments, _ console: Console) throws {
    switch name {
    case .help: try help(arguments, console)
    case .manual: try console.print(ManualPage.text(version: nightfuseVersion))
    case .completion: try console.print(BashCompletion.script)
    case .fuse: try fuseVerb(VerbRun(arguments, console))
    case .plan: try planVerb(VerbRun(arguments, console))
    case .inspect: try inspectVerb(VerbRun(arguments, console))
    case .compare: try compareVerb(VerbRun(arguments, console))
    case .doctor: try doctorVerb(console)
    case .brighten: try brightenVerb(VerbRun(arguments, console))
    }
}

private func help(_ arguments: Arguments, _ console: Console) throws {
    guard let word = arguments.operands.first.map({ "\($0)" }) else { return try console.print(HelpText.overview) }
    guard let name = VerbName(rawValue: word), let verb = Verb.named(name) else { throw unknownVerb(word) }
    try console.print(HelpText.of(verb))
}

private var shownNames: String { HelpText.shownVerbs.map(\.name.rawValue).joined(separator: ", ") }

private func unknownVerb(_ word: String) -> UsageError {
    if word.hasPrefix("-") {
        if let near = nearest(to: word, among: ["--help", "--version"]) {
            return UsageError("no flag \(quoted(word)); did you mean \(near)?")
        }
        return UsageError("the verb comes first, then \(quoted(word)); see nightfuse help")
    }
    if let near = nearest(to: word, among: HelpText.shownVerbs.map(\.name.rawValue)) {
        return UsageError("no verb \(quoted(word)); did you mean \(near)?")
    }
    return UsageError("no verb \(quoted(word)); there are \(shownNames)")
}
