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

/// What a bracket's fused picture is predicted to be like: mean square errors of the sRGB-coded picture, full scale 1.
struct PredictedError {
    /// All of the picture, moving parts by their share.
    var whole: Double
    /// What moves by itself.
    var mover: Double
    /// The darkest 30 %, lifted by two stops.
    var shadows: Double
    /// How much what moves counts for itself, 0 to 1: not at all where nothing does.
    var moverWeight: Double

    /// By how many pixels what moves is smeared.
    var smear: Double

    /// Of the whole picture, in decibels.
    var psnr: Double { -10 * log10(whole) }

    /// One figure for a plan, in decibels: the whole picture first; shadows, since they will be lifted, and what moves,
    /// since it is what is looked at, each for a part of it.
    var quality: Double {
        let weight = 0.33 * moverWeight
        let faithful = -10 * (log10(whole) + 0.3 * log10(shadows) + weight * log10(mover)) / (1.3 + weight)
        // A smear is seen long before it weighs much in a mean: half a decibel at 5 pixels, 1.6 at 10, 4.5 at most.
        let squared = smear * smear
        let seen = 0.02 * squared / (1 + squared / 225)
        // And beyond a few pixels it spoils a picture that is better in all else: another decibel at 6 pixels, 6 at most.
        let excess = 0.2 * pow(max(smear - 3.7, 0), 2)
        return faithful - moverWeight * (seen + excess / (1 + excess / 6))
    }
}

/// Predicts the error of a fused picture from the scene's histogram and motion, the camera's noise and a bracket.
///
/// Noise of each frame is shot noise and read noise, before and after the amplifier. Frames are merged by the inverse of
/// their variance; clipped frames have no part in it. The camera's motion blurs every frame by its speed times its time; a
/// long frame brings its blur along. What moves by itself is seen in the base frames only, and in fewer the further it goes
/// from one to the next. What noise is left is then denoised, which takes away the more the more there is.
struct ErrorModel {
    /// One part of the histogram.
    private struct Part {
        /// Share of the picture, and of its darkest 30 %.
        var share: Double
        var dark: Double
        /// Radiance, and its square.
        var light: Double
        /// The same where white is 1, and the sRGB code of it and of four times it.
        var shown: Double
        var code: Double
        var liftedCode: Double
        /// Detail's share, 1 on average: it goes with the coded brightness.
        var detail: Double
    }

    private let parts: [Part]
    /// Parts of the histogram of each pixel's brightest colour above the mid-tones: share, and coded brightness.
    private let highlights: [(share: Double, light: Double)]
    private let noise: SensorNoise
    private let white: Double
    /// Radiance of the mid-tones.
    let midtone: Double
    /// Pixels a second.
    let camera: Double
    let subject: Double
    /// Share of the picture that moves by itself.
    let moving: Double
    /// Mean square error of a blur of one pixel, in all of the picture and in what moves.
    private let blurCost: Double
    private let moverCost: Double
    /// What moves: shares, radiance, and that where white is 1, and coded.
    private let moverParts: [(share: Double, light: Double, shown: Double, code: Double)]
    /// Mean square of the coded picture.
    private let meanCode2: Double
    /// Hertz; 0: none.
    private let flicker: Double
    private let curve = CodedCurve()

