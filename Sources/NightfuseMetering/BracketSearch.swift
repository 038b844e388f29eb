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
struct BracketSearch {
    let model: ErrorModel
    let limits: BracketLimits

    struct Found {
        var bracket: Bracket
        var quality: Double
    }

    /// A bracket must win by this (dB) over equal exposures, and each frame costs as much: what is simpler is more robust.
    private static let bracketCost = 0.15
    private static let frameCost = 0.01
    /// A long frame is at least so many times a base frame.
    private static let leastRatio = 1.5

    /// The best bracket that takes at most `seconds`; nil where not even one frame fits.
    func best(within seconds: Double) -> Found? {
        var best: Found?
        func consider(_ bracket: Bracket?) {
            guard let bracket else { return }
            let quality = self.quality(bracket)
            if quality > best?.quality ?? -.infinity { best = Found(bracket: bracket, quality: quality) }
        }
        for count in Self.counts(upTo: limits.frames) {
            var base = limits.longest
            for _ in 0..<12 {
                consider(bracket(base: base, count: count, long: 1, longCount: 0, within: seconds))
                base *= 0.5
            }
        }
        for longCount in Self.counts(upTo: max((limits.frames - 1) / 2, 0)) {
            for baseCount in [longCount + 1, longCount + 3, limits.frames - longCount] where baseCount > longCount {
                guard baseCount + longCount <= limits.frames else { continue }
                var base = limits.longest * 0.5
                for _ in 0..<10 {
                    for share in [1.0, 0.5] {
                        consider(
                            bracket(base: base, count: baseCount, long: share, longCount: longCount, within: seconds))
                    }
                    base *= 0.5
                }
            }
        }
        guard let start = best else { return nil }
        return polished(start, within: seconds)
    }

    private static func counts(upTo most: Int) -> [Int] {
        var list: [Int] = []
        var n = 1
        while n < most {
            list.append(n)
            n = max(n + 1, n * 3 / 2)
        }
        if most >= 1 { list.append(most) }
        return list
    }

    private func quality(_ bracket: Bracket) -> Double {
        model.error(bracket).quality - Self.frameCost * Double(bracket.count)
            - (bracket.longCount > 0 ? Self.bracketCost : 0)
    }

    /// A bracket with its ISOs, its long frames taking the `share` of what time is left; nil where it does not fit.
    private func bracket(base: Double, count: Int, long share: Double, longCount: Int, within seconds: Double)
        -> Bracket?
    {
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
        made.longISO = limits.iso(model.openISO(made.long))
        return made
    }

    /// Small steps from a start while they help.
    private func polished(_ start: Found, within seconds: Double) -> Found {
        var best = start
        var share = 1.0
        if best.bracket.longCount > 0 {
            let b = best.bracket
            let room = seconds - Double(b.count - 1) * limits.gap - b.base * Double(b.baseCount)
            share = min(b.long / max(min(room / Double(b.longCount), limits.longest), 1e-9), 1)
        }
        func attempt(base: Double, count: Int, share tried: Double, longCount: Int) -> Bool {
            guard count >= 1, longCount >= 0, count + longCount <= limits.frames, longCount == 0 || count > longCount,
                tried <= 1, tried > 0.05,
                let made = bracket(base: base, count: count, long: tried, longCount: longCount, within: seconds)
            else { return false }
            let quality = self.quality(made)
            guard quality > best.quality + 1e-6 else { return false }
            best = Found(bracket: made, quality: quality)
            share = tried
            return true
        }
        var step = 1.41421356
        for _ in 0..<24 {
            let b = best.bracket
            var moved = false
            for factor in [step, 1 / step] {
                moved =
                    attempt(base: b.base * factor, count: b.baseCount, share: share, longCount: b.longCount) || moved
            }
            let c = best.bracket
            if c.longCount > 0 {
                for factor in [step, 1 / step] {
                    moved =
                        attempt(base: c.base, count: c.baseCount, share: min(share * factor, 1), longCount: c.longCount)
                        || moved
                }
                moved = attempt(base: c.base, count: c.baseCount, share: share, longCount: c.longCount - 1) || moved
                moved = attempt(base: c.base, count: c.baseCount, share: share, longCount: c.longCount + 1) || moved
            }
            let d = best.bracket
            for change in [1, -1] {
                // With equal exposures the frames fill the time: more frames are shorter ones.
                let base =
                    d.longCount == 0 ? d.base * Double(d.baseCount) / Double(max(d.baseCount + change, 1)) : d.base
                moved = attempt(base: base, count: d.baseCount + change, share: share, longCount: d.longCount) || moved
            }
            if !moved {
                guard step > 1.02 else { break }
                step = step.squareRoot()
            }
        }
        return best
    }
}
