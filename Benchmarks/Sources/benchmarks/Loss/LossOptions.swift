/// What `benchmarks loss` is asked for.
struct LossOptions {
    var photos: [String] = []
    var samples = "samples"
    var threads: Int
    var frames = 8
    var seed: UInt64 = 1

    static let help = """
        Tells what each stage of a fusion loses, on bursts whose motion and clean pictures are known.

        benchmarks loss [--photos FILE...] [--frames N] [--seed N] [--threads N] [--samples FOLDER]

        Scenes: the sample street, and leaves of all sizes laid over one another; or the photographs given (clean ones,
        at least 256 x 224 pixels; larger ones are reduced). A hand that drifts, shakes and turns takes them, at most
        512 x 384 pixels, with one thing that moves by itself; white noise at four sensor gains, and once so dark that
        the mean pixel's signal is 0.3 of its noise. Rows are means over the scenes.
        """

    /// - Returns: nil, and why, where the words make no sense.
    static func parse(_ words: [String], cores: Int) -> (LossOptions?, String) {
        var options = LossOptions(threads: cores)
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--photos" {
                while let file = rest.first, !file.hasPrefix("--") {
                    options.photos.append(file)
                    rest.removeFirst()
                }
                guard !options.photos.isEmpty else { return (nil, "--photos wants files") }
                continue
            }
            guard let value = rest.popFirst() else { return (nil, "\(word) is unknown or wants a value") }
            switch word {
            case "--frames":
                guard let n = Int(value), (2...32).contains(n) else { return (nil, "--frames \(value): 2 to 32") }
                options.frames = n
            case "--seed":
                guard let n = UInt64(value) else { return (nil, "--seed \(value): a whole number from 0") }
                options.seed = n
            case "--threads":
                guard let n = Int(value), (1...256).contains(n) else { return (nil, "--threads \(value): 1 to 256") }
                options.threads = n
            case "--samples": options.samples = value
            default: return (nil, "\(word) is unknown")
            }
        }
        return (options, "")
    }
}