    /// Lamps on the mains change by about this part of their light up and down.
    private static let flickerDepth = 0.3
    /// Noise (standard deviation, coded) at which denoising halves the error: much noise is taken out to a tenth of its
    /// power, little stays as it is, and it hides the better the more fine detail there is. Fitted, as the square root of
    /// what a blur of one pixel costs, to nine scenes of known truth fused at six or seven exposures each: 0.008 to 0.07.
    private let halved: Double
    private static let detailHides = 4.5
    /// A mover of this share of the picture counts fully for itself.
    private static let noticed = 0.01
    /// Warping and merging leave an error that no light makes smaller: 47 dB.
    private static let floor = 2e-5
    /// Frames are aligned to one base frame and accepted by it: this part of its noise's power stays, however many there are.
    private static let guided = 0.015
    /// A blur costs no more than so many times that of one pixel: a picture has only so much detail.
    private static let mostBlur = 400.0
    /// The reference is the sharpest of three frames, and their blurs point several ways.
    private static let luckyBlur = 0.85
    /// What moves has less detail than the sharpest parts of a picture, which make most of its mean.
    private static let plain = 0.4
    /// What moves can be followed, with the tiles' own vectors, through so many frames, and this much of it is then merged.
    private static let followed = 0.85
    private static let followedFrames = 4.0
    /// A hand swings to and fro: after so many seconds it goes back.
    private static let swing = 0.5

    init(scene: SceneReading, noise: SensorNoise, motion: AssumedMotion) {
        self.noise = noise
        white = max(scene.whiteRadiance, scene.midtoneRadiance, 1e-7)
        midtone = max(scene.midtoneRadiance, 1e-9)
        camera = motion.camera
        subject = motion.subject
        moving = motion.share
        blurCost = scene.blurCost
        moverCost = Self.plain * scene.blurCost
        // Around its mean a stop either way, as things have it; without a mean, the picture's own middle.
        let middle = scene.subjectRadiance > 0 ? scene.subjectRadiance : scene.midtoneRadiance
        var moverParts: [(share: Double, light: Double, shown: Double, code: Double)] = []
        for (share, factor) in [(0.25, 0.5), (0.5, 1.0), (0.25, 2.0)] {
            let light = max(middle * factor, 1e-9)
            let shown = min(light / white, 1)
            moverParts.append((share, light, shown, curve.code(shown)))
        }
        self.moverParts = moverParts
        halved = min(max(Self.detailHides * scene.blurCost.squareRoot(), 0.005), 0.1)
        var parts: [Part] = []
        var mean = 0.0
        // A stop a part: finer changes nothing but the time it takes.
        let bins = RadianceHistogram.count
        var passed = 0.0
        var bin = 0
        while bin < bins {
            let end = min(bin + RadianceHistogram.binsPerStop, bins)
            var share = 0.0
            for i in bin..<end { share += scene.radiance.shares[i] }
            if share > 0 {
                var light = 0.0
                for i in bin..<end { light += scene.radiance.shares[i] * RadianceHistogram.radiance(i) }
                light /= share
                let dark = min(max(0.3 - passed, 0), share)
                let shown = min(light / white, 1)
                let code = curve.code(shown)
                mean += share * code * code
                parts.append(
                    Part(
                        share: share, dark: dark, light: light, shown: shown, code: code,
                        liftedCode: curve.code(4 * shown),
                        detail: code * code))
            }
            passed += share
            bin = end
        }
        for i in parts.indices { parts[i].detail = min(parts[i].detail / max(mean, 1e-12), 3) }
        self.parts = parts
        let bright = 0.2 * white
        highlights = (0..<bins).compactMap { bin in
            let light = RadianceHistogram.radiance(bin)
            let share = scene.peaks.shares[bin]
            return share > 0 && light > bright ? (share, light) : nil
        }
        meanCode2 = mean
        flicker = Double(scene.flickerHz ?? 0)
    }

