#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a bracket must keep to.
struct BracketLimits {
    var shortest: Double
    var longest: Double
    var minISO: Double
    var maxISO: Double
    var frames: Int
    var gap: Double

    func iso(_ value: Double) -> Double { min(max(value, minISO), maxISO) }
}

/// Looks for the bracket with the best predicted quality in a given time.
///
/// Equal exposures are tried at all lengths. In a bracket the base frames are there for what moves, and have the exposure
/// that is best for it; the long frames are there for all that stands still.
struct BracketSearch {
    let model: ErrorModel
    let limits: BracketLimits
    /// The base exposure of brackets; nil where nothing moves, so that there is no use for them.
    private let moverBase: Double?

    struct Found {
        var bracket: Bracket
        /// What the search goes by, dB.
        var quality: Double
        /// Of the whole picture, dB.
        var psnr: Double
        /// Of the shadows, lifted, as far as they count for themselves (see `shadowShare`), dB.
        var shadows: Double

        /// What `other` loses against this one (dB): whichever loses most.
        func loss(of other: Found) -> Double {
            max(quality - other.quality, psnr - other.psnr, shadows - other.shadows)
        }
    }

    /// Each frame must win by this (dB): what is simpler is more robust.
    private static let frameCost = 0.01
    /// What a bracket must win by (dB): half a decibel where the shade is shallow, since all frames then do all of the work;
    /// in deep shade it may lose one, for only a bracket keeps what moves sharp there.
    private let bracketCost: Double
    private static let shallowCost = 0.5
    /// A decibel of the shadows for one of the picture, where the shade is deep: they are what time is taken for there.
    private let shadowShare: Double
    private static let deepShadows = 0.5
    private static let deepGain = 1.0
    private static let shallowShade = 3.0
    private static let deepShade = 4.5
    /// No shorter base frame than this (seconds): there would be nothing to align to.
    private let leastBase: Double
    /// In a bracket what moves blurs by no more than this (pixels) ...
    private static let sharp = 2.0
    /// ... but a base frame is never shorter than a quarter of what is best for what moves.
    private static let leastShare = 0.25
    /// Signal to noise of the mid-tones in one frame that alignment needs.
    private static let leastSignal = 0.7
    /// A long frame is at least so many times a base frame.
    private static let leastRatio = 1.5
    /// ISO of the long frames over that at which white just stays below full scale. More costs the lit parts what it gains
    /// in the shadows.
    private static let mostRaised = 2.0

    /// `shadeEV`: how deep the shadows lie.
    init(model: ErrorModel, limits: BracketLimits, shadeEV: Double) {
        self.model = model
        self.limits = limits
        let deep = min(max((shadeEV - Self.shallowShade) / (Self.deepShade - Self.shallowShade), 0), 1)
        bracketCost = Self.shallowCost - deep * (Self.shallowCost + Self.deepGain)
        shadowShare = Self.deepShadows * deep
        leastBase = Self.leastBase(model, limits)
        guard model.moving > 0 else {
            moverBase = nil
            return
        }
        let best = model.moverBest(shortest: limits.shortest, longest: limits.longest) { limits.iso(model.openISO($0)) }
        let sharp = min(best, Self.sharp / max(model.subject, 1e-3))
        moverBase = min(max(sharp, best * Self.leastShare, leastBase), limits.longest)
    }

    /// The shortest exposure at which the mid-tones can be seen in one frame.
    private static func leastBase(_ model: ErrorModel, _ limits: BracketLimits) -> Double {
        var low = log2(limits.shortest)
        var high = log2(max(limits.longest, limits.shortest))
        for _ in 0..<20 {
            let seconds = exp2((low + high) / 2)
            let frame = Bracket(base: seconds, baseISO: limits.iso(model.openISO(seconds)), baseCount: 1)
            if model.signalToNoise(frame, at: model.midtone) < leastSignal {
                low = log2(seconds)
            } else {
                high = log2(seconds)
            }
        }
        return exp2(high)
    }

    /// The best bracket that takes at most `seconds`; nil where not even one frame fits.
    func best(within seconds: Double) -> Found? {
        var best = bestEqual(within: seconds)
        if let base = moverBase {
            for longCount in 1...max((limits.frames - 1) / 2, 1) {
                for baseCount in [longCount + 1, longCount + 3, limits.frames - longCount] where baseCount > longCount {
                    guard baseCount + longCount <= limits.frames else { continue }
                    for share in [1.0, 0.6] {
                        keep(&best, bracket(base: base, count: baseCount, share, longCount: longCount, within: seconds))
                    }
                }
            }
        }
        return best.map { polished($0, within: seconds) }
    }

    /// The best of equal exposures: so many as fill the time, or as many as the device takes, of what length is best.
    private func bestEqual(within seconds: Double) -> Found? {
        var best: Found?
        for count in 1...max(limits.frames, 1) {
            let room = (seconds - Double(count - 1) * limits.gap) / Double(count)
            guard count == 1 || room >= leastBase else { break }
            keep(&best, bracket(base: min(limits.longest, room), count: count, 1, longCount: 0, within: seconds))
        }
        let most = limits.frames
        let room = (seconds - Double(most - 1) * limits.gap) / Double(most)
        guard room > leastBase else { return best }
        // Golden section over the logarithm: the error falls with the noise, then rises with the blur.
        var low = log2(leastBase)
        var high = log2(min(limits.longest, room))
        var pair: [(at: Double, found: Found?)] = []
        func look(_ at: Double) -> (at: Double, found: Found?) {
            (at, bracket(base: exp2(at), count: most, 1, longCount: 0, within: seconds).map(judge))
        }
        pair = [look(high - Self.golden * (high - low)), look(low + Self.golden * (high - low))]
        for _ in 0..<Self.goldenSteps {
            if pair[0].found?.quality ?? -.infinity > pair[1].found?.quality ?? -.infinity {
                high = pair[1].at
                pair = [look(high - Self.golden * (high - low)), pair[0]]
            } else {
                low = pair[0].at
                pair = [pair[1], look(low + Self.golden * (high - low))]
            }
        }
        for case let found? in pair.map(\.found) where found.quality > best?.quality ?? -.infinity { best = found }
        return best
    }

