internal import NightfuseCodecs
internal import NightfuseCore

/// What every verb that works on pictures has at hand.
struct VerbRun: Sendable {
    let arguments: Arguments
    let console: Console
    let json: Bool
    let quiet: Bool
    let strict: Bool
    let force: Bool
    let workers: Workers
    let limits: Limits

    init(_ arguments: Arguments, _ console: Console) {
        self.arguments = arguments
        self.console = console
        json = arguments.has("--json")
        quiet = arguments.has("--quiet")
        strict = arguments.has("--strict")
        force = arguments.has("--force")
        workers = Workers(threads: arguments.integer("--threads") ?? Machine.cores)
        var limits = Limits()
        limits.memoryBytes = arguments.integer("--max-memory") ?? Machine.memoryBytes / 2
        self.limits = limits
    }

    /// A warning: something was left out or assumed, and the work goes on.
    func warn(_ line: String) { if !quiet { console.say(line) } }

    /// The result: one JSON document, or text that --quiet takes away.
    func report(_ document: @autoclosure () -> JSONValue, text: @autoclosure () -> String) throws(NightfuseError) {
        if json {
            try console.print(document().document)
        } else if !quiet {
            try console.print(text())
        }
    }
}

extension NightfuseError {
    /// What is wrong, without the file's name before it.
    var reasonOnly: String {
        switch self {
        case .file(_, let reason), .unsupported(_, let reason), .system(_, let reason): reason
        case .argument, .limit, .cancelled: description
        }
    }
}
