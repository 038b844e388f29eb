/// What the command line asks for.
struct Options {
    var megapixels: [Double] = [1, 12, 48]
    var runs = 5
    var threads: Int
    var parts: Set<String> = ["kernels", "files", "preview", "bursts", "pace", "command", "growth"]
    /// Seconds of shooting in the pace part.
    var shootingSeconds = 2.0
    var samples = "samples"

    static let help = """
        Times kernels, files, the preview meter, whole bursts, a camera's pace, the command, and how its time grows, on the
        sample street with a sensor's noise.

        benchmarks [--quick] [--only kernels|files|preview|bursts|pace|command|growth] [--megapixels 1,12,48] [--runs N]
                   [--threads N] [--shooting SECONDS] [--samples FOLDER]
        benchmarks loss ...   what each stage loses, in dB and pixels (loss --help)

        --quick    1 megapixel, 3 runs, all but growth: half a minute
        --shooting  of the pace part, 2 if nothing is said
        --threads  for bursts and the command (all cores); the rest runs on one

        x copy: times what a memcpy takes that reads and writes as many bytes in all.
        x decode: times what decoding the JPEG (the eight of a burst, one after the other) takes on one thread.
        Peak memory is that of one run, the process's own 20 MiB or so included.
        Figures are medians; compare them only with others of the same machine, run at the same time.
        """

    /// - Returns: nil, and why, where the words make no sense.
    static func parse(_ words: [String], cores: Int) -> (Options?, String) {
        var options = Options(threads: cores)
        let every = options.parts
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--quick" {
                (options.megapixels, options.runs) = ([1], 3)
                options.parts.remove("growth")
                continue
            }
            guard let value = rest.popFirst() else { return (nil, "\(word) is unknown or wants a value") }
            switch word {
            case "--only":
                guard every.contains(value) else {
                    return (nil, "--only \(value): \(every.sorted().joined(separator: ", "))")
                }
                options.parts = [value]
            case "--megapixels":
                let sizes = value.split(separator: ",").compactMap { Double($0) }
                guard !sizes.isEmpty, sizes.allSatisfy({ $0 >= 0.1 && $0 <= 200 }) else {
                    return (nil, "--megapixels \(value): numbers from 0.1 to 200, as in 1,12,48")
                }
                options.megapixels = sizes
            case "--runs":
                guard let runs = Int(value), (1...100).contains(runs) else { return (nil, "--runs \(value): 1 to 100") }
                options.runs = runs
            case "--threads":
                guard let threads = Int(value), (1...256).contains(threads) else {
                    return (nil, "--threads \(value): 1 to 256")
                }
                options.threads = threads
            case "--shooting":
                guard let seconds = Double(value), 0.1...60 ~= seconds else {
                    return (nil, "--shooting \(value): seconds, 0.1 to 60")
                }
                options.shootingSeconds = seconds
            case "--samples": options.samples = value
            default: return (nil, "\(word) is unknown")
            }
        }
        return (options, "")
    }
}
