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

/// Puts a reading together from what a meter remembers.
struct MeterReading {
    let state: MeterState
    let gyroscope: Gyroscope
    let frameWidth: Int
    let frameHeight: Int
    /// In widths of the frame.
    let focalLength: Double

    /// Speed below which the camera stands, and above which it no longer does, in widths of the frame a second: 1.6 and
    /// 2.4 pixels of 640. A hand manages 3 at its best; a tripod in the dark is measured at up to 1.4.
    private static let standsBelow = 0.0025
    private static let movesAbove = 0.00375

    /// Pixels of the full frame for one sample of level 0.
    private var scale: Double { Double(frameWidth) * Double(state.intake.factor) / Double(state.width) }

    func reading() -> SceneReading {
        var reading = SceneReading()
        reading.frameCount = state.trajectory.count
        (reading.frameWidth, reading.frameHeight) = (frameWidth, frameHeight)
        light(&reading)
        camera(&reading)
        subjects(&reading)
        return reading
    }

    private func light(_ reading: inout SceneReading) {
        reading.nightMode = state.isNight ?? false
        reading.clippedFraction = Double(state.radiance.clippedFraction)
        reading.highlightHeadroomEV = state.radiance.headroomEV
        reading.peaks = state.radiance.peakHistogram
        reading.flickerHz = state.flicker.frequency()
        guard let light = state.radiance.settled() else { return }
        reading.meanLuminance = light.mean
        reading.radiance = light.histogram
        reading.shadowRadiance = light.shadow
        reading.midtoneRadiance = light.midtone
        reading.shadowDepthEV = log2(light.midtone / light.shadow)
        reading.shadowsBelowNoiseEV = light.noise > 0 ? log2(light.noise / light.shadow) : 0
        reading.dynamicRangeEV = log2(max(light.brightest, light.shadow) / light.shadow)
        reading.whiteRadiance = white(light, reading)
        let (fine, coarse) = state.slopes
        reading.blurCost = blurCost(fine, coarse) * shownDetail(light, white: reading.whiteRadiance)
    }

    /// Where the picture's white lies: the brightest 3 in a thousand pixels may be whiter. Noise's tail is taken off; what
    /// clips in the preview goes on above it, by a stop for every sixteenfold of its share.
    private func white(_ light: RadianceSummary, _ reading: SceneReading) -> Double {
        var above = 0.0
        var bin = RadianceHistogram.count - 1
        while bin > 0, above + reading.peaks.shares[bin] < 0.003 {
            above += reading.peaks.shares[bin]
            bin -= 1
        }
        // Within the bin, by share, so that small changes of the light make small changes.
        let share = reading.peaks.shares[bin] > 0 ? (0.003 - above) / reading.peaks.shares[bin] : 0
        let top =
            log2(RadianceHistogram.radiance(bin)) + (0.5 - min(max(share, 0), 1))
            / Double(RadianceHistogram.binsPerStop)
        let seen = max(exp2(top) - 2.5 * light.noise, exp2(top) * 0.4, light.midtone)
        if let headroom = reading.highlightHeadroomEV, headroom > 0 { return seen }
        let clipped = reading.clippedFraction
        return clipped > 0.003 ? seen * pow(clipped / 0.003, 0.25) : seen
    }

    /// The finished picture's mean square code over the preview's: detail goes with it, and a preview in the dark is darker
    /// than the picture will be.
    private func shownDetail(_ light: RadianceSummary, white: Double) -> Double {
        let product = Double(state.radiance.product)
        var shown = 0.0
        var seen = 0.0
        for (bin, share) in light.histogram.shares.enumerated() where share > 0 {
            let radiance = RadianceHistogram.radiance(bin)
            let a = TransferFunction.sRGB.coded(radiance / white)
            let b = TransferFunction.sRGB.coded(radiance * product)
            shown += share * a * a
            seen += share * b * b
        }
        return seen > 0 ? min(max(shown / seen, 0.1), 20) : 1
    }

    /// Mean square error that a blur of one sample of level 0 makes, from the slopes at two scales: the faster they fall
    /// towards fine detail, the less there is to lose. Fitted to ten photographs blurred by 0.5 to 8 samples, within a
    /// factor of 2.
    private func blurCost(_ fine: Double, _ coarse: Double) -> Double {
        // A usual photograph, where only one frame is known.
        guard fine > 0, coarse > 0 else { return 2e-4 / (scale * scale) }
        let fall = min(max(coarse / fine, 0.75), 2.5)
        return 0.095 * fine / (fall * fall * fall) / (scale * scale)
    }

    private func camera(_ reading: inout SceneReading) {
        let reach = Double(frameWidth * frameWidth + frameHeight * frameHeight) / 12
        var square: Double
        var roll: Double
        if let last = gyroscope.last, state.time - last.timeSeconds < 0.25, let speed = gyroscope.speed {
            let focal = focalLength * Double(frameWidth)
            square = speed.meanSquare * focal * focal
            roll = speed.rollMeanSquare
            reading.cameraMotionSpread = speed.spread * focal
        } else {
            guard let speed = state.trajectory.translation() else { return }
            square = speed.meanSquare * scale * scale
            roll = state.trajectory.rollMeanSquare() ?? 0
            reading.cameraMotionSpread = speed.spread * scale
        }
        reading.rollDegreesPerSecond = roll.squareRoot() * 180 / .pi
        let motion = (square + roll * reach).squareRoot()
        reading.cameraMotion = motion
        let share = motion / Double(frameWidth)
        state.isSteady = share < (state.isSteady ? Self.movesAbove : Self.standsBelow)
        reading.steady = state.isSteady
    }

    private func subjects(_ reading: inout SceneReading) {
        guard state.ring.count >= 2 else { return }
        let camera = state.trajectory.translation()?.meanSquare.squareRoot() ?? 0
        let found = SubjectFinder(
            field: state.field, ring: state.ring, noise: state.noise, drift: state.trajectory.drift, camera: camera
        ).subjects.sorted { $0.speed < $1.speed }
        reading.subjectMotion = 0
        let area = found.reduce(0) { $0 + $1.area }
        guard area > 0 else { return }
        func rms(_ speed: (Subject) -> Double) -> Double {
            (found.reduce(0) { $0 + $1.area * speed($1) * speed($1) } / area).squareRoot() * scale
        }
        reading.subjectMotion = rms(\.speed)
        reading.subjectMotionAhead = rms(\.ahead)
        reading.subjectFraction = min(area, 1)
        // Mean of the weight over the picture is 1: 1.5 in the middle, 0.5 at the far corners.
        reading.subjectWeight = min(
            found.reduce(0) {
                $0 + $1.area * (1.5 - 0.75 * min($1.middleX * $1.middleX + $1.middleY * $1.middleY, 1.34))
            }, 1)
        let product = Double(state.radiance.product)
        let code = found.reduce(0) { $0 + $1.area * $1.code } / area
        reading.subjectRadiance = TransferFunction.sRGB.linear(code / 255) / product
        reading.subjectSpeedQuantiles = [0.1, 0.5, 0.9].map { quantile in
            var passed = 0.0
            for subject in found {
                passed += subject.area
                if passed >= quantile * area { return subject.speed * scale }
            }
            return (found.last?.speed ?? 0) * scale
        }
    }
}
