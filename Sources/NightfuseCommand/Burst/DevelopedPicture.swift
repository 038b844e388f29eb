internal import Nightfuse
internal import NightfuseCodecs

/// Reads a picture; a raw frame is developed as `--look none` does, and nothing else is done to it.
func readDeveloped(_ file: FilePath, _ run: VerbRun) throws(NightfuseError) -> Picture {
    // A raw frame is fused alone; a picture needs what its reader judges.
    let raw = readHeader(file, limits: run.limits).flatMap { $0.isRaw ? $0 : nil }
    let memory = try BurstMemory(raw.map { [$0] } ?? [], [file], run: run)
    memory.begin()
    defer { memory.end() }
    switch try readFrame(file, limits: memory.limits, workers: run.workers) {
    case .picture(let picture): return picture
    case .raw(let raw):
        var options = FusionOptions()
        options.look = .none
        options.strength = 0
        (options.memory, options.limits) = (memory.use, memory.limits)
        let session = FusionSession(options: options, workers: run.workers)
        try session.add(raw)
        return try session.finish().picture
    }
}
