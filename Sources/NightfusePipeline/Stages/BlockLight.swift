package import NightfuseCore

/// Mean linear light of blocks of 8 x 8 pixels: (R + 2 G + B) / 4 of the frame's own scale; minus infinity
/// where a sample is clipped at white.
///
/// - Parameter black: the noise of the three channels as it was clipped at black. Clipping lifts dark means (see
///   ``ClippedNoise``), which is undone; without it the means stay as they are.
package func blockLight(
    _ frame: FrameData, undoing black: [ClippedNoise] = [], workers: Workers
) throws(NightfuseError) -> Plane<Float> {
    let blocks = try Plane<Float>(width: (frame.width + 7) / 8, height: (frame.height + 7) / 8)
    let width = frame.width
    let lifts = black.map { BlackLift($0) }
    try workers.bands(
        blocks.height, grain: 4, scratch: { Floats(5 * width) }
    ) { (work, _, rows) throws(NightfuseError) in
        let line = work.base
        let sums = (line, line + width, line + 2 * width)
        let (row, peaks) = (line + 3 * width, line + 4 * width)
        for by in rows {
            let out = blocks.row(by)
            line.update(repeating: 0, count: 3 * width)
            peaks.update(repeating: 0, count: width)
            let last = min(by * 8 + 8, frame.height)
            for y in by * 8..<last {
                for (channel, sum) in [sums.0, sums.1, sums.2].enumerated() {
                    frame.linearRow(channel: channel, y: y, from: 0, count: width, into: row)
                    for x in 0..<width { sum[x] += row[x] }
                    for x in 0..<width { peaks[x] = max(peaks[x], row[x]) }
                }
            }
            for bx in 0..<blocks.width {
                let end = min(bx * 8 + 8, width)
                var (r, g, b, peak) = (Float(0), Float(0), Float(0), Float(0))
                for x in bx * 8..<end {
                    (r, g, b) = (r + sums.0[x], g + sums.1[x], b + sums.2[x])
                    peak = max(peak, peaks[x])
                }
                let share = 1 / Float((end - bx * 8) * (last - by * 8))
                (r, g, b) = (r * share, g * share, b * share)
                if lifts.count == 3 { (r, g, b) = (lifts[0].undone(r), lifts[1].undone(g), lifts[2].undone(b)) }
                out[bx] = peak >= frame.whiteClip ? -.infinity : 0.25 * (r + b) + 0.5 * g
            }
        }
    }
    return blocks
}

/// The signal from the mean of samples that were clipped at black, from a table.
private struct BlackLift {
    /// Signals at means in even steps from 0 on.
    private let signals: [Float]
    private let perMean: Float

    init(_ noise: ClippedNoise) {
        guard noise.clips, noise.noise.read > 0 else {
            (signals, perMean) = ([], 0)
            return
        }
        // Steps of a sixteenth of the read noise keep the curve to a hundredth of it.
        let count = max(Int(noise.reach / noise.noise.read * 16), 1) + 1
        let step = noise.reach / Double(count - 1)
        // What lies below black is read noise that a mean of few samples cannot tell.
        signals = (0..<count).map { Float(max(noise.signal(mean: Double($0) * step), 0)) }
        perMean = Float(1 / step)
    }

    func undone(_ mean: Float) -> Float {
        let place = mean * perMean
        guard place < Float(signals.count - 1) else { return mean }
        let i = Int(max(place, 0))
        return signals[i] + (signals[i + 1] - signals[i]) * (place - Float(i))
    }
}
