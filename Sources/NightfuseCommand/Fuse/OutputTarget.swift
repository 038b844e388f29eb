internal import NightfuseCodecs
internal import NightfuseCore

/// Where and how a result is written; all files are opened before the work, so that what cannot be written is known
/// before it.
struct OutputTarget {
    /// As it was given.
    let path: FilePath
    let format: OutputFormat
    let quality: Int
    let stripLocation: Bool
    let output: AtomicOutput
    let maps: MapFiles?

    /// The format that OUT's name asks for.
    static func format(_ run: VerbRun) throws(UsageError) -> OutputFormat {
        guard let path = run.arguments.path("--output") else {
            let verb = run.arguments.verb
            throw UsageError("\(verb) needs -o OUT, as in: nightfuse \(verb) \(Verb.named(verb)?.operands ?? "")")
        }
        return try OutputFormat(path)
    }

    /// - Parameter frames: the files that are read, none of which may be OUT.
    init(_ run: VerbRun, _ format: OutputFormat, frames: [FilePath]) throws {
        let arguments = run.arguments
        guard let path = arguments.path("--output") else { throw UsageError("OUT is missing") }
        let folder = arguments.path("--maps")
        let report = arguments.path("--report")
        let maps = folder.map(MapFiles.paths) ?? []
        for written in [path] + maps + [report].compactMap({ $0 }) { try refuseFrames(written, frames) }
        if let report, report == path || FileAccess.isSame(report, path) {
            throw UsageError("\(path): cannot be both the picture and the report")
        }
        self.path = path
        self.format = format
        quality = arguments.integer("--quality") ?? 95
        stripLocation = arguments.has("--strip-location")
        output = try AtomicOutput(path, overwrite: run.force)
        self.maps = try folder.map { try MapFiles(folder: $0, overwrite: run.force) }
        warnOfIdleFlags(run)
    }

    /// Bits of a sample that OUT can hold; nil: as the frames have.
    func bits(_ arguments: Arguments) -> Int? {
        format == .jpeg ? 8 : arguments.text("--bits").flatMap { Int($0) }
    }

    /// A flag that does nothing is most often a slip.
    private func warnOfIdleFlags(_ run: VerbRun) {
        if run.arguments.has("--quality"), format != .jpeg { run.warn("--quality does nothing: OUT is no JPEG") }
        if run.arguments.text("--bits") == "16", format == .jpeg { run.warn("--bits 16 does nothing: a JPEG has 8") }
        if run.arguments.has("--bits"), format == .dng { run.warn("--bits does nothing: a merged raw has 16") }
    }
}

/// No flag overwrites what is read.
func refuseFrames(_ written: FilePath, _ frames: [FilePath]) throws(UsageError) {
    guard let same = frames.first(where: { FileAccess.isSame($0, written) }) else { return }
    throw UsageError("\(written): is one of the frames (\(same)); frames are never overwritten")
}
