import Foundation
import Testing

/// The command as a process of its own.
struct CommandProcess {
    /// Where the build has put it: beside the bundle of these tests.
    static var binary: URL { Bundle.module.bundleURL.deletingLastPathComponent().appendingPathComponent("nightfuse") }

    static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: binary.path) }

    let process = Process()
    private let output = Pipe()
    private let error = Pipe()

    /// - Parameter shell: a line of /bin/sh, in which "$nightfuse" is the command; nil: the command itself.
    init(_ words: [String] = [], shell: String? = nil, standardOutput: Any? = nil) throws {
        if let shell {
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", shell]
            process.environment = ProcessInfo.processInfo.environment.merging(["nightfuse": CommandProcess.binary.path])
            {
                $1
            }
        } else {
            process.executableURL = CommandProcess.binary
            process.arguments = words
        }
        process.standardOutput = standardOutput ?? output
        process.standardError = error
        try process.run()
    }

    /// Waits for its end: status (128 and the signal where one ended it), output and error.
    func finish() -> (status: Int32, output: String, error: String) {
        let output = process.standardOutput as? Pipe === self.output ? self.output.text : ""
        let error = self.error.text
        process.waitUntilExit()
        let died = process.terminationReason == .uncaughtSignal
        return (process.terminationStatus + (died ? 128 : 0), output, error)
    }
}

extension Pipe {
    fileprivate var text: String { String(decoding: fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
}
