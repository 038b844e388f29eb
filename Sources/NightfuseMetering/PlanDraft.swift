#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif
internal import NightfuseCore

/// A plan in the making.
struct PlanDraft {
    let scene: SceneReading
    let device: DeviceLimits
    let isSteady: Bool
    /// Seconds that the plan may take.
    let allowed: Double
    /// What the caller asked for.
    let asked: Double?
    let choice: SteadyChoice
    let motion: AssumedMotion
    let model: ErrorModel
    let limits: BracketLimits

    /// Loss against all of the time allowed that nobody sees.
    static let invisible = 0.12
    /// Where half of the time loses less than this, half must do; above the second, all of it is worth taking.
    static let halfWillDo = 0.3
    static let allIsWorthIt = 0.6
    /// A share of clipped pixels that is worth a short frame.
    static let lamps = 2e-4
    /// How much shorter than the base that frame is: three stops hold a street lamp's shape.
    static let shortShare = 0.125

    init(
        scene: SceneReading, device: DeviceLimits, isSteady: Bool, allowed: Double, asked: Double?, choice: SteadyChoice
    ) {
        self.scene = scene
        self.device = device
        self.isSteady = isSteady
        self.allowed = allowed
        self.asked = asked
        self.choice = choice
        motion = Self.assume(scene, isSteady: isSteady)
        model = ErrorModel(scene: scene, noise: device.noise, motion: motion)
        let longest =
            isSteady ? device.maxExposureSeconds : min(device.handheldExposureSeconds, device.maxExposureSeconds)
        limits = BracketLimits(
            shortest: device.minExposureSeconds, longest: max(longest, device.minExposureSeconds),
            minISO: device.minISO,
            maxISO: device.maxISO, frames: device.maxFrames, gap: device.frameGapSeconds)
    }

    /// Where motion is not known: a hand that holds the camera fairly still, and someone who walks slowly.
    private static func assume(_ scene: SceneReading, isSteady: Bool) -> AssumedMotion {
        let width = Double(max(scene.frameWidth, 16))
        let camera = scene.cameraMotion ?? (isSteady ? 0 : 0.012 * width)
        guard let speed = scene.subjectMotion else {
            return AssumedMotion(camera: camera, subject: 0.05 * width, share: 0.05)
        }
        // Prudent: the faster of what is and what will be; the middle counts for more.
        return AssumedMotion(
            camera: camera, subject: max(speed, scene.subjectMotionAhead),
            share: min(max(scene.subjectFraction, scene.subjectWeight), 0.9))
    }

    func plan() -> CapturePlan {
        let search = BracketSearch(model: model, limits: limits, shadeEV: scene.shadowDepthEV)
        let (chosen, loss) = chooseTime(search)
        var bracket = keepFlicker(chosen)
        bracket = fit(bracket)
        let short = shortFrame(bracket)
        let frames = order(bracket, short: short)
        let total = frames.reduce(0) { $0 + $1.exposureSeconds } + Double(frames.count - 1) * limits.gap
        let expected = ExpectedResult(
            shadowSNRdB: 20 * log10(max(model.signalToNoise(bracket, at: max(scene.shadowRadiance, 1e-9)), 1e-3)),
            blurPx: (motion.camera * motion.camera + motion.subject * motion.subject * (motion.share > 0 ? 1 : 0))
                .squareRoot() * bracket.base)
        let reasons = PlanReasons(draft: self, bracket: bracket, short: short, seconds: total, loss: loss)
        return CapturePlan(
            nightMode: scene.nightMode, frames: frames, fusionTimeSeconds: total, scene: scene, expected: expected,
            halfTimeLossDB: loss, because: reasons.all)
    }

    /// The bracket for the time to take, and what half of the time allowed would lose (dB).
    private func chooseTime(_ search: BracketSearch) -> (Bracket, loss: Double) {
        let fallback = Bracket(base: min(allowed, limits.longest), baseISO: limits.minISO, baseCount: 1)
        guard let all = search.best(within: allowed) else { return (fallback, 0) }
        guard let halved = search.best(within: allowed / 2) else { return (all.bracket, .infinity) }
        let half = max(all.loss(of: halved), 0)
        if half >= Self.allIsWorthIt { return (all.bracket, half) }
        // How much is lost in less time yet, by half stops from the half on; or from all of it on, where half is too little.
        let first = half < Self.invisible ? (allowed / 2, half) : (allowed, 0)
        let seconds = time(search, from: first, all: all)
        var chosen = min(seconds, allowed / 2)
        if half >= Self.halfWillDo {
            let share = (half - Self.halfWillDo) / (Self.allIsWorthIt - Self.halfWillDo)
            chosen = allowed / 2 + (max(seconds, allowed / 2) - allowed / 2) * share
        }
        return (search.best(within: chosen)?.bracket ?? all.bracket, half)
    }

