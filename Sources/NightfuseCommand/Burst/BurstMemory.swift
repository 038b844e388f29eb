internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseCore

/// How a burst is fused within the memory allowed: as fast as may be, and slower the less there is.
struct BurstMemory {
    /// Lean: frames are decoded when they are asked for, not one ahead, and those held until the reference is chosen are read
    /// twice: slower, by what decoding takes, and a fifth less memory. Scratch: planes in files, half as slow again.
    let use: MemoryUse
    /// Where planes live when they live in files.
    private let folder: ScratchFolder?
    private let keeping: Int
    /// The run's own, and whether planes count.
    let limits: Limits

    /// - Parameter output: where the result goes, if to a file: that folder has room for it, and is on a disk more often than
    ///   those for temporary files, which follow.
    /// - Throws: `.limit`, saying what would do, where the burst does not fit in any way.
    init(
        _ headers: [FrameHeader], _ files: [FilePath], output: FilePath? = nil, run: VerbRun
    ) throws(NightfuseError) {
        let folders = [output?.folder, Machine.temporaryFolder, FilePath("/var/tmp")].compactMap(\.self)
        var limits = run.limits
        guard let first = headers.first else {
            // No frame can be read, which is told when it is tried.
            (use, folder, keeping, self.limits) = (.whole, nil, 0, limits)
            return
        }
        let needs = Needs(headers, first, files, threads: run.workers.threads)
        func fits(_ bytes: Int) -> Bool { bytes <= limits.memoryBytes && SystemMemory.canGive(bytes) }
        let whole = needs.bytes(.whole)
        let inMemory: MemoryUse = first.isRaw || fits(whole) ? .whole : .lean
        let scratch = needs.bytes(.scratch)
        // What files cannot spare, as the room for addresses, they are not tried for.
        let isForFiles = !fits(needs.bytes(inMemory)) && scratch < needs.bytes(inMemory) && SystemMemory.canGive(whole)
        folder = isForFiles ? ScratchFolder(folders, bytes: whole) : nil
        use = folder == nil ? inMemory : .scratch
        limits.planesAreInFiles = use == .scratch
        self.limits = limits
        keeping = limits.memoryBytes - MemoryEstimate.working(width: first.width, threads: run.workers.threads)
        // Also before the first file is read: an array that the system refuses ends the program.
        try MemoryEstimate.check(needs.bytes(use), name: first.file, limits: limits)
    }

    /// Has planes live in files from here on where they have to; ``end()`` ends it.
    func begin() { folder?.use(keeping: keeping) }

    /// New planes live in memory again.
    func end() { if folder != nil { ScratchPlanes.end() } }
}

/// What a burst needs, by its headers.
private struct Needs {
    private let width: Int
    private let height: Int
    private let isRaw: Bool
    private let burst: MemoryEstimate.Burst
    private let largestFile: Int

    init(_ headers: [FrameHeader], _ first: FrameHeader, _ files: [FilePath], threads: Int) {
        (width, height, isRaw) = (first.width, first.height, first.isRaw)
        let products = headers.compactMap(\.exposureProduct)
        var burst = MemoryEstimate.Burst(
            width: width, height: height, bits: first.bits, ahead: 1, isLean: false, threads: threads)
        // What tags do not tell is judged when it is seen.
        burst.isLong = (products.max() ?? 1) > Self.unlike * (products.min() ?? 1)
        self.burst = burst
        largestFile = files.map { FileAccess.size($0) }.max() ?? 0
    }

    /// Exposures within this ratio are merged alike, with room for what tags are rounded by.
    private static let unlike = 1.2

    /// Peak bytes.
    func bytes(_ use: MemoryUse) -> Int {
        // Two files are read at once at most, where frames are decoded ahead.
        let files = largestFile * (use == .whole ? 2 : 1)
        let planes = planes(use)
        return planes > Int.max - files ? Int.max : planes + files
    }

    private func planes(_ use: MemoryUse) -> Int {
        if use == .scratch { return MemoryEstimate.scratch(width: width, threads: burst.threads) }
        if isRaw { return MemoryEstimate.fusion(width: width, height: height) }
        var burst = burst
        (burst.isLean, burst.ahead) = use == .lean ? (true, 0) : (false, 1)
        return burst.bytes
    }
}
