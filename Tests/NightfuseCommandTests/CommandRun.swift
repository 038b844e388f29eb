import NightfuseCommand
import Synchronization

/// The command, run in this process: what it printed and its exit status.
struct CommandRun {
    let status: Int32
    let output: String
    let error: String

    /// Lines of standard error.
    var errorLines: [Substring] { error.split(separator: "\n") }

    init(_ words: String..., columns: Int? = nil) { self.init(words: words.map { Array($0.utf8) }, columns: columns) }

    init(words: [[UInt8]], columns: Int? = nil, outputError: Int32 = 0) {
        let output = Sink()
        let error = Sink()
        let console = Console(
            output: {
                output.append($0)
                return outputError
            }, error: { error.append($0) }, errorColumns: { columns })
        status = runCommand(words, console: console)
        self.output = output.text
        self.error = error.text
    }
}

/// Collects text from any thread.
private final class Sink: Sendable {
    private let collected = Mutex("")
    func append(_ text: String) { collected.withLock { $0 += text } }
    var text: String { collected.withLock { $0 } }
}