    /// The time that loses no more than what is invisible, looked for downwards from one that loses less.
    private func time(
        _ search: BracketSearch, from first: (seconds: Double, loss: Double), all: BracketSearch.Found
    ) -> Double {
        var last = first
        for _ in 0..<14 {
            let seconds = last.seconds * exp2(-0.5)
            guard let found = search.best(within: seconds) else { break }
            // A shorter time can't be better: what is found there would have fitted the longer.
            let loss = max(all.loss(of: found), last.loss)
            if loss > Self.invisible {
                let share = (Self.invisible - last.loss) / max(loss - last.loss, 1e-9)
                return last.seconds * exp2(-0.5 * min(max(share, 0), 1))
            }
            last = (seconds, loss)
        }
        return last.seconds
    }

    /// Exposures that span a period of the mains' flicker become whole numbers of it.
    private func keepFlicker(_ bracket: Bracket) -> Bracket {
        guard let hertz = scene.flickerHz, hertz > 0 else { return bracket }
        var kept = bracket
        func whole(_ seconds: Double) -> Double {
            let periods = (seconds * Double(hertz) + 1e-6).rounded(.down)
            return periods >= 1 ? periods / Double(hertz) : seconds
        }
        kept.base = whole(bracket.base)
        kept.baseISO = limits.iso(model.openISO(kept.base))
        if bracket.longCount > 0 {
            kept.long = whole(bracket.long)
            kept.longISO = limits.iso(model.openISO(kept.long))
        }
        return kept
    }

    /// Rounds down to microseconds and whole ISO, so that what is written keeps all limits.
    private func fit(_ bracket: Bracket) -> Bracket {
        func micro(_ seconds: Double) -> Double {
            max((seconds * 1e6 + 1e-3).rounded(.down) / 1e6, limits.shortest)
        }
        var fitted = bracket
        fitted.base = micro(bracket.base)
        fitted.baseISO = limits.iso(bracket.baseISO.rounded(.down))
        fitted.long = micro(bracket.long)
        fitted.longISO = limits.iso(bracket.longISO.rounded(.down))
        return fitted
    }

    /// A short frame for lamps that no other holds, if there is room for it.
    private func shortFrame(_ bracket: Bracket) -> PlannedFrame? {
        guard scene.clippedFraction > Self.lamps, bracket.count < limits.frames else { return nil }
        let seconds = max((bracket.base * Self.shortShare * 1e6).rounded(.down) / 1e6, limits.shortest)
        guard seconds <= bracket.base / 2, bracket.seconds(gap: limits.gap) + seconds + limits.gap <= allowed else {
            return nil
        }
        return PlannedFrame(exposureSeconds: seconds, iso: bracket.baseISO, role: .short)
    }

    /// Base frames first, one of which becomes the reference; then two long frames and a base frame in turn, so that a base
    /// frame lies beside every long one. The short frame comes last: lamps wait.
    private func order(_ bracket: Bracket, short: PlannedFrame?) -> [PlannedFrame] {
        let base = PlannedFrame(exposureSeconds: bracket.base, iso: bracket.baseISO, role: .base)
        let long = PlannedFrame(exposureSeconds: bracket.long, iso: bracket.longISO, role: .long)
        var frames = [PlannedFrame](repeating: base, count: bracket.leading)
        var left = (base: bracket.baseCount - bracket.leading, long: bracket.longCount)
        while left.base + left.long > 0 {
            let pair = min(left.long, left.long > left.base ? 2 : 1)
            frames += [PlannedFrame](repeating: long, count: pair)
            left.long -= pair
            if left.base > 0 {
                frames.append(base)
                left.base -= 1
            }
        }
        return short.map { frames + [$0] } ?? frames
    }
}
