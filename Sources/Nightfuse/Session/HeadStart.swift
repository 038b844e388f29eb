internal import NightfuseKernels

/// Chooses the reference and measures the noise, one held frame after the other: what can be done before the last of them
/// is there need not wait for it.
final class HeadStart {
    private let asked: Int?
    private let measuresNoise: Bool
    private let workers: Workers
    private var frames: [(index: Int, frame: FrameData)] = []
    private var best: (index: Int, frame: FrameData)?
    private var most = -1.0
    /// How bright the best frame is.
    private var ranks: LightRanks?
    /// Noise of the first frame, and the curve of it on which all are compared.
    private var firstNoise: NoiseEstimation?
    private var stabiliser: Stabiliser?
    /// With the best frame so far as the reference.
    private var pairing: NoisePairing?
    /// Wall time of the work, for the books.
    private(set) var seconds = 0.0

    /// - Parameters:
    ///   - asked: number of the frame that is to be the reference; nil: the sharpest.
    ///   - measuresNoise: whether pairs are measured.
    init(asked: Int?, measuresNoise: Bool, workers: Workers) {
        (self.asked, self.measuresNoise, self.workers) = (asked, measuresNoise, workers)
    }

    /// Number of the reference among the frames so far: the one asked for, or the one with the steepest slopes, noise taken
    /// out; the first on a tie. Of exposures that clearly differ though no tags say so, the one that is clipped least.
    var reference: Int? { best?.index }

    /// Noise of pairs with ``reference``; nil where pairs are to be measured otherwise, or there are none.
    func noise() throws(NightfuseError) -> NoiseEstimation? {
        guard frames.count > 1, let pairing, pairing.hasPartners else { return nil }
        return try pairing.estimation()
    }

    func add(_ index: Int, _ frame: FrameData) throws(NightfuseError) {
        let clock = ContinuousClock()
        let start = clock.now
        frames.append((index, frame))
        if try isBetter(index, frame) {
            best = (index, frame)
            pairing = nil
        }
        try pair(frame)
        seconds += (clock.now - start).seconds
    }

    private func isBetter(_ index: Int, _ frame: FrameData) throws(NightfuseError) -> Bool {
        if let asked { return index == asked }
        let curve: Stabiliser
        if let stabiliser {
            curve = stabiliser
        } else {
            let noise = NoiseEstimation(frame: frame, workers: workers)
            curve = Fusion.lumaStabiliser(noise, clips: frame.clippedAtBlack)
            (firstNoise, stabiliser) = (noise, curve)
        }
        let light = try FrameLight(frame, workers: workers)
        // Tags tell which frames are of the base exposure, and others do not come here.
        let brightness = frame.info.exposureProduct == nil && frame.clippedAtBlack ? LightRanks(light.blocks) : nil
        let luma = try LumaPyramid(usingUp: light, radianceScale: 1, stabiliser: curve, workers: workers)
        let value = try sharpness(luma, workers: workers)
        // One part in a hundred is within what noise moves.
        var better = value > most * 1.01
        if let brightness, let ranks, let told = brightness.isBetter(than: ranks) { better = told }
        if better { (most, ranks) = (value, brightness) }
        return better
    }

    /// Pairs the newest frame with the best one, or all others with a best one that is new.
    private func pair(_ frame: FrameData) throws(NightfuseError) {
        guard measuresNoise, frames.count > 1, let best, Fusion.measuresNoiseOnce(best.frame) else { return }
        if pairing != nil {
            try pairing?.add(frame)
            return
        }
        let known = best.index == frames[0].index ? firstNoise : nil
        var made = try NoisePairing(
            reference: best.frame, start: known ?? NoiseEstimation(frame: best.frame, workers: workers),
            workers: workers)
        for other in frames where other.index != best.index { try made.add(other.frame) }
        pairing = made
    }
}
