internal import Nightfuse
internal import NightfuseCodecs

/// `fuse`, checked as far as it can be before any pixel is decoded.
struct FuseRequest {
    let run: VerbRun
    let files: [FilePath]
    /// Of each file; nil where it cannot be read, which is told when its frame is.
    let headers: [FrameHeader?]
    let options: FusionOptions
    let target: OutputTarget

    init(_ run: VerbRun) throws {
        let arguments = run.arguments
        let format = try OutputTarget.format(run)
        let files = try frameFiles(arguments.operands)
        if let index = arguments.integer("--reference"), index >= files.count {
            throw UsageError("--reference \(index): the frames are numbered from 0 to \(files.count - 1)")
        }
        self.run = run
        self.files = files
        target = try OutputTarget(run, format, frames: files)
        let buffer = FileBuffer()
        headers = files.map { readHeader($0, limits: run.limits, buffer: buffer) }
        let survey = try FuseRequest.survey(headers.compactMap(\.self), format, target.path)
        options = FuseRequest.options(target, survey, run)
        if format == .dng {
            for flag in ["--look", "--brightness", "--strength"] where arguments.has(flag) {
                run.warn("\(flag) does nothing: a merged raw is neither developed nor denoised")
            }
        }
    }

    private static func survey(
        _ headers: [FrameHeader], _ format: OutputFormat, _ output: FilePath
    ) throws(NightfuseError) -> BurstSurvey {
        let survey = BurstSurvey(headers)
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
        _ target: OutputTarget, _ survey: BurstSurvey, _ run: VerbRun
    ) -> FusionOptions {
        let arguments = run.arguments
        var options = FusionOptions()
        options.look = arguments.text("--look").flatMap(Look.init) ?? .night
        options.brightnessEV = arguments.number("--brightness") ?? 0
        options.strength = arguments.number("--strength") ?? 1
        options.reference = arguments.integer("--reference").map(ReferenceChoice.index) ?? .auto
        options.qualityMode = arguments.text("--quality-mode").flatMap(QualityMode.init) ?? .fast
        options.bits = target.bits(arguments)
        options.baseExposureProduct = survey.baseExposureProduct
        options.maps = arguments.has("--maps")
        options.mergedRaw = target.format == .dng
        options.limits = run.limits
        return options
    }
}
