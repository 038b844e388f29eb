internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseCore

/// What a level's kernels use of the processor; the names of levels are those of the x86-64 psABI.
private func cpuFeatures(ofLevel level: String) -> String {
    switch level {
    case "x86-64": "SSE2"
    case "x86-64-v2": "SSE4.2"
    case "x86-64-v3": "AVX2, FMA, BMI2"
    case "x86-64-v4": "AVX-512"
    case "arm64-neon": "NEON"
    default: "none beyond the compiler's"
    }
}

/// `nightfuse doctor`.
func doctorVerb(_ console: Console) throws(NightfuseError) {
    let limits = Limits()
    let memory = Machine.memoryBytes
    let rows = [
        ("nightfuse", nightfuseVersion),
        ("kernels", "\(KernelLevel.current) (NIGHTFUSE_KERNELS: \(KernelLevel.available.joined(separator: ", ")))"),
        ("cpu features", "\(cpuFeatures(ofLevel: KernelLevel.current)) used"),
        ("processor", Machine.processorName),
        ("system", Machine.systemName),
        ("libpng", CodecLibraries.png),
        ("libjpeg", CodecLibraries.jpeg),
        ("threads", "\(Machine.cores)"),
        ("memory", "\(memory >> 20) MiB"),
        ("max memory", "\(memory >> 21) MiB (--max-memory)"),
        ("pixels", "at most \(limits.pixels >> 20) Mi a frame"),
        ("metadata", "at most \(limits.metadataBytes >> 20) MiB a block, \(limits.directories) directories"),
        ("reads", "PNG, JPEG, DNG"),
        ("writes", "PNG (8, 16 bit), JPEG, DNG (merged raw)"),
    ]
    let width = rows.map(\.0.count).max() ?? 0
    try console.print(
        rows.map { $0.0 + String(repeating: " ", count: width + 2 - $0.0.count) + $0.1 + "\n" }.joined())
}
