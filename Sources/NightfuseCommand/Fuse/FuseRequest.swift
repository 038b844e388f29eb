internal import Nightfuse
internal import NightfuseCodecs

/// `fuse`, checked as far as it can be before any pixel is decoded.
struct FuseRequest {
    let run: VerbRun
    let files: [FilePath]
    let format: OutputFormat
    let options: FusionOptions
    let quality: Int
    let stripLocation: Bool
    /// Opened before the work, so that what cannot be written is known before it.
    let output: AtomicOutput
    let maps: MapFiles?

    init(_ run: VerbRun) throws {
        let arguments = run.arguments
        guard let path = arguments.path("--output") else {
            throw UsageError("fuse needs -o OUT, as in: nightfuse fuse \(Verb.named(.fuse)?.operands ?? "")")
        }
        let format = try OutputFormat(path)
        let files = try frameFiles(arguments.operands)
        if let same = files.first(where: { FileAccess.isSame($0, path) }) {
            throw UsageError("\(path): is one of the frames (\(same)); frames are never overwritten")
        }
        if let index = arguments.integer("--reference"), index >= files.count {
            throw UsageError("--reference \(index): the frames are numbered from 0 to \(files.count - 1)")
        }
        self.run = run
        self.files = files
        self.format = format
        quality = arguments.integer("--quality") ?? 95
        stripLocation = arguments.has("--strip-location")
        output = try AtomicOutput(path, overwrite: run.force)
        maps = try arguments.path("--maps").map { try MapFiles(folder: $0, overwrite: run.force) }
        let survey = try FuseRequest.survey(files, run, format, path)
        options = FuseRequest.options(arguments, format, survey, run)
        warnOfIdleFlags()
    }

    private static func survey(
        _ files: [FilePath], _ run: VerbRun, _ format: OutputFormat, _ output: FilePath
    ) throws(NightfuseError) -> BurstSurvey {
        // A header that cannot be read is told when its frame is.
        let survey = BurstSurvey(files.compactMap { readHeader($0, limits: run.limits) })
        try survey.check()
        if format == .dng, let picture = survey.headers.first(where: { !$0.isRaw }) {
            throw .argument("\(output): a DNG needs raw frames, and \(picture.file) is none; name it .png or .jpg")
        }
        // libjpeg's own limit.
        if format == .jpeg, let first = survey.headers.first, max(first.width, first.height) > 65_500 {
            throw .limit("\(output): a JPEG has at most 65500 pixels a side, the frames have more; name it .png")
        }
        return survey
    }

    private static func options(
        _ arguments: Arguments, _ format: OutputFormat, _ survey: BurstSurvey, _ run: VerbRun
    ) -> FusionOptions {
        var options = FusionOptions()
        options.look = arguments.text("--look").flatMap(Look.init) ?? .night
        options.brightnessEV = arguments.number("--brightness") ?? 0
        options.strength = arguments.number("--strength") ?? 1
        options.reference = arguments.integer("--reference").map(ReferenceChoice.index) ?? .auto
        options.qualityMode = arguments.text("--quality-mode").flatMap(QualityMode.init) ?? .fast
        options.bits = format == .jpeg ? 8 : arguments.text("--bits").flatMap { Int($0) }
        options.baseExposureProduct = survey.baseExposureProduct
        options.maps = arguments.has("--maps")
        options.mergedRaw = format == .dng
        options.limits = run.limits
        return options
    }

    /// A flag that does nothing is most often a slip.
    private func warnOfIdleFlags() {
        if run.arguments.has("--quality"), format != .jpeg { run.warn("--quality does nothing: OUT is no JPEG") }
        if run.arguments.text("--bits") == "16", format == .jpeg { run.warn("--bits 16 does nothing: a JPEG has 8") }
        if run.arguments.has("--bits"), format == .dng { run.warn("--bits does nothing: a merged raw has 16") }
        if format == .dng {
            for flag in ["--look", "--brightness"] where run.arguments.has(flag) {
                run.warn("\(flag) does nothing: a merged raw is not developed")
            }
        }
    }
}
