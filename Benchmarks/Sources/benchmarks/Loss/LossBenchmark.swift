internal import NightfuseCore
internal import NightfusePipeline

/// Tells, for every noise level, what alignment, merge, resampling and denoising lose.
struct LossBenchmark {
    let options: LossOptions
    let workers: Workers

    private struct Row {
        var level: NoiseLevel
        var signalToNoise = 0.0
        var scores: [LossChain.Scores] = []
        var facts = AlignmentFacts()
    }

    func run() throws(NightfuseError) {
        var rows: [Row] = []
        var names: [String] = []
        for (number, scene) in try scenes().enumerated() {
            let seed = options.seed &+ UInt64(number)
            let burst = try KnownBurst(scene, seed: seed, count: options.frames, workers: workers)
            names.append("\(scene.name) (\(burst.width) x \(burst.height))")
            let light = Self.meanLight(burst)
            for (k, level) in NoiseLevel.all(meanLight: light).enumerated() {
                if rows.count <= k { rows.append(Row(level: level)) }
                rows[k].signalToNoise += level.signalToNoise(meanLight: light)
                let chain = try LossChain(burst, level, seed: seed &* 8 &+ UInt64(k), workers: workers)
                let result = try chain.scores(seed: seed &* 8 &+ UInt64(k))
                rows[k].scores.append(result.scores)
                rows[k].facts.add(result.facts)
            }
        }
        print("Where the loss is: \(options.frames) frames of \(names.joined(separator: ", ")), seed \(options.seed)\n")
        show(rows, scenes: names.count)
        print(Self.legend)
    }

    private func scenes() throws(NightfuseError) -> [FineScene] {
        var scenes: [FineScene] = []
        for photo in options.photos { scenes.append(try FineScene(photo: photo, workers: workers)) }
        if scenes.isEmpty {
            scenes.append(try FineScene(photo: options.samples + "/street-truth.jpg", workers: workers))
            scenes.append(try FineScene(leavesSeed: options.seed, workers: workers))
        }
        return scenes
    }

    /// Mean green of the first frame, 1 = white.
    private static func meanLight(_ burst: KnownBurst) -> Double {
        var sum = 0.0
        for y in 0..<burst.height { for x in 0..<burst.width { sum += Double(burst.clean[0][1].row(y)[x]) } }
        return sum / Double(burst.width * burst.height)
    }

    /// Two rows a level: the still part and what moves by itself.
    private func show(_ rows: [Row], scenes: Int) {
        var table = Table(
            "level", "part", "SNR", "global px", "p95", "tiles px", "p95", "rejected %", "harmful %", "merged %",
            "limit dB",
            "denoise", "resample", "merge", "align", "noise", "result", "detail", "limit's")
        for row in rows {
            for part in [KnownBurst.Part.still, .mover] {
                let found = part == .still ? row.facts.still : row.facts.mover
                func px(_ values: [Double], _ share: Double) -> String {
                    decimals(AlignmentFacts.quantile(values, share), 2)
                }
                func mean(_ pick: (LossScore) -> Double, _ of: (LossChain.Scores) -> LossScore) -> Double {
                    row.scores.reduce(0) { $0 + pick(of($1)) } / Double(row.scores.count)
                }
                func decibels(_ of: (LossChain.Scores) -> LossScore) -> Double {
                    mean({ part == .still ? $0.still : $0.mover }, of)
                }
                func loss(
                    _ to: (LossChain.Scores) -> LossScore, _ from: (LossChain.Scores) -> LossScore
                ) -> String { decimals(decibels(to) - decibels(from), 2) }
                let detail = part == .still ? [mean(\.detail, \.whole), mean(\.detail, \.limit)] : []
                table.add(
                    row.level.name, part == .still ? "still" : "mover",
                    decimals(row.signalToNoise / Double(scenes), 1), px(found.global, 0.5), px(found.global, 0.95),
                    px(found.tiles, 0.5), px(found.tiles, 0.95), decimals(100 * found.falselyRejected, 1),
                    decimals(100 * found.harmful, 1), decimals(100 * found.falselyMerged, 1),
                    decimals(decibels(\.limit), 2), loss(\.denoised, \.limit), loss(\.resampled, \.denoised),
                    loss(\.merged, \.resampled), loss(\.aligned, \.merged), loss(\.whole, \.aligned),
                    decimals(decibels(\.whole), 2), detail.isEmpty ? "" : decimals(detail[0], 2),
                    detail.isEmpty ? "" : decimals(detail[1], 2))
            }
        }
        table.show()
    }

    private static let legend = """
        SNR: signal over noise of a pixel as bright as the mean. global, tiles: distance from the true motion, pixels, median and
        95th percentile, by the homography alone (for the mover: how far it went by itself) and with the tiles.
        harmful: samples that differ from the reference by more than one frame's noise, once resampled by the alignment found;
        merged: the share of those that was merged all the same; rejected: of all others, the share that was not merged.
        limit: frames in place, all of them used, each patch weighed by the clean picture's own coefficients. From there each
        column puts one stage as it is for its limit: denoise (the pipeline's), resample (frames that moved, by the true
        motion), merge (the pipeline's judgement of what agrees), align (the motion found), noise (measured).
        dB: peak signal to noise with white at 1 and sRGB's curve. detail: share of faint texture kept.
        """
}
