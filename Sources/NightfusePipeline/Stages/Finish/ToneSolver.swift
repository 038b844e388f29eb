internal import NightfuseCore
internal import NightfuseKernels

/// Finds the curve that brings a scene to its target brightness with the least done to it.
struct ToneSolver {
    let scene: Scene
    let black: Float
    let floor: Float
    /// Stops of tone-giving light, and linear luma, of some 20000 blocks.
    private let stops: [Float]
    private let luma: [Float]
    /// sRGB-coded value by stops, from -16 to 0 in sixteenths.
    private let codedByStops: [Float]

    init(scene: Scene, black: Float, floor: Float) {
        (self.scene, self.black, self.floor) = (scene, black, floor)
        // 20000 samples give the mean to a thousandth.
        let step = max(1, scene.luma.count / 20000)
        var stops = [Float]()
        var luma = [Float]()
        for i in stride(from: 0, to: scene.luma.count, by: step) {
            let light = scene.light[i]
            stops.append(inStops(light * lessBlack(light, black) + floor))
            luma.append(max(scene.luma[i], 0) * lessBlack(max(scene.luma[i], 0), black))
        }
        (self.stops, self.luma) = (stops, luma)
        codedByStops = (0...257).map { Float(TransferFunction.sRGB.coded(fromStops(min(Double($0) / 16 - 16, 0)))) }
    }

    /// Stops: more would show nothing but what the frames did not catch.
    private static let mostExposure = 7.0
    /// Noise of luma in the shadows that may be seen in the result: an sRGB code of 56 of 255 where black would be.
    private static let mostNoise = 0.04

    /// The curve for `target`: exposure first, as far as the lit parts have room, and compression of the range below
    /// them in step; more exposure, with lamps rolled off, only where that leaves the picture too dark to see.
    func solve(_ target: ToneTarget) -> ToneCurve {
        var curve = ToneCurve()
        curve.top = Double(inStops(max(scene.top, floor)))
        curve.lamps = Double(inStops(max(scene.lamps, scene.top, floor)))
        if target.mean < scene.codedMean {
            // Too bright for what it was: less exposure, down to a quarter; lamps above the top stay.
            curve.exposure = -2 * bisect { mean(with(curve, exposure: -2 * $0)) <= target.mean }
            return curve
        }
        // Half a stop below white is kept for what local contrast adds; noise is not made into light.
        let most = min(Self.mostExposure, max(inStops(Self.mostNoise / Double(max(scene.darkSigma, 1e-9))), 0))
        let room = min(max(-0.5 - curve.top, 0), most)
        let share = bisect { mean(lifted(curve, by: $0, room: room)) >= target.mean }
        curve = lifted(curve, by: share, room: room)
        let least = min(target.mean, target.floor)
        if share >= 1, mean(curve) < least, target.deepest > curve.compression {
            let base = curve
            curve = deepened(
                base, by: bisect { mean(deepened(base, by: $0, to: target.deepest)) >= least }, to: target.deepest)
        }
        if share >= 1, mean(curve) < least {
            let (base, more) = (curve.exposure, most - room)
            curve.exposure += more * bisect { mean(with(curve, exposure: base + more * $0)) >= least }
        }
        return curve
    }

    private func lifted(_ curve: ToneCurve, by share: Double, room: Double) -> ToneCurve {
        var curve = curve
        curve.exposure = room * share
        curve.compression = ToneCurve.mostCompression * share
        curve.toe = min(share * 2, 1)
        return curve
    }

    /// Lit parts as they are, what lies below them closer to them, and the toe given up for it.
    private func deepened(_ curve: ToneCurve, by share: Double, to compression: Double) -> ToneCurve {
        var curve = curve
        curve.compression += (compression - curve.compression) * share
        curve.toe *= 1 - share
        return curve
    }

    private func with(_ curve: ToneCurve, exposure: Double) -> ToneCurve {
        var curve = curve
        curve.exposure = exposure
        return curve
    }

    /// The smallest share in 0 ... 1 for which `reached` holds, if it holds from there on; 1 where it never does.
    private func bisect(_ reached: (Double) -> Bool) -> Double {
        var (low, high) = (0.0, 1.0)
        for _ in 0..<12 {
            let middle = (low + high) / 2
            if reached(middle) { high = middle } else { low = middle }
        }
        return high
    }

    /// Mean coded luma after `curve`.
    func mean(_ curve: ToneCurve) -> Double {
        let table = curve.table()
        var sum: Float = 0
        for i in stops.indices {
            let out = inStops(max(luma[i], 1e-12)) + ToneCurve.value(table, at: stops[i]) - stops[i]
            let p = min(max((out + 16) * 16, 0), 256)
            let k = Int(p)
            sum += codedByStops[k] + (codedByStops[k + 1] - codedByStops[k]) * (p - Float(k))
        }
        return Double(sum) / Double(max(stops.count, 1))
    }
}

/// The factor that the kernel takes off light for `black`.
func lessBlack(_ light: Float, _ black: Float) -> Float {
    light < 2 * black ? light / (4 * black) : 1 - black / max(light, .leastNormalMagnitude)
}
