internal import Dispatch
internal import Nightfuse
internal import NightfuseCore

/// A camera's burst: eight frames that arrive at the plan's pace, against the same eight all at once; and the memory of
/// long bursts against short ones. Frames are 8-bit RGB buffers, as a camera would reuse them.
struct PaceBenchmark {
    let material: Material
    let runs: Int
    let workers: Workers
    private let count = 8
    /// From the first frame's arrival to the last one's: 2 s are the plan of a dark street from the hand.
    let shootingSeconds: Double
    /// At most the larger of this share of a fusion from a standing start ...
    private let mostLeft = 0.35
    /// ... and what is left of it when this share of the shooting time was used.
    private let leastUsed = 0.9

    func run(megapixels: Double) throws(NightfuseError) {
        let (width, height) = Material.size(megapixels: megapixels)
        var frames: [[UInt8]] = []
        for index in 0..<count { frames.append(try buffer(width, height, index)) }
        let size = (width, height)
        print(
            "Pace: \(count) frames of \(width) x \(height) in \(decimals(shootingSeconds, 1)) s, \(workers.threads) threads, median of \(runs)"
        )
        var (standing, left, adding): ([Double], [Double], [Double]) = ([], [], [])
        // In turns, so that a machine that slows down slows both.
        for _ in 0..<runs {
            standing.append(try fuse(frames, size, interval: 0).total)
            let run = try fuse(frames, size, interval: shootingSeconds / Double(count - 1))
            left.append(run.afterLast)
            adding.append(run.slowestAdd)
        }
        let (whole, rest) = (Timing.middle(standing), Timing.middle(left))
        let limit = max(mostLeft * whole, whole - leastUsed * shootingSeconds)
        var table = Table("from a standing start s", "after the last frame s", "at most s", "slowest add ms")
        table.add(decimals(whole, 2), decimals(rest, 2), decimals(limit, 2), decimals(Timing.middle(adding) * 1000, 1))
        table.show()
        try compareMemory(frames, size)
    }

    private func compareMemory(_ frames: [[UInt8]], _ size: (Int, Int)) throws(NightfuseError) {
        var table = Table("frames", "peak MiB", "against 6")
        var first = 0
        for count in [6, 30] {
            PeakMemory.reset()
            _ = try fuse((0..<count).map { frames[$0 % frames.count] }, size, interval: 0)
            let peak = PeakMemory.bytes
            if first == 0 { first = peak }
            table.add("\(count)", mebibytes(peak), decimals(Double(peak) / Double(first), 3))
        }
        table.show()
        print("")
    }

    private func fuse(
        _ frames: [[UInt8]], _ size: (width: Int, height: Int), interval: Double
    ) throws(NightfuseError) -> (total: Double, afterLast: Double, slowestAdd: Double) {
        let session = FusionSession(options: FusionOptions(), workers: workers)
        let tags = FrameTags(exposureSeconds: Material.exposureSeconds, iso: Material.iso)
        let start = ContinuousClock.now
        var slowest = 0.0
        for (index, bytes) in frames.enumerated() {
            wait(until: interval * Double(index), since: start)
            let arrival = seconds(since: start)
            let added = bytes.withUnsafeBytes { bytes in
                Result { () throws(NightfuseError) in
                    try session.add(
                        PixelBuffer(
                            bytes, stride: size.width * 3, width: size.width, height: size.height, layout: .rgb8),
                        tags: tags)
                }
            }
            try added.get()
            slowest = max(slowest, seconds(since: start) - arrival)
        }
        // The last frame was there before it was copied.
        let last = interval * Double(frames.count - 1)
        _ = try session.finish()
        let end = seconds(since: start)
        return (end, end - last, slowest)
    }

    private func wait(until time: Double, since start: ContinuousClock.Instant) {
        let left = time - seconds(since: start)
        if left > 0 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + left) }
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }

    private func buffer(_ width: Int, _ height: Int, _ index: Int) throws(NightfuseError) -> [UInt8] {
        let picture = try material.picture(width: width, height: height, index: index)
        var bytes = [UInt8](repeating: 0, count: width * height * 3)
        for (c, plane) in picture.planes.enumerated() {
            for y in 0..<height {
                let row = plane.row(y)
                for x in 0..<width { bytes[(y * width + x) * 3 + c] = UInt8(truncatingIfNeeded: row[x]) }
            }
        }
        return bytes
    }
}
