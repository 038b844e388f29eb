internal import NightfuseCore

/// The command as it is used: eight files to a JPEG, against decoding them; in turns, so that what else the machine does
/// meets both.
struct CommandBenchmark {
    let material: Material
    let runs: Int
    let threads: Int
    private let count = 8

    func run(megapixels: Double) throws(NightfuseError) {
        let (width, height) = Material.size(megapixels: megapixels)
        print("Command, \(count) frames of \(width) x \(height) to JPEG, \(threads) threads, median of \(runs)")
        var table = Table("frames", "look", "s", "x decode", "x two at a time", "less 30 ms", "peak MiB")
        for kind in [CommandFolder.Kind.jpeg, .png] {
            let folder = try CommandFolder(
                material, kind: kind, width: width, height: height, count: count, distinct: megapixels > 24 ? 4 : 8)
            let looks = kind == .jpeg ? ["none", "night"] : ["none"]
            var (alone, two) = ([Double](), [Double]())
            var all = [[CommandFolder.Outcome]](repeating: [], count: looks.count)
            for _ in 0..<runs {
                alone.append(try folder.decode(count, threads: 1))
                two.append(try folder.decode(count, threads: 2))
                for (index, look) in looks.enumerated() {
                    all[index].append(try folder.fuse(count, look: look, threads: threads))
                }
            }
            let (one, pair) = (Timing.middle(alone), Timing.middle(two))
            for (look, outcomes) in zip(looks, all) {
                let seconds = Timing.middle(outcomes.map(\.seconds))
                table.add(
                    kind.rawValue, look, decimals(seconds, 2), decimals(seconds / one, 2), decimals(seconds / pair, 2),
                    decimals((seconds - 0.03) / one, 2), mebibytes(outcomes.map(\.peak).max() ?? 0))
            }
        }
        table.show()
        print("decode: the files on one thread, one after the other; or two at a time on two\n")
    }
}

/// How time and memory of the command grow with frames and with pixels.
struct GrowthBenchmark {
    let material: Material
    let runs: Int
    let threads: Int

    func run() throws(NightfuseError) {
        try frames()
        try pixels()
    }

    private func frames() throws(NightfuseError) {
        let (width, height) = Material.size(megapixels: 12)
        let folder = try CommandFolder(material, kind: .jpeg, width: width, height: height, count: 40)
        print("Growth with frames, JPEG of \(width) x \(height), look none, \(threads) threads, median of \(runs)")
        var table = Table("frames", "s", "s a frame", "s a frame more", "against 8", "peak MiB")
        var (before, first) = ((count: 0, seconds: 0.0), 0.0)
        for count in [4, 8, 16, 40] {
            let (seconds, peak) = try median(folder, count)
            let more = (seconds - before.seconds) / Double(count - before.count)
            if count == 8 { first = more }
            table.add(
                "\(count)", decimals(seconds, 2), decimals(seconds / Double(count), 3),
                before.count == 0 ? "" : decimals(more, 3), count > 8 ? decimals(more / first, 2) : "", mebibytes(peak))
            before = (count, seconds)
        }
        table.show()
    }

    private func pixels() throws(NightfuseError) {
        print("Growth with pixels, 8 JPEG frames, look none, \(threads) threads, median of \(runs)")
        var table = Table("megapixels", "s", "s a megapixel", "against 12", "x decode", "peak MiB", "bytes a pixel")
        var rows: [(name: String, area: Double, seconds: Double, decode: Double, peak: Int)] = []
        for megapixels in [1.0, 3, 12, 48, 100] {
            let (width, height) = Material.size(megapixels: megapixels)
            let folder = try CommandFolder(
                material, kind: .jpeg, width: width, height: height, count: 8, distinct: megapixels > 24 ? 4 : 8)
            let (seconds, peak) = try median(folder, 8)
            let decode = try folder.decode(8, threads: 1)
            rows.append((decimals(megapixels, 0), Double(width * height) / 1e6, seconds, decode, peak))
        }
        let usual = rows[2].seconds / rows[2].area
        for row in rows {
            table.add(
                row.name, decimals(row.seconds, 2), decimals(row.seconds / row.area, 3),
                decimals(row.seconds / row.area / usual, 2), decimals(row.seconds / row.decode, 2),
                mebibytes(row.peak), decimals(Double(row.peak) / row.area / 1e6, 1))
        }
        table.show()
    }

    private func median(_ folder: CommandFolder, _ count: Int) throws(NightfuseError) -> (seconds: Double, peak: Int) {
        var outcomes: [CommandFolder.Outcome] = []
        for _ in 0..<runs { outcomes.append(try folder.fuse(count, look: "none", threads: threads)) }
        return (Timing.middle(outcomes.map(\.seconds)), outcomes.map(\.peak).max() ?? 0)
    }
}
