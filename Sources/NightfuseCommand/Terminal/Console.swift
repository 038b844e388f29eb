#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import NightfuseCore

/// Where the command's words go: data to standard output, talk to standard error.
public struct Console: Sendable {
    /// Writes all of the text to standard output; gives 0 or the system's error number.
    let writeOutput: @Sendable (String) -> Int32
    /// Writes the text to standard error, as far as that takes it.
    let writeError: @Sendable (String) -> Void
    /// Columns of the terminal that standard error is; nil where it is none.
    let errorColumns: @Sendable () -> Int?

    public init(
        output: @escaping @Sendable (String) -> Int32, error: @escaping @Sendable (String) -> Void,
        errorColumns: @escaping @Sendable () -> Int? = { nil }
    ) {
        (writeOutput, writeError, self.errorColumns) = (output, error, errorColumns)
    }

    /// The process's own.
    public static let standard = Console(
        output: { writeAll($0, to: 1) }, error: { _ = writeAll($0, to: 2) }, errorColumns: { terminalColumns(2) })

    /// Data to standard output. A reader that has gone is no error: it has seen what it wanted.
    func print(_ text: String) throws(NightfuseError) {
        let error = writeOutput(text)
        guard error == 0 || error == EPIPE else {
            throw .system("standard output", "cannot be written: " + systemMessage(error))
        }
    }

    /// One line of talk.
    func say(_ line: String) { writeError("nightfuse: " + oneLine(line) + "\n") }
}

/// What the system calls an error number.
func systemMessage(_ error: Int32) -> String {
    // Text of the system's, ended by 0.
    guard let text = unsafe strerror(error) else { return "error \(error)" }
    return unsafe String(cString: text)
}

/// All bytes of the text, however often the system takes only a part; 0 or the error number.
private func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    // No more is written than the text has.
    return text.withUTF8 { bytes in
        var written = 0
        while written < bytes.count, let start = bytes.baseAddress {
            let count = unsafe write(descriptor, start + written, bytes.count - written)
            if count > 0 { written += count } else if count < 0, errno != EINTR { return errno }
        }
        return 0
    }
}

/// Columns of a terminal; 80 where it does not say; nil where the descriptor is no terminal.
private func terminalColumns(_ descriptor: Int32) -> Int? {
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    // This request fills a `winsize`.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
}
