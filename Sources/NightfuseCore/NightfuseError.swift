/// What went wrong, sorted by whose fault it is. `description` is one line, fit for a person.
public enum NightfuseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file (or a frame in memory, by its name) is broken: what is wrong, and where in it.
    case file(String, String)
    /// The caller asked for something that makes no sense.
    case argument(String)
    /// A limit on memory, size or count would be broken.
    case limit(String)
    /// A file of a kind that is not read: its name, and what to do.
    case unsupported(String, String)
    /// The system refused: the file (or empty), and its reason.
    case system(String, String)
    /// The caller cancelled.
    case cancelled

    /// One line for a person, without a full stop.
    public var description: String {
        switch self {
        case .file(let name, let reason), .unsupported(let name, let reason): Self.oneLine("\(name): \(reason)")
        case .argument(let reason), .limit(let reason): Self.oneLine(reason)
        case .system(let name, let reason): Self.oneLine(name.isEmpty ? reason : "\(name): \(reason)")
        case .cancelled: "cancelled"
        }
    }

    /// The text with control characters spelt out: words of a file, such as its camera's name, may hold any.
    package static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where isControl(scalar): result += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// C0, DEL and C1, and the two separators that Unicode ends lines with.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || scalar.value == 0x2028 || scalar.value == 0x2029
    }
}
