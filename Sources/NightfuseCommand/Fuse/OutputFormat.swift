internal import NightfuseCodecs

/// What a result is written as; the ending of its name says it.
enum OutputFormat: String, Sendable {
    case png, jpeg, dng

    /// - Throws: where the ending stands for nothing that can be written.
    init(_ path: FilePath) throws(UsageError) {
        switch path.fileExtension {
        case "png": self = .png
        case "jpg", "jpeg", "jpe": self = .jpeg
        case "dng": self = .dng
        case "": throw UsageError("\(path): has no ending; name it .png, .jpg or .dng")
        case let ending:
            throw UsageError("\(path): .\(oneLine(ending)) is not written; name it .png, .jpg or .dng")
        }
    }
}
