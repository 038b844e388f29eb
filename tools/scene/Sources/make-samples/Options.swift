internal import NightfuseCore

/// What the command line asks for.
struct Options {
    var folder = ""
    var width = 1536
    var height = 1152
    var seed: UInt64 = 7
    var frames = 8
    var previews = 15
    var exposureSeconds = 1.0 / 15
    var iso = 3200.0
    /// Below 90 colour is kept at half size, as phones do.
    var quality = 85
    var shake = 1.0
    /// 16-bit PNG instead of JPEG.
    var png = false
    var threads = 2

    static let help = """
        Renders a night street and photographs it: a burst, its preview frames, the truth behind it.

        make-samples FOLDER [--size WxH] [--seed N] [--frames N] [--previews N] [--exposure S] [--iso N]
                            [--shake X] [--quality Q | --png] [--threads N]

        FOLDER/street/           the burst
        FOLDER/street-preview/   what the viewfinder showed during the half second before
        FOLDER/street-truth.png  the scene without noise at the middle of the burst's first frame (.jpg without --png)
        FOLDER/device.json       the camera

        --size       pixels of a frame (1536x1152); at least 64x48
        --exposure   seconds of a frame (0.0667); --iso its ISO (3200)
        --quality    of the JPEG files (85)
        --shake      strength of the hand's movement, 0 (tripod) to 4; 1 is a calm hand
        --png        frames as 16-bit PNG, for tests
        The same seed gives the same files on the same kind of machine.
        """

    init(_ arguments: [String]) throws(NightfuseError) {
        var rest = arguments[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                guard folder.isEmpty else { throw .argument("two folders: \(folder) and \(word)") }
                folder = word
                continue
            }
            if word == "--png" {
                png = true
                continue
            }
            guard let value = rest.popFirst() else { throw .argument("\(word) wants a value") }
            try take(word, value)
        }
        if folder.isEmpty { throw .argument("name the folder to write to (--help says more)") }
    }

    private mutating func take(_ flag: String, _ value: String) throws(NightfuseError) {
        switch flag {
        case "--size":
            let parts = value.split(separator: "x").compactMap { Int($0) }
            guard parts.count == 2, (64...16384).contains(parts[0]), (48...16384).contains(parts[1]) else {
                throw .argument("--size \(value): a size is as 1600x1200, 64x48 at least")
            }
            (width, height) = (parts[0], parts[1])
        case "--seed": seed = UInt64(try whole(flag, value, 0...Int.max))
        case "--frames": frames = try whole(flag, value, 1...100)
        case "--previews": previews = try whole(flag, value, 0...100)
        case "--quality": quality = try whole(flag, value, 1...100)
        case "--threads": threads = try whole(flag, value, 1...256)
        case "--exposure": exposureSeconds = try real(flag, value, 1e-4...4)
        case "--iso": iso = try real(flag, value, 50...12800)
        case "--shake": shake = try real(flag, value, 0...4)
        default: throw .argument("\(flag) is unknown (--help says more)")
        }
    }

    private func whole(_ flag: String, _ value: String, _ range: ClosedRange<Int>) throws(NightfuseError) -> Int {
        guard let number = Int(value), range.contains(number) else {
            throw .argument("\(flag) \(value): a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func real(_ flag: String, _ value: String, _ range: ClosedRange<Double>) throws(NightfuseError) -> Double {
        guard let number = Double(value), range.contains(number) else {
            throw .argument("\(flag) \(value): a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
