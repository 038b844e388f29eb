import Foundation
import NightfuseMetering

/// What a meter would say of a scene of known light and motion: radiance spread evenly in stops around the mid-tones, the
/// left half in the shade if asked for.
struct ReadScene {
    /// Radiance shown as white: the fraction of full scale at ISO 100 in one second.
    var white = 0.5
    var shadeEV = 0.0
    /// Pixels of the full frame a second; nil: not known.
    var camera: Double? = 5
    var subject = 0.0
    var subjectShare = 0.06
    var flickerHz: Int? = 0
    var clipped = 0.0
    var steady = false

    /// Stops below white of the lit part: brightest, middle, darkest.
    private static let stops = (0.0, 2.5, 5.0)

    var reading: SceneReading {
        var scene = SceneReading()
        scene.frameCount = 15
        (scene.frameWidth, scene.frameHeight) = (640, 480)
        scene.nightMode = true
        var mean = 0.0
        // 120 steps through a triangle of densities, brightest to darkest.
        var samples: [(light: Double, share: Double)] = []
        for step in 0..<120 {
            let stop = Self.stops.2 * (Double(step) + 0.5) / 120
            let share = 1 - abs(stop - Self.stops.1) / Self.stops.1
            let parts = shadeEV > 0 ? [(0.0, 0.5), (shadeEV, 0.5)] : [(0.0, 1.0)]
            for (down, part) in parts { samples.append((white * exp2(-stop - down), share * part / 60)) }
        }
        samples.sort { $0.light < $1.light }
        let total = samples.reduce(0) { $0 + $1.share }
        func quantile(_ q: Double) -> Double {
            var passed = 0.0
            for sample in samples {
                passed += sample.share / total
                if passed >= q { return sample.light }
            }
            return white
        }
        for sample in samples {
            scene.radiance.add(sample.light, share: sample.share / total)
            scene.peaks.add(min(sample.light * 1.2, white), share: sample.share / total)
            mean += sample.light * sample.share / total
        }
        scene.meanLuminance = mean
        scene.shadowRadiance = quantile(0.1)
        scene.midtoneRadiance = quantile(0.65)
        scene.whiteRadiance = white
        scene.shadowDepthEV = log2(scene.midtoneRadiance / scene.shadowRadiance)
        scene.dynamicRangeEV = log2(white / scene.shadowRadiance)
        scene.clippedFraction = clipped
        scene.flickerHz = flickerHz
        scene.cameraMotion = camera
        scene.steady = steady
        scene.subjectMotion = camera == nil ? nil : subject
        scene.subjectMotionAhead = subject
        if subject > 0 {
            (scene.subjectFraction, scene.subjectWeight) = (subjectShare, subjectShare * 1.3)
            scene.subjectSpeedQuantiles = [subject, subject, subject]
            scene.subjectRadiance = scene.midtoneRadiance
        }
        // Of a usual photograph.
        scene.blurCost = 2e-4
        return scene
    }
}
