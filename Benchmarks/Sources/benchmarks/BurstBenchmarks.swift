internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfusePipeline

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A whole burst: eight JPEG files in, one JPEG out, with the time of each stage and the most memory in use.
struct BurstBenchmarks {
    let material: Material
    let runs: Int
    let workers: Workers
    private let count = 8

    private struct Run {
        var total = 0.0
        var read = 0.0
        var write = 0.0
        var stages = StageSeconds()
        var effective = 0.0
        var peak = 0
    }

    func run(megapixels: Double) throws(NightfuseError) {
        let (width, height) = Material.size(megapixels: megapixels)
        // Files, not memory: what waits to be read must not count as memory in use.
        let folder = "/tmp/nightfuse-benchmarks-\(getpid())"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .system(folder, String(cString: strerror(errno)))
        }
        let paths = (0..<count).map { "\(folder)/frame\($0).jpg" }
        defer {
            for path in paths { unlink(path) }
            rmdir(folder)
        }
        for (index, path) in paths.enumerated() {
            let output = try AtomicOutput(FilePath(path), overwrite: true)
            try output.write(try material.jpeg(width: width, height: height, index: index))
            try output.commit()
        }
        let decode = try decodeAll(paths)
        print("Burst of \(count), \(width) x \(height), JPEG to JPEG, \(workers.threads) threads, median of \(runs)")
        var table = Table(
            "look", "total s", "read", "align", "merge", "denoise", "finish", "write", "x decode", "peak MiB", "eff.")
        for look in [Look.none, .night] {
            var all: [Run] = []
            for _ in 0..<runs { all.append(try fuse(paths, look)) }
            func middle(_ pick: (Run) -> Double) -> String { decimals(Timing.middle(all.map(pick)), 2) }
            let total = Timing.middle(all.map(\.total))
            table.add(
                look.rawValue, decimals(total, 2), middle(\.read), middle(\.stages.align), middle(\.stages.merge),
                middle(\.stages.denoise), middle(\.stages.finish), middle(\.write), decimals(total / decode, 2),
                mebibytes(all.map(\.peak).max() ?? 0), middle(\.effective))
        }
        table.show()
        print("decode: the eight files one after the other on one thread, \(decimals(decode, 2)) s\n")
    }

    private func decodeAll(_ paths: [String]) throws(NightfuseError) -> Double {
        var times: [Double] = []
        for _ in 0..<runs {
            var sum = 0.0
            for path in paths { sum += try read(path).seconds }
            times.append(sum)
        }
        return Timing.middle(times)
    }

    private func read(_ path: String) throws(NightfuseError) -> (picture: Picture, seconds: Double) {
        let start = ContinuousClock.now
        let picture = try decodePicture(
            try FileAccess.read(FilePath(path), limits: Limits()), name: path, limits: Limits())
        return (picture, seconds(since: start))
    }

    private func fuse(_ paths: [String], _ look: Look) throws(NightfuseError) -> Run {
        PeakMemory.reset()
        var run = Run()
        let start = ContinuousClock.now
        var options = FusionOptions()
        options.look = look
        let session = FusionSession(options: options, workers: workers, waiting: 0)
        for path in paths {
            let frame = try read(path)
            run.read += frame.seconds
            try session.add(frame.picture)
        }
        let result = try session.finish()
        let writing = ContinuousClock.now
        let picture = result.picture
        try encodeJPEG(
            EncodedPicture(samples: picture.samples, maxCode: picture.maxCode), quality: 95, to: MemorySink())
        run.write = seconds(since: writing)
        run.total = seconds(since: start)
        run.stages = result.seconds
        run.effective = result.effectiveFrames.mean
        run.peak = PeakMemory.bytes
        return run
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }
}
