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
        case .file(let name, let reason), .unsupported(let name, let reason): "\(name): \(reason)"
        case .argument(let reason), .limit(let reason): reason
        case .system(let name, let reason): name.isEmpty ? reason : "\(name): \(reason)"
        case .cancelled: "cancelled"
        }
    }
}
