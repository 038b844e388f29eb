internal import Dispatch

/// A line on the terminal that tells what goes on: bar, stage, frames, time left. Drawn only where standard error is
/// a terminal, at most ten times a second, never wider than it.
package final class ProgressBar: @unchecked Sendable {
    // Unchecked: everything that changes is touched on `queue` only.
    private let queue = DispatchQueue(label: "nightfuse.progress")
    private let console: Console
    private let columns: @Sendable () -> Int?
    private let started = DispatchTime.now().uptimeNanoseconds
    private var lastDrawn: UInt64 = 0
    private var shown = false

    /// Nil where nothing is to be drawn.
    init?(console: Console, quiet: Bool) {
        guard !quiet, console.errorColumns() != nil else { return nil }
        self.console = console
        self.columns = console.errorColumns
    }

    /// - Parameters:
    ///   - share: of the whole work that is done, 0 to 1.
    ///   - frames: number of the frame at work (from 1) and how many there are; nil where it is not about one.
    func show(_ stage: String, share: Double, frames: (Int, Int)? = nil) {
        queue.async { self.draw(stage, share, frames) }
    }

    /// Takes the line away, so that other words can stand there.
    func clear() {
        queue.sync {
            guard shown else { return }
            console.writeError("\r\u{1B}[K")
            shown = false
        }
    }

    private func draw(_ stage: String, _ share: Double, _ frames: (Int, Int)?) {
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - lastDrawn >= 100_000_000, let columns = columns() else { return }
        lastDrawn = now
        let elapsed = Double(now - started) / 1e9
        // Before a twentieth is done the time left is a guess of no worth.
        let left = share > 0.05 ? elapsed * (1 - share) / share : nil
        console.writeError("\r" + ProgressBar.line(stage, share, frames, left, columns: columns) + "\u{1B}[K")
        shown = true
    }

    /// The line, shorter than the terminal is wide (the last column makes some terminals wrap).
    package static func line(
        _ stage: String, _ share: Double, _ frames: (Int, Int)?, _ secondsLeft: Double?, columns: Int
    ) -> String {
        let count = frames.map { " \($0.0)/\($0.1)" } ?? ""
        let left = secondsLeft.map { " " + duration($0) } ?? ""
        let words = stage + count + left
        let room = columns - 1
        if room >= words.count + 14 {
            let long = secondsLeft == nil ? words : words + " left"
            let width = min(30, room - long.count - 3)
            let full = Int(Double(width) * min(max(share, 0), 1))
            return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: width - full) + "] " + long
        }
        for text in [words, stage + count, stage] where text.count <= room { return text }
        return String(stage.prefix(max(room, 0)))
    }

    private static func duration(_ seconds: Double) -> String {
        let whole = Int(min(seconds, 359_999).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60) min" }
        return "\(whole / 3600) h"
    }
}
