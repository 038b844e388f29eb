package import NightfuseCore

/// Undoes what clipping at black does to the mean light of blocks: dark means are lifted (see ``ClippedNoise``), the more
/// the shorter the exposure, so that exposures seem to lie closer together than they do.
///
/// Blocks are taken for grey: of a mean over three channels nobody can tell which of them was clipped how far.
package struct BlackLift: Sendable {
    /// Signals at means in even steps from 0 on; none where nothing is clipped.
    private let signals: [Float]
    private let perMean: Float

    /// - Parameter channels: R, G and B as they were clipped, noise on the frame's own scale.
    package init(_ channels: [ClippedNoise]) {
        let read = channels.map(\.noise.read).max() ?? 0
        let reach = channels.map(\.reach).max() ?? 0
        guard channels.count == 3, channels.allSatisfy(\.clips), read > 0 else {
            (signals, perMean) = ([], 0)
            return
        }
        func mean(_ x: Double) -> Double {
            0.25 * (channels[0].moments(x).mean + channels[2].moments(x).mean) + 0.5 * channels[1].moments(x).mean
        }
        // Steps of a sixteenth of the read noise keep the curve to a hundredth of it.
        let count = max(Int((reach / read * 16).rounded(.up)), 1) + 1
        let step = reach / Double(count - 1)
        var signals: [Float] = []
        for i in 0..<count {
            let wanted = Double(i) * step
            // What lies below black is read noise that a mean of few samples cannot tell.
            var (low, high) = (0.0, wanted)
            for _ in 0..<40 where mean(low) < wanted {
                let middle = (low + high) / 2
                if mean(middle) < wanted { low = middle } else { high = middle }
            }
            signals.append(Float(low))
        }
        self.signals = signals
        perMean = Float(1 / step)
    }

    /// The blocks' light without the lift, in place; minus infinity, which marks clipping at white, stays.
    package func undo(_ blocks: Plane<Float>) {
        guard !signals.isEmpty else { return }
        for y in 0..<blocks.height {
            let row = blocks.mutableRow(y)
            for x in 0..<blocks.width where row[x] > -.infinity {
                let place = row[x] * perMean
                guard place < Float(signals.count - 1) else { continue }
                let i = Int(max(place, 0))
                row[x] = signals[i] + (signals[i + 1] - signals[i]) * (max(place, 0) - Float(i))
            }
        }
    }
}
