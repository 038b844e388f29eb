package import NightfusePipeline

/// What `fuse` tells a person: one line, and one for each frame that was left out or counts less.
package func fuseSummary(
    reference: Int, frames: [FrameEntry], result: FusionResult, facts: RunFacts
) -> String {
    if let amount = result.brightenAmount { return brightenSummary(brightenWords(result, amount), facts) }
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
private func brightenSummary(_ words: String, _ facts: RunFacts) -> String {
    let size = "\(facts.width) x \(facts.height), \(fixed(facts.totalSeconds, 1)) s, \(facts.peakMemoryBytes >> 20) MiB"
    return "\(facts.output): \(words); \(size)\n"
}

/// What became of the photograph's light.
func brightenWords(_ result: FusionResult, _ amount: Double) -> String {
    if amount > 0 { return "brightened by \(fixed(amount, 2))" }
    return result.holdsNoLight
        ? "is all black, with no light to raise, and was left as it was" : "is not dark, and was left nearly as it was"
}
