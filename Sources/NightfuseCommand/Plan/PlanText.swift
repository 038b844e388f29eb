package import NightfuseMetering

extension CapturePlan {
    /// The plan as a photographer reads it: table, timeline, scene, reasons. 78 columns at most but for long reasons.
    package var text: String {
        var lines = [
            nightMode ? "Night mode: on" : "Night mode: off (light enough); what to shoot all the same:", "",
        ]
        lines +=
            Table(
                [("Frame", .right), ("Exposure", .right), ("ISO", .right), ("Role", .left)],
                rows: frames.enumerated().map { index, frame in
                    ["\(index + 1)", exposureText(frame.exposureSeconds), fixed(frame.iso, 0), frame.role.rawValue]
                }
            ).lines
        lines += ["", "Time \(fixed(fusionTimeSeconds, 2)) s for \(frames.count) frame\(frames.count == 1 ? "" : "s")"]
        lines += timeline(columns: 70) + [""] + sceneLines
        if !because.isEmpty {
            lines += ["", "Because"]
            for reason in because {
                let wrapped = HelpText.wrap(reason, to: 74)
                lines += ["- " + wrapped[0]] + wrapped.dropFirst().map { "  " + $0 }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The frames along time: s short, = base, # long, a bar between frames.
    private func timeline(columns: Int) -> [String] {
        let total = frames.reduce(0) { $0 + $1.exposureSeconds }
        guard total > 0 else { return [] }
        let room = Double(max(columns - frames.count - 1, frames.count))
        var line = "|"
        for frame in frames {
            let width = max(1, Int((frame.exposureSeconds / total * room).rounded()))
            line += String(repeating: frame.role.mark, count: width) + "|"
        }
        let used = FrameRole.allCases.filter { role in frames.contains { $0.role == role } }
        return [line, used.map { "\($0.mark) \($0.rawValue)" }.joined(separator: "   ")]
    }

    private var sceneLines: [String] {
        sceneRows.map { row in row[0] + String(repeating: " ", count: 10 - row[0].count) + row[1] }
    }

    /// What was measured and what is expected: name and value.
    var sceneRows: [[String]] {
        func speed(_ value: Double?) -> String { value.map { fixed($0, 1) + " px/s" } ?? "not known" }
        let flicker = scene.flickerHz.map { $0 == 0 ? "none" : "\($0) Hz" } ?? "not known"
        let subject =
            speed(scene.subjectMotion)
            + (scene.subjectFraction > 0 ? " over \(fixed(scene.subjectFraction * 100, 1)) % of the picture" : "")
        return [
            ["Scene", "mean radiance \(significant(scene.meanLuminance)) (full scale at ISO 100 in 1 s)"],
            [
                "Shadows",
                "\(fixed(scene.shadowDepthEV, 1)) EV deep, range \(fixed(scene.dynamicRangeEV, 1)) EV, "
                    + "clipped \(fixed(scene.clippedFraction * 100, 2)) %",
            ],
            ["Camera", "\(speed(scene.cameraMotion))\(scene.steady ? ", steady" : "")"],
            ["Subject", subject],
            ["Flicker", flicker],
            [
                "Expected",
                "shadows \(fixed(expected.shadowSNRdB, 1)) dB over noise, blur \(fixed(expected.blurPx, 1)) px",
            ],
        ]
    }
}

extension FrameRole {
    fileprivate var mark: String {
        switch self {
        case .short: "s"
        case .base: "="
        case .long: "#"
        }
    }
}

/// "1/15 s", and from 0.3 s on "0.50 s".
package func exposureText(_ seconds: Double) -> String {
    guard seconds > 0, seconds.isFinite else { return "-" }
    return seconds < 0.3 ? "1/\(fixed(1 / seconds, 0)) s" : "\(fixed(seconds, 2)) s"
}

/// A small number with two significant digits.
private func significant(_ value: Double) -> String {
    guard value > 0 else { return "0" }
    var digits = 1
    var scaled = value
    while scaled < 1, digits < 9 { (scaled, digits) = (scaled * 10, digits + 1) }
    return fixed(value, digits)
}
