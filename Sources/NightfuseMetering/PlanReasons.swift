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

/// Says in words and numbers what drove a plan.
struct PlanReasons {
    let draft: PlanDraft
    let bracket: Bracket
    let short: PlannedFrame?
    let seconds: Double
    /// What half of the time allowed would lose (dB).
    let loss: Double

    var all: [String] { [light, camera, subject, shadows, lamps, flicker, time].compactMap { $0 } }

    private var scene: SceneReading { draft.scene }

    private var light: String? {
        if !scene.nightMode { return "light enough (mean \(digits(scene.meanLuminance, 2))): no night shot is needed" }
        guard bracket.baseISO >= draft.limits.maxISO * 0.999 else { return nil }
        return "dark: ISO \(Int(bracket.baseISO)), the highest there is, for \(name(bracket.base))"
    }

    private var camera: String? {
        guard let motion = scene.cameraMotion else {
            return "one preview frame only: motion is not known, a slow walk is assumed"
        }
        let blur = motion * bracket.base
        if draft.isSteady {
            let how = draft.choice == .yes ? "steady as told" : "camera stands (\(digits(motion, 1)) px/s)"
            return "\(how): up to \(name(draft.limits.longest)) a frame"
        }
        let ends = bracket.base >= draft.limits.longest * 0.99 ? ", the longest from the hand" : ""
        return "camera moves \(digits(motion, 1)) px/s: \(name(bracket.base)) blurs by \(digits(blur, 1)) px\(ends)"
    }

    private var subject: String? {
        guard let speed = scene.subjectMotion, speed > 0 else { return nil }
        let share = digits(scene.subjectFraction * 100, 1)
        return "subject (\(share) %) moves \(digits(speed, 0)) px/s: base frames kept to \(name(bracket.base))"
    }

    private var shadows: String? {
        guard bracket.longCount > 0 else { return nil }
        let frames = bracket.longCount == 1 ? "one frame" : "\(bracket.longCount) frames"
        return
            "shadows \(digits(scene.shadowDepthEV, 1)) EV deep: \(frames) of \(name(bracket.long)) for what stands still"
    }

    private var lamps: String? {
        guard let short else { return nil }
        return
            "\(digits(scene.clippedFraction * 100, 2)) % clipped: one frame of \(name(short.exposureSeconds)) for lamps"
    }

    private var flicker: String? {
        guard let hertz = scene.flickerHz, hertz > 0 else { return nil }
        let period = 1 / Double(hertz)
        if bracket.base < period * 0.999 {
            return "light flickers at \(hertz) Hz, but motion needs shorter base frames"
        }
        return "light flickers at \(hertz) Hz: exposures are multiples of 1/\(hertz) s"
    }

    private var time: String? {
        if seconds < draft.allowed * 0.6 {
            return "\(digits(seconds, 2)) s are enough: \(digits(draft.allowed, 1)) s would gain nothing visible"
        }
        if loss.isFinite, loss > 0 { return "half of \(digits(draft.allowed, 1)) s would lose \(digits(loss, 1)) dB" }
        return nil
    }

    /// "1/15 s", and from 0.3 s on "0.50 s".
    private func name(_ seconds: Double) -> String {
        seconds < 0.3 ? "1/\(Int((1 / max(seconds, 1e-6)).rounded())) s" : "\(digits(seconds, 2)) s"
    }

    /// A number with so many places.
    private func digits(_ value: Double, _ places: Int) -> String {
        let unit = pow(10, Double(places))
        let whole = Int64((min(abs(value), 1e12) * unit).rounded())
        let sign = value < 0 && whole > 0 ? "-" : ""
        guard places > 0 else { return sign + String(whole) }
        let fraction = String(whole % Int64(unit))
        return sign + String(whole / Int64(unit)) + "." + String(repeating: "0", count: places - fraction.count)
            + fraction
    }
}
