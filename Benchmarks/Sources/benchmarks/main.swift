internal import Nightfuse
internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Says what went wrong on stderr.
func complain(_ text: String) {
    let line = Array("benchmarks: \(text)\n".utf8)
    // Nothing is left to tell a failure of this to.
    _ = write(2, line, line.count)
}

let words = Array(CommandLine.arguments.dropFirst())
let asksForLoss = words.first == "loss"
if words.contains("--help") {
    print(asksForLoss ? LossOptions.help : Options.help)
    exit(0)
}
let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
if asksForLoss {
    let (parsed, reason) = LossOptions.parse(Array(words.dropFirst()), cores: cores)
    guard let options = parsed else {
        complain(reason + " (loss --help says more)")
        exit(2)
    }
    do throws(NightfuseError) {
        try LossBenchmark(options: options, workers: Workers(threads: options.threads)).run()
    } catch {
        complain("\(error)")
        exit(1)
    }
    exit(0)
}
let (parsed, reason) = Options.parse(words, cores: cores)
guard let options = parsed else {
    complain(reason + " (--help says more)")
    exit(2)
}

do throws(NightfuseError) {
    let workers = Workers(threads: options.threads)
    let material = try Material(samples: options.samples, workers: workers)
    print("kernels: \(KernelLevel.current)\n")
    if options.parts.contains("preview") {
        try MeteringBenchmark(material: material, runs: options.runs).run()
    }
    for size in options.megapixels {
        if options.parts.contains("kernels") {
            try KernelBenchmarks(material: material, runs: options.runs).run(megapixels: size)
        }
        if options.parts.contains("files") {
            try FileBenchmarks(material: material, runs: options.runs).run(megapixels: size)
        }
        if options.parts.contains("bursts") {
            try BurstBenchmarks(material: material, runs: options.runs, workers: workers).run(megapixels: size)
        }
        if options.parts.contains("command") {
            try CommandBenchmark(material: material, runs: options.runs, threads: options.threads).run(megapixels: size)
        }
        if options.parts.contains("pace") {
            try PaceBenchmark(
                material: material, runs: options.runs, workers: workers, shootingSeconds: options.shootingSeconds
            ).run(megapixels: size)
        }
    }
    if options.parts.contains("growth") {
        try GrowthBenchmark(material: material, runs: options.runs, threads: options.threads).run()
    }
} catch {
    complain("\(error)")
    exit(1)
}