    private static let golden = 0.618
    /// From 1/8000 s to 1 s to within a hundredth of a stop.
    private static let goldenSteps = 15

    private func keep(_ best: inout Found?, _ bracket: Bracket?) {
        guard let bracket else { return }
        let found = judge(bracket)
        if found.quality > best?.quality ?? -.infinity { best = found }
    }

    private func judge(_ bracket: Bracket) -> Found {
        let error = model.error(bracket)
        let cost = Self.frameCost * Double(bracket.count) + (bracket.longCount > 0 ? bracketCost : 0)
        return Found(
            bracket: bracket, quality: error.quality - cost, psnr: error.psnr,
            shadows: -10 * log10(error.shadows) * shadowShare)
    }

    /// A bracket with its ISOs, its long frames taking the `share` of what time is left and `raised` times the ISO that keeps
    /// white below full scale; nil where it does not fit.
    private func bracket(
        base: Double, count: Int, _ share: Double, longCount: Int, raised: Double = 1, within seconds: Double
    ) -> Bracket? {
        let gaps = Double(count + longCount - 1) * limits.gap
        let room = (seconds - gaps) / Double(count)
        let base = longCount == 0 ? min(base, room) : base
        guard base >= limits.shortest, base <= limits.longest, base * Double(count) <= seconds - gaps + 1e-9 else {
            return nil
        }
        var made = Bracket(base: base, baseISO: limits.iso(model.openISO(base)), baseCount: count)
        guard longCount > 0 else { return made }
        made.long = min((seconds - gaps - base * Double(count)) / Double(longCount), limits.longest) * share
        guard made.long >= Self.leastRatio * base else { return nil }
        made.longCount = longCount
        made.longISO = limits.iso(model.openISO(made.long) * raised)
        return made
    }

    /// Small steps from a start while they help.
    private func polished(_ start: Found, within seconds: Double) -> Found {
        var best = start
        // Of the time left to the long frames, and of their ISO.
        var share = 1.0
        var raised = 1.0
        if best.bracket.longCount > 0 {
            let b = best.bracket
            raised = max(b.longISO / model.openISO(b.long), 1)
            let room = seconds - Double(b.count - 1) * limits.gap - b.base * Double(b.baseCount)
            share = min(b.long / max(min(room / Double(b.longCount), limits.longest), 1e-9), 1)
        }
        func attempt(
            base: Double, count: Int, share newShare: Double, longCount: Int, raised newRaised: Double
        ) -> Bool {
            guard count >= 1, longCount >= 0, (longCount == 0) == (best.bracket.longCount == 0),
                count + longCount <= limits.frames, longCount == 0 || count > longCount,
                newShare <= 1, newShare > 0.05, 1...Self.mostRaised ~= newRaised,
                let made = bracket(
                    base: base, count: count, newShare, longCount: longCount, raised: newRaised, within: seconds)
            else { return false }
            let found = judge(made)
            guard found.quality > best.quality + 1e-5 else { return false }
            best = found
            (share, raised) = (newShare, newRaised)
            return true
        }
        var step = 1.41421356
        for _ in 0..<Self.mostRounds {
            var moved = false
            for factor in [step, 1 / step] where best.bracket.longCount == 0 {
                let b = best.bracket
                moved =
                    attempt(
                        base: b.base * factor, count: b.baseCount, share: share, longCount: b.longCount, raised: raised)
                    || moved
            }
            if best.bracket.longCount > 0 {
                for factor in [step, 1 / step] {
                    let b = best.bracket
                    moved =
                        attempt(
                            base: b.base, count: b.baseCount, share: min(share * factor, 1), longCount: b.longCount,
                            raised: raised) || moved
                    moved =
                        attempt(
                            base: b.base, count: b.baseCount, share: share, longCount: b.longCount,
                            raised: min(max(raised * factor, 1), Self.mostRaised)) || moved
                }
                for change in [1, -1] {
                    let b = best.bracket
                    moved =
                        attempt(
                            base: b.base, count: b.baseCount, share: share, longCount: b.longCount + change,
                            raised: raised) || moved
                }
            }
            for change in [1, -1] {
                let b = best.bracket
                // With equal exposures the frames fill the time: more frames are shorter ones.
                let base =
                    b.longCount == 0 ? b.base * Double(b.baseCount) / Double(max(b.baseCount + change, 1)) : b.base
                moved =
                    attempt(
                        base: base, count: b.baseCount + change, share: share, longCount: b.longCount, raised: raised)
                    || moved
            }
            if !moved {
                guard step > 1.02 else { break }
                step = step.squareRoot()
            }
        }
        return best
    }

    private static let mostRounds = 20
}
