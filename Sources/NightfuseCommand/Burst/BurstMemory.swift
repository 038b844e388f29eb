internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseCore

/// Whether a burst fits the memory allowed, and how it has to be fused for that.
struct BurstMemory {
    /// Frames are decoded when they are asked for, not one ahead, and those held until the reference is chosen are read
    /// twice: slower, by what decoding takes, and a fifth less memory for the same picture. Only where the memory allowed
    /// calls for it.
    let isLean: Bool

    /// - Throws: `.limit`, saying what would do, where even that does not fit.
    init(_ headers: [FrameHeader], _ files: [FilePath], run: VerbRun) throws(NightfuseError) {
        guard let first = headers.first, !first.isRaw else {
            // Raw frames are judged by the session.
            isLean = false
            return
        }
        let products = headers.compactMap(\.exposureProduct)
        func needed(isLean: Bool) -> Int {
            var burst = MemoryEstimate.Burst(
                width: first.width, height: first.height, bits: first.bits, ahead: isLean ? 0 : 1, isLean: isLean,
                threads: run.workers.threads)
            // What tags do not tell is judged when it is seen.
            burst.isLong = (products.max() ?? 1) > Self.unlike * (products.min() ?? 1)
            let planes = burst.bytes
            // Two files are read at once at most, where frames are decoded ahead.
            let bytes = (files.map { FileAccess.size($0) }.max() ?? 0) * (isLean ? 1 : 2)
            return planes > Int.max - bytes ? Int.max : planes + bytes
        }
        let whole = needed(isLean: false)
        isLean = whole > run.limits.memoryBytes || !SystemMemory.canGive(whole)
        // Also before the first file is read: an array that the system refuses ends the program.
        try MemoryEstimate.check(isLean ? needed(isLean: true) : whole, name: first.file, limits: run.limits)
    }

    /// Exposures within this ratio are merged alike, with room for what tags are rounded by.
    private static let unlike = 1.2
}