    /// The error of the fused picture.
    func error(_ bracket: Bracket) -> PredictedError {
        let base = Group(seconds: bracket.base, iso: bracket.baseISO, count: Double(bracket.baseCount), noise: noise)
        let long = Group(seconds: bracket.long, iso: bracket.longISO, count: Double(bracket.longCount), noise: noise)
        let baseBlur = way(bracket.base) * Self.luckyBlur
        let longBlur = way(bracket.long)
        // What moves: one base frame, and of its neighbours what lies on the same place or can be followed.
        let step = subject * bracket.base
        let others = Double(bracket.leading - 1)
        let there = 1 / (1 + step * step)
        let seen = 1 + there * others + (1 - there) * Self.followed * min(others, Self.followedFrames)
        let seenRoot = (1 / seen).squareRoot()
        let moverWay = (baseBlur * baseBlur + step * step).squareRoot()
        let moverBlur = blur(moverWay, cost: moverCost)
        let shared = bands(bracket) + Self.floor
        var still = shared + clipping(bracket)
        var mover = shared + moverBlur
        var shadows = Self.floor
        for part in parts {
            let b = base.variance(part.light)
            let l = bracket.longCount > 0 ? long.variance(part.light) : .infinity
            let baseWeight = base.count * base.open(part.light) / b
            let longWeight = bracket.longCount > 0 ? long.count * long.open(part.light) / l : 0
            let total = baseWeight + longWeight
            let deviation = (1 / total).squareRoot() / white
            let mixed = (baseWeight * baseBlur + longWeight * longBlur) / total
            let soft = blur(mixed, cost: blurCost) * part.detail
            let one = b.squareRoot() / white
            let guide = curve.spread(part.shown, part.code, one)
            let noise = denoised(curve.spread(part.shown, part.code, deviation))
            still += part.share * (noise + soft + Self.guided * guide * guide)
            if part.dark > 0 {
                let guide = curve.spread(4 * part.shown, part.liftedCode, 4 * one)
                let lifted = denoised(curve.spread(4 * part.shown, part.liftedCode, 4 * deviation)) + 4 * soft
                shadows += part.dark / 0.3 * (lifted + Self.guided * guide * guide)
            }
        }
        for part in moverParts {
            let deviation = (base.variance(part.light) / base.open(part.light)).squareRoot() * seenRoot / white
            let lost = max(part.code - curve.code(base.fullest / white), 0)
            mover += part.share * (denoised(curve.spread(part.shown, part.code, deviation)) + lost * lost)
        }
        return PredictedError(
            whole: (1 - moving) * still + moving * mover, mover: mover, shadows: shadows,
            moverWeight: min(moving / Self.noticed, 1), smear: moving > 0 ? step : 0)
    }

    /// The exposure of a base frame at which what moves comes out best, between `shortest` and `longest`: blur against
    /// noise.
    func moverBest(shortest: Double, longest: Double, iso: (Double) -> Double) -> Double {
        func error(_ seconds: Double) -> Double {
            self.error(Bracket(base: seconds, baseISO: iso(seconds), baseCount: Self.moverFrames)).mover
        }
        var low = log2(shortest)
        var high = log2(max(longest, shortest))
        // Golden section: the error falls with the noise, then rises with the blur.
        for _ in 0..<14 {
            let a = high - 0.618 * (high - low)
            let b = low + 0.618 * (high - low)
            if error(exp2(a)) < error(exp2(b)) { high = b } else { low = a }
        }
        return exp2((low + high) / 2)
    }

    /// About so many base frames follow each other at a bracket's start.
    private static let moverFrames = 5

    /// Signal to noise at a radiance after the merge, before denoising.
    func signalToNoise(_ bracket: Bracket, at light: Double) -> Double {
        let base = Group(seconds: bracket.base, iso: bracket.baseISO, count: Double(bracket.baseCount), noise: noise)
        var total = base.count * base.open(light) / base.variance(light)
        if bracket.longCount > 0 {
            let long = Group(
                seconds: bracket.long, iso: bracket.longISO, count: Double(bracket.longCount), noise: noise)
            total += long.count * long.open(light) / long.variance(light)
        }
        return light * total.squareRoot()
    }

    /// The brightest ISO at which white stays below full scale for an exposure of `seconds`.
    func openISO(_ seconds: Double) -> Double { 100 * Self.fullest / (white * seconds) }

    /// White is put at this share of full scale: noise and one colour brighter than the others must fit above it.
    private static let fullest = 0.9

