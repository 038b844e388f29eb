internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseRaw

/// `nightfuse inspect FRAME|FOLDER...`.
func inspectVerb(_ run: VerbRun) throws {
    let files = try frameFiles(run.arguments.operands)
    var options = FusionOptions()
    // What is measured does not hang on how the picture would be finished.
    options.look = .none
    options.strength = 0
    options.limits = run.limits
    let progress = ProgressBar(run, frames: files.count)
    defer { progress?.clear() }
    let headers = files.map { readHeader($0, limits: run.limits) }
    let outcome = try BurstFusion(
        files: files, headers: headers, run: run, options: options, misfit: .isNoted, progress: progress
    ).fuse()
    guard outcome.frames.contains(where: { $0.facts != nil }) else {
        throw NightfuseError.argument("no frame could be read")
    }
    let rasters = rasters(of: files, outcome, run)
    progress?.clear()
    try run.report(inspectDocument(outcome, rasters), text: inspectText(outcome, rasters))
}

/// The rasters of the raw files, by index.
private func rasters(of files: [FilePath], _ outcome: BurstFusion.Outcome, _ run: VerbRun) -> [Int: DNGRaster] {
    var rasters: [Int: DNGRaster] = [:]
    for (index, (path, entry)) in zip(files, outcome.frames).enumerated() where entry.facts?.raw != nil {
        // A file that can no longer be read has none.
        rasters[index] = try? DNGRaster(
            FileAccess.read(path, limits: run.limits), name: "\(path)", limits: run.limits, workers: run.workers)
    }
    return rasters
}

/// The document of `inspect --json`.
private func inspectDocument(_ outcome: BurstFusion.Outcome, _ rasters: [Int: DNGRaster]) -> JSONValue {
    let frames = outcome.frames.enumerated().map { index, entry in
        let facts = entry.facts
        var members = entry.members
        members += [
            .init("width", facts.map { .integer($0.width) } ?? .null),
            .init("height", facts.map { .integer($0.height) } ?? .null),
            .init("bits", facts.map { .integer($0.bits) } ?? .null),
            .init("format", .optional(facts?.format)),
            .init("date", .optional(facts?.info.date)),
            .init("colour", .optional(facts?.colour)),
            .init("notes", .array((facts?.notes ?? []).map(JSONValue.string))),
        ]
        if let raw = facts?.raw { members.append(.init("raw", raw.json(rasters[index]))) }
        return JSONValue.object(members)
    }
    let noise = outcome.result.map { result in
        JSONValue.object(["shot": .number(result.noise.shot), "read": .number(result.noise.read)])
    }
    return .object(["frames": .array(frames), "noise": noise ?? .null])
}

extension FrameFacts.Raw {
    fileprivate func json(_ raster: DNGRaster?) -> JSONValue {
        let raster = raster.map { raster in
            JSONValue.object([
                "width": .integer(raster.width), "height": .integer(raster.height),
                "samples": .integer(raster.samplesPerPixel), "crc32": .string(raster.checksum),
            ])
        }
        return .object([
            "pattern": .string(pattern), "black": .array(black.map(JSONValue.number)),
            "white": .array(white.map(JSONValue.number)), "compression": .string(compression),
            "noise": .array(noise.map { .object(["shot": .number($0.shot), "read": .number($0.read)]) }),
            "raster": raster ?? .null,
        ])
    }
}

extension DNGRaster {
    /// Eight hexadecimal digits.
    fileprivate var checksum: String {
        let digits = String(crc32, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}

private func inspectText(_ outcome: BurstFusion.Outcome, _ rasters: [Int: DNGRaster]) -> String {
    var rows: [[String]] = []
    var remarks: [String] = []
    for (index, entry) in outcome.frames.enumerated() {
        let (report, facts, measured) = (entry.report, entry.facts, entry.isMeasured)
        rows.append([
            "\(index)\(outcome.result != nil && index == outcome.reference ? "*" : "")",
            facts.map { "\($0.width) x \($0.height)" } ?? "-",
            facts.map { "\($0.format) \($0.bits)" } ?? "-",
            facts?.info.date.map(timeOfDay) ?? "-",
            report.exposureSeconds.map(exposureText) ?? "-", report.iso.map { fixed($0, 0) } ?? "-",
            measured ? fixed(report.sharpness, 2) : "-",
            measured ? "\(fixed(report.shift.x, 1)), \(fixed(report.shift.y, 1))" : "-",
            measured ? fixed(report.rotationDegrees, 2) : "-", measured ? fixed(report.weight, 2) : "-",
            oneLine(report.name),
        ])
        if let raw = facts?.raw { remarks.append("\(index)  \(raw.text)") }
        if let raster = rasters[index] {
            remarks.append("\(index)  raster \(raster.width) x \(raster.height), CRC-32 \(raster.checksum)")
        }
        remarks += (facts?.notes ?? []).map { "\(index)  \($0)" }
        if let reason = report.reason { remarks.append("\(index)  \(reason)") }
    }
    let days = outcome.frames.compactMap { $0.facts?.info.date?.prefix { $0 != " " } }
    if let first = days.first { remarks.insert("taken on \(first)\(Set(days).count > 1 ? " and later" : "")", at: 0) }
    var lines = Table(
        [
            ("#", .left), ("Size", .right), ("Format", .left), ("Time", .left), ("Exposure", .right), ("ISO", .right),
            ("Sharp", .right), ("Shift px", .right), ("Turn", .right), ("Weight", .right),
            ("File", .left),
        ], rows: rows
    ).lines
    if let result = outcome.result {
        let noise = "shot \(JSONValue.numberText(result.noise.shot)), read \(JSONValue.numberText(result.noise.read))"
        lines += ["", "* the reference   Noise of one frame: \(noise)"]
    }
    if !remarks.isEmpty { lines += [""] + remarks.map(oneLine) }
    return lines.joined(separator: "\n") + "\n"
}

/// What stands behind the day in an EXIF date.
private func timeOfDay(_ date: String) -> String {
    oneLine(date.split(separator: " ", maxSplits: 1).last.map(String.init) ?? date)
}

extension FrameFacts.Raw {
    fileprivate var text: String {
        let levels = { (values: [Double]) in values.map(plainNumber).joined(separator: " ") }
        let noise =
            noise.isEmpty
            ? "no noise profile"
            : "noise "
                + noise.map { "\(JSONValue.numberText($0.shot)) x + \(JSONValue.numberText($0.read))^2" }
                .joined(separator: ", ")
        return "raw \(pattern), black \(levels(black)), white \(levels(white)), \(compression), \(noise)"
    }
}
