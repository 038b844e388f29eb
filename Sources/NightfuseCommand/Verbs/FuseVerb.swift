internal import Nightfuse
internal import NightfuseCodecs

/// `nightfuse fuse FRAME|FOLDER... -o OUT`.
func fuseVerb(_ run: VerbRun) throws {
    let clock = Stopwatch()
    let request = try FuseRequest(run)
    let progress = ProgressBar(run, frames: request.files.count)
    defer { progress?.clear() }
    let outcome = try BurstFusion(
        files: request.files, run: run, options: request.options, misfit: .endsTheRun, progress: progress
    ).fuse()
    guard let result = outcome.result else { throw NightfuseError.argument("no frame could be read") }
    for note in result.notes { run.warn(note) }
    progress?.showWriting()
    let writing = Stopwatch()
    try writeResult(result, of: outcome, request)
    let writeSeconds = writing.seconds
    progress?.clear()
    let facts = RunFacts(
        output: "\(run.arguments.path("--output") ?? request.output.path)", width: result.size.width,
        height: result.size.height, readSeconds: outcome.decodeSeconds, writeSeconds: writeSeconds,
        totalSeconds: clock.seconds, kernels: KernelLevel.current, peakMemoryBytes: Machine.peakMemoryBytes)
    try run.report(
        fuseDocument(reference: outcome.reference, frames: outcome.frames, result: result, facts: facts),
        text: fuseSummary(reference: outcome.reference, frames: outcome.frames, result: result, facts: facts))
}
