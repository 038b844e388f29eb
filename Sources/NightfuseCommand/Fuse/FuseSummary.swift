package import NightfusePipeline

/// What `fuse` tells a person: one line, and one for each frame that was left out or counts less.
package func fuseSummary(
    reference: Int, frames: [FrameEntry], result: FusionResult, facts: RunFacts
) -> String {
    if let amount = result.brightenAmount { return brightenSummary(amount, facts) }
    let used = frames.count(where: \.report.used)
    let memory = facts.peakMemoryBytes >> 20
    var lines = [
        "\(facts.output): \(facts.width) x \(facts.height) from \(used) of \(frames.count) "
            + "frame\(frames.count == 1 ? "" : "s"), \(fixed(result.effectiveFrames.mean, 1)) effective, "
            + "reference \(reference) (\(frames[reference].report.name)), \(fixed(facts.totalSeconds, 1)) s, \(memory) MiB"
    ]
    for (index, frame) in frames.map(\.report).enumerated() {
        guard let reason = frame.reason else { continue }
        let what = frame.used ? "weight \(fixed(frame.weight, 2))" : "left out"
        lines.append("  frame \(index) (\(frame.name)) \(what): \(oneLine(reason))")
    }
    return lines.joined(separator: "\n") + "\n"
}

/// What `brighten` tells a person.
private func brightenSummary(_ amount: Double, _ facts: RunFacts) -> String {
    let what = amount > 0 ? "brightened by \(fixed(amount, 2))" : "is not dark, and was left nearly as it was"
    let size = "\(facts.width) x \(facts.height), \(fixed(facts.totalSeconds, 1)) s, \(facts.peakMemoryBytes >> 20) MiB"
    return "\(facts.output): \(what); \(size)\n"
}
