internal import Nightfuse
internal import NightfuseCodecs

/// `nightfuse fuse FRAME|FOLDER... -o OUT`.
func fuseVerb(_ run: VerbRun) throws {
    let clock = Stopwatch()
    let request = try FuseRequest(run)
    try fuseAndReport(request.files, request.headers, request.options, request.target, run, clock)
}

/// `nightfuse brighten PHOTO -o OUT`.
func brightenVerb(_ run: VerbRun) throws {
    let clock = Stopwatch()
    let format = try OutputTarget.format(run)
    let target = try OutputTarget(run, format, frames: run.arguments.operands)
    guard format != .dng else { throw UsageError("\(target.path): brighten writes .png and .jpg") }
    if let folder = run.arguments.operands.first, FileAccess.kind(folder) == .folder {
        throw NightfuseError.file("\(folder)", "is a folder; brighten takes one photograph")
    }
    var options = FusionOptions()
    options.brighten = run.arguments.number("--amount").map(Brightening.amount) ?? .auto
    options.strength = run.arguments.number("--strength") ?? 1
    options.bits = target.bits(run.arguments)
    options.limits = run.limits
    let files = run.arguments.operands
    let headers = files.map { readHeader($0, limits: run.limits) }
    try fuseAndReport(files, headers, options, target, run, clock)
}

/// Fuses, writes and tells.
private func fuseAndReport(
    _ files: [FilePath], _ headers: [FrameHeader?], _ options: FusionOptions, _ target: OutputTarget, _ run: VerbRun,
    _ clock: Stopwatch
) throws(NightfuseError) {
    let progress = ProgressBar(run, frames: files.count)
    defer { progress?.clear() }
    var options = options
    let reports = run.arguments.has("--report")
    options.maps = options.maps || reports
    options.keepsReference = reports
    let outcome = try BurstFusion(
        files: files, headers: headers, run: run, options: options, misfit: .endsTheRun, progress: progress,
        keepsThumbnails: reports, output: target.output.path
    ).fuse()
    guard let result = outcome.result else { throw NightfuseError.argument("no frame could be read") }
    progress?.clear()
    let reference = files[outcome.reference]
    for note in (outcome.frames[outcome.reference].facts?.notes ?? []) + result.notes {
        run.warn("\(reference): \(note)")
    }
    progress?.showWriting()
    let writing = Stopwatch()
    try writeResult(result, of: outcome, target, run)
    let writeSeconds = writing.seconds
    progress?.clear()
    let facts = RunFacts(
        output: "\(target.path)", width: result.size.width, height: result.size.height,
        readSeconds: outcome.decodeSeconds, writeSeconds: writeSeconds, totalSeconds: clock.seconds,
        kernels: KernelLevel.current, peakMemoryBytes: Machine.peakMemoryBytes)
    try run.report(
        fuseDocument(reference: outcome.reference, frames: outcome.frames, result: result, facts: facts),
        text: fuseSummary(reference: outcome.reference, frames: outcome.frames, result: result, facts: facts))
    try writeReport(run) { () throws(NightfuseError) in
        // Raw frames have to be read and developed again.
        let before = if let kept = result.referencePicture { kept } else { try readDeveloped(reference, run) }
        return try FusionReport(
            result: result, outcome: outcome, facts: facts, options: options, before: before
        ).page()
    }
}
