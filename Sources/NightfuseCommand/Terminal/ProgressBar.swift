private import Dispatch
internal import NightfusePipeline

/// A line on the terminal that tells what goes on: bar, stage, frames, time left. Drawn only where standard error is
/// a terminal, at most ten times a second, never as wide as it.
package final class ProgressBar: @unchecked Sendable {
    // Unchecked: everything that changes is touched with the lock held only.
    private let lock = DispatchSemaphore(value: 1)
    private let console: Console
    private let frameCount: Int
    private let started = DispatchTime.now().uptimeNanoseconds
    private var frame = 0
    private var lastDrawn: UInt64 = 0
    private var shown = false

    /// Share of a fusion's time that goes into its frames; the rest is denoise, finish and writing. Only the guess of
    /// the time left hangs on it.
    private static let frameShare = 0.7

    /// Nil where nothing is to be drawn.
    init?(_ run: VerbRun, frames: Int) {
        guard !run.quiet, run.console.errorColumns() != nil else { return nil }
        console = run.console
        frameCount = frames
    }

    /// A frame comes next, counted from 0.
    func begin(frame: Int) {
        locked {
            self.frame = frame
            self.draw(
                "read", Double(frame) / Double(self.frameCount) * ProgressBar.frameShare, (frame + 1, self.frameCount))
        }
    }

    /// A stage of the session, and the share of it that is done.
    func show(_ stage: FusionStage, _ share: Double) {
        locked {
            switch stage {
            case .align, .merge:
                let part = stage == .align ? share / 2 : 0.5 + share / 2
                let all = (Double(self.frame) + part) / Double(self.frameCount) * ProgressBar.frameShare
                self.draw(stage.rawValue, all, (self.frame + 1, self.frameCount))
            case .denoise: self.draw(stage.rawValue, ProgressBar.frameShare + 0.15 * share, nil)
            case .finish: self.draw(stage.rawValue, ProgressBar.frameShare + 0.15 + 0.1 * share, nil)
            }
        }
    }

    /// The file is being written.
    func showWriting() { locked { self.draw("write", ProgressBar.frameShare + 0.25, nil) } }

    /// Takes the line away, so that other words can stand there.
    func clear() {
        locked {
            guard shown else { return }
            console.writeError("\r\u{1B}[K")
            shown = false
        }
    }

    private func locked(_ body: () -> Void) {
        lock.wait()
        defer { lock.signal() }
        body()
    }

    private func draw(_ stage: String, _ share: Double, _ frames: (Int, Int)?) {
        let now = DispatchTime.now().uptimeNanoseconds
        guard now - lastDrawn >= 100_000_000, let columns = console.errorColumns() else { return }
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
        let long = secondsLeft == nil ? words : words + " left"
        // A bar of fewer than ten marks tells nothing.
        let width = min(30, room - long.count - 3)
        if width >= 10 {
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
