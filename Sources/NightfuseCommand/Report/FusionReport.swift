#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

internal import Nightfuse
internal import NightfuseCodecs

/// The page of `fuse --report` and `brighten --report`.
struct FusionReport {
    let result: FusionResult
    let outcome: BurstFusion.Outcome
    let facts: RunFacts
    let options: FusionOptions
    /// The reference frame as it was shot.
    let before: Picture?

    func page() throws(NightfuseError) -> [UInt8] {
        var page = ReportPage(title: facts.output, lines: lines)
        let figure = try compareFigure()
        page.section(figure == nil ? "Result" : "Before and after") { html in figure?.add(to: &html) }
        if outcome.frames.count > 1 {
            page.section("Frames") { html in
                FrameTable(frames: outcome.frames, reference: outcome.reference).add(to: &html)
            }
        }
        page.sideBySide { page in
            if let chart = ShiftChart(outcome.frames) {
                page.section("The way the camera went") { html in html.add(chart.svg) }
            }
            page.section("Noise before and after the merge") { html in html.add(noiseChart) }
            page.section("Time") { html in html.add(timeChart) }
        }
        if let timeline { page.section("Exposures") { html in html.add(timeline.svg) } }
        return page.finished(footer: footer)
    }

    // MARK: Words

    private var lines: [String] {
        let used = outcome.frames.count(where: \.report.used)
        let size = "\(facts.width) × \(facts.height) pixels"
        if let amount = result.brightenAmount {
            let words = brightenWords(result, amount)
            return [size, words.prefix(1).uppercased() + words.dropFirst()]
        }
        return [
            "\(size) from \(used) of \(outcome.frames.count) frames",
            "\(fixed(result.effectiveFrames.mean, 1)) effective frames a pixel on average; nine pixels in ten have "
                + "\(fixed(result.effectiveFrames.p10, 1)) or more",
        ]
    }

    private var footer: [String] {
        var settings = ["look \(options.look.rawValue)", "strength \(plainNumber(options.strength))"]
        if options.brightnessEV != 0 { settings.append("brightness \(plainNumber(options.brightnessEV)) EV") }
        if options.brighten != nil { settings = ["brighten", "strength \(plainNumber(options.strength))"] }
        return [
            "Settings: " + settings.joined(separator: ", "),
            "nightfuse \(nightfuseVersion), kernels \(facts.kernels), \(facts.peakMemoryBytes >> 20) MiB at most",
        ]
    }

    // MARK: Pictures

    private func compareFigure() throws(NightfuseError) -> CompareFigure? {
        guard let before else { return nil }
        var maps: [CompareFigure.Map] = []
        let count = outcome.frames.count(where: \.report.used)
        if let map = result.effectiveFrameMap, count > 1 {
            maps.append(
                .init(
                    image: try EmbeddedImage(
                        map.smallMap(longSide: ReportSize.map, full: 256 * Double(count)), ramp: .frames),
                    ramp: .frames,
                    id: "frames", name: "Effective frames", ends: ("0 frames", "\(count) frames")))
        }
        if let map = result.motionMap, count > 1 {
            maps.append(
                .init(
                    image: try EmbeddedImage(map.smallMap(longSide: ReportSize.map), ramp: .motion), ramp: .motion,
                    id: "motion",
                    name: "Motion", ends: ("all agreed", "nothing agreed")))
        }
        let name = outcome.frames.count > 1 ? "Before: frame \(outcome.reference) alone" : "Before"
        return CompareFigure(
            before: try EmbeddedImage(before, longSide: ReportSize.picture, quality: 82),
            after: try EmbeddedImage(result.picture, longSide: ReportSize.picture, quality: 85),
            beforeName: name, afterName: "After", maps: maps)
    }

    // MARK: Charts

    /// Signal levels, shares of full scale in linear light: deep shadow, shadow, middle grey.
    private static let levels = [("1/1000", 0.001), ("1/100", 0.01), ("18/100", 0.18)]

    private var noiseChart: String {
        var bars: [BarChart.Bar] = []
        let frames = max(result.effectiveFrames.mean, 1)
        for (name, level) in FusionReport.levels {
            let sigma = result.noise.variance(level).squareRoot()
            bars.append(.init(name: "\(name), one", value: sigma, text: percent(sigma)))
            bars.append(
                .init(
                    name: "\(name), merged", value: sigma / frames.squareRoot(),
                    text: percent(sigma / frames.squareRoot())))
        }
        let gain = 10 * log10(frames)
        return BarChart(title: "Noise by signal, share of full scale", id: "noise", bars: bars).svg
            + "<p class=\"secondary\">Standard deviation in linear light at three signals, green, of one frame and of the "
            + "merge (on average \(fixed(gain, 1)) dB less), before what is left is taken out.</p>\n"
    }

    private func percent(_ share: Double) -> String { fixed(share * 100, share < 0.01 ? 2 : 1) + " %" }

    private var timeChart: String {
        let stages = [
            ("read", facts.readSeconds), ("align", result.seconds.align), ("merge", result.seconds.merge),
            ("denoise", result.seconds.denoise), ("finish", result.seconds.finish), ("write", facts.writeSeconds),
        ]
        let chart = BarChart(
            title: "Seconds for each stage", id: "stages",
            bars: stages.map { .init(name: $0.0, value: $0.1, text: fixed($0.1, 2) + " s") })
        return chart.svg
            + "<p class=\"secondary\">\(fixed(facts.totalSeconds, 2)) s in all; frames are read while others are "
            + "merged.</p>\n"
    }

    /// The exposures as they were shot, where every frame says when; roles by their light against the reference's.
    private var timeline: TimelineChart? {
        let read = outcome.frames.enumerated().filter { $0.element.facts != nil }
        let product = outcome.frames[outcome.reference].facts?.info.exposureProduct
        guard read.count > 1, let product else { return nil }
        var bars: [TimelineChart.Bar] = []
        for (index, frame) in read {
            guard let info = frame.facts?.info, let time = info.timeSeconds, let seconds = info.exposureSeconds,
                let iso = info.iso
            else { return nil }
            let light = seconds * iso / product
            bars.append(
                .init(
                    start: time, exposureSeconds: seconds, iso: iso,
                    role: light > 1.2 ? .long : light < 0.8 ? .short : .base,
                    label: "frame \(index): \(exposureText(seconds)), ISO \(fixed(iso, 0))"))
        }
        let first = bars.map(\.start).min() ?? 0
        for index in bars.indices { bars[index].start -= first }
        return TimelineChart(bars: bars, title: "Exposures along time, as shot")
    }
}
