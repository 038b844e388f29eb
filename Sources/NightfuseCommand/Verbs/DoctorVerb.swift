internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseCore

/// `nightfuse doctor`.
func doctorVerb(_ console: Console) throws(NightfuseError) {
    let limits = Limits()
    let memory = Machine.memoryBytes
    let rows = [
        ("nightfuse", nightfuseVersion),
        ("kernels", "\(KernelLevel.current) (NIGHTFUSE_KERNELS: \(KernelLevel.available.joined(separator: ", ")))"),
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
