internal import Nightfuse
internal import NightfuseCodecs

/// Reads a picture; a raw frame is developed as `--look none` does, and nothing else is done to it.
func readDeveloped(_ file: FilePath, _ run: VerbRun) throws(NightfuseError) -> Picture {
    switch try readFrame(file, limits: run.limits, workers: run.workers) {
    case .picture(let picture): return picture
    case .raw(let raw):
        var options = FusionOptions()
        options.look = .none
        options.strength = 0
        options.limits = run.limits
        let session = FusionSession(options: options, workers: run.workers)
        try session.add(raw)
        return try session.finish().picture
    }
}