    /// Bands of a light that flickers faster than the base frames are long; longer ones take whole periods. Codes change by
    /// 1 / 2.4 of what light does; frames have their bands in different places.
    private func bands(_ bracket: Bracket) -> Double {
        guard flicker > 0, bracket.base * flicker < 1 else { return 0 }
        let phase = Double.pi * flicker * bracket.base
        let change = Self.flickerDepth * sin(phase) / max(phase, 1e-6) / 2.4
        return 0.5 * change * change * meanCode2 / Double(bracket.baseCount)
    }

    /// How far the camera goes in a time, in pixels.
    private func way(_ seconds: Double) -> Double {
        let t = seconds / Self.swing
        return camera * seconds / (1 + t * t).squareRoot()
    }

    private func blur(_ pixels: Double, cost: Double) -> Double {
        let squared = pixels * pixels
        return cost * squared / (1 + squared / Self.mostBlur)
    }

    private func denoised(_ deviation: Double) -> Double {
        halved * deviation * deviation / (deviation + halved)
    }

    /// What is lost of the highlights that no frame holds; one colour of the three, as a rule.
    private func clipping(_ bracket: Bracket) -> Double {
        let least = min(
            bracket.base * bracket.baseISO,
            bracket.longCount > 0 ? bracket.long * bracket.longISO : .infinity)
        let limit = 100 / least
        guard limit < white else { return 0 }
        let held = curve.code(limit / white)
        var sum = 0.0
        for part in highlights where part.light > limit {
            let lost = curve.code(min(part.light / white, 1)) - held
            sum += part.share * lost * lost
        }
        return sum * 0.5
    }

    /// Frames of one exposure.
    private struct Group {
        let count: Double
        /// Signal (full scale 1) a unit of radiance.
        private let gain: Double
        private let shot: Double
        private let read2: Double

        init(seconds: Double, iso: Double, count: Double, noise: SensorNoise) {
            self.count = count
            gain = max(seconds * iso / 100, 1e-12)
            let model = noise.model(iso: iso)
            (shot, read2) = (model.shot, model.read * model.read)
        }

        /// Variance of one frame, in radiance.
        func variance(_ light: Double) -> Double { (shot * light * gain + read2) / (gain * gain) }

        /// The brightest radiance it holds.
        var fullest: Double { 1 / gain }

        /// Share of the pixels that do not clip: one colour in three is brighter than luma, and noise reaches further.
        func open(_ light: Double) -> Double { min(max((1.05 - light * gain) / 0.3, 1e-6), 1) }
    }
}

/// What is taken for the motion while the shot lasts.
struct AssumedMotion {
    /// Pixels of the full frame a second.
    var camera: Double
    var subject: Double
    /// Share of the picture that moves by itself.
    var share: Double
}

/// The sRGB curve in steps, for speed; exact to 0.0003.
struct CodedCurve {
    private let codes: Tiles<Double>
    private static let steps = 512.0

    init() {
        // Even steps of the square root, near which the curve is smooth; one more than there are, for interpolation at 1.
        codes = Tiles(514, 1)
        for step in 0...512 {
            let root = Double(step) / Self.steps
            codes[step] = TransferFunction.sRGB.coded(root * root)
        }
    }

    /// The code of linear light, clamped to 0 ... 1.
    @inline(__always)
    func code(_ linear: Double) -> Double {
        let position = min(max(linear, 0), 1).squareRoot() * Self.steps
        let i = Int(position)
        return codes[i] + (codes[i + 1] - codes[i]) * (position - Double(i))
    }

    /// Standard deviation of the code of a signal with noise; `middle` is the signal's own code.
    @inline(__always)
    func spread(_ linear: Double, _ middle: Double, _ deviation: Double) -> Double {
        let up = code(linear + deviation) - middle
        let down = middle - code(linear - deviation)
        return ((up * up + down * down) * 0.5).squareRoot()
    }
}
