internal import NightfuseCore
internal import NightfuseKernels

/// Settings of the night look that bring `view` to `target`; `adaptation` nil leaves the colours as they are.
func nightLook(
    _ view: LookView, _ target: ToneTarget, adaptation: Adaptation?, brightnessEV: Double, workers: Workers
) throws(NightfuseError) -> LookSettings {
    let scene = view.scene
    var settings = view.settings
    settings.gainRange = -16...16
    if target.darkness <= 0 {
        settings.constantGain = Float(brightnessEV)
        settings.white = max(1, scene.lamps * Float(fromStops(brightnessEV)))
        return settings
    }
    if let adaptation {
        let light = estimateIlluminant(view.blocks, scene: scene, sigma: view.sigma, cautious: false)
        (settings.redGain, settings.blueGain) = balance(light, adaptation, strength: target.darkness)
        settings.mostOfCast = mostOfCast
    }
    settings.black = blackLevel(scene) * Float(target.darkness)
    settings.logFloor = max(1 / 4096, scene.darkSigma)
    settings.chromaSigmas = Float(target.darkness)
    let solver = ToneSolver(scene: scene, black: settings.black, floor: settings.logFloor)
    let before = try stopsOf(view.blocks, black: settings.black, floor: settings.logFloor)
    // The solver knows single blocks only; what local contrast adds is measured, and its goal moved by that, twice.
    let shapes = try largeShapes(before, workers: workers)
    var goal = target
    for round in 0... {
        let curve = solver.solve(goal)
        let gain = try shapeGain(shapes, curve.table())
        let maps = try gainMaps(of: gain, over: before, sigma: view.sigma, factor: view.blocks.factor)
        settings.maps = maps
        settings.white = max(1, whitePoint(view, settings))
        let sample = try FinishedSample(view, settings)
        let reached = sample.mean(0)
        if round == 2 || abs(reached - target.mean) < 0.03 * target.mean {
            let trim = sample.stops(to: target.mean)
            shift(maps.offset, by: trim + Float(brightnessEV))
            break
        }
        goal.mean *= target.mean / max(reached, 1e-3)
    }
    settings.white = max(1, whitePoint(view, settings))
    return settings
}

/// Share of a pixel's own yellowness that the night look may take: the rest is what makes lamplight look like lamplight.
private let mostOfCast: Float = 0.7

/// Light that is taken off: nine tenths of what one block in 500 stays under, as far as that is black against what is
/// lit, or at most a quarter of the median; where part of the picture is black, two thirds of the middle of that part.
private func blackLevel(_ scene: Scene) -> Float {
    let most = max(0.25 * scene.median, scene.top * Scene.blackBelowTop)
    return max(min(0.9 * scene.haze, most), 0.67 * scene.blackMiddle)
}

/// log2 of the tone-giving light of every block.
private func stopsOf(_ blocks: FinishBlocks, black: Float, floor: Float) throws(NightfuseError) -> Plane<Float> {
    let out = try Plane<Float>(width: blocks.width, height: blocks.height)
    for y in 0..<out.height {
        let (r, g, b) = (blocks.mean[0].row(y), blocks.mean[1].row(y), blocks.mean[2].row(y))
        let row = out.mutableRow(y)
        for x in 0..<out.width { row[x] = toneLog2(r[x], g[x], b[x], black: black, floor: floor) }
    }
    return out
}

/// Stops that the curve adds to each large shape.
private func shapeGain(_ shapes: Plane<Float>, _ curve: [Float]) throws(NightfuseError) -> Plane<Float> {
    let gain = try Plane<Float>(width: shapes.width, height: shapes.height)
    for y in 0..<shapes.height {
        let (from, to) = (shapes.row(y), gain.mutableRow(y))
        for x in 0..<shapes.width { to[x] = ToneCurve.value(curve, at: from[x]) - from[x] }
    }
    return gain
}

private func shift(_ plane: Plane<Float>, by stops: Float) {
    for y in 0..<plane.height {
        let row = plane.mutableRow(y)
        for x in 0..<plane.width { row[x] += stops }
    }
}

/// Light of the brightest lamps after the gain, before the roll-off.
private func whitePoint(_ view: LookView, _ settings: LookSettings) -> Float {
    guard let maps = settings.maps else { return 1 }
    var lights = [Float]()
    view.blocks.visit { x, y in
        let peak = max(view.blocks.peak.row(y)[x], 0)
        let stops = inStops(peak + settings.logFloor)
        lights.append(peak * fromStops(maps.slope.row(y)[x] * stops + maps.offset.row(y)[x]))
    }
    return quantile(lights.sorted(), 0.9998)
}

/// Luma of the picture as it would be finished, from 48 of its rows.
private struct FinishedSample {
    private var luma = [Float]()
    private let codes = (0...4096).map { TransferFunction.sRGB.coded(Double($0) / 4096) }

    init(_ view: LookView, _ settings: LookSettings) throws(NightfuseError) {
        let image = view.image
        let rows = min(48, image.height)
        let pitch = image.height / rows
        let first = pitch / 2
        let sample = try LinearImage(width: image.width, height: rows)
        for c in 0..<3 {
            for y in 0..<rows {
                sample.planes[c].mutableRow(y).update(from: image.planes[c].row(first + y * pitch), count: image.width)
            }
            ScratchPlanes.letGo()
        }
        defer { withExtendedLifetime(sample) {} }
        applyLook(sample.planes, settings, rows: 0..<rows, firstY: first, pitch: pitch)
        let m = settings.toSRGB
        let weights = (0..<3).map { lumaOf(m[$0], m[3 + $0], m[6 + $0]) }
        for y in 0..<rows {
            let (r, g, b) = (sample.planes[0].row(y), sample.planes[1].row(y), sample.planes[2].row(y))
            // Every third pixel: 60000 values of a 12-megapixel picture.
            for x in stride(from: 0, to: image.width, by: 3) {
                let one: Float = r[x] * weights[0] + g[x] * weights[1] + b[x] * weights[2]
                luma.append(one > 0 ? one : 0)
            }
        }
    }

    /// Mean of the sRGB-coded luma, were it `stops` brighter.
    func mean(_ stops: Float) -> Double {
        let scale = fromStops(stops) * 4096
        return luma.reduce(0.0) { $0 + codes[Int(min(max($1 * scale, 0), 4096))] } / Double(luma.count)
    }

    /// Stops that bring the mean to `goal`; at most a fifth either way.
    func stops(to goal: Double) -> Float {
        var (low, high) = (Float(-0.2), Float(0.2))
        for _ in 0..<8 {
            let middle = (low + high) / 2
            if mean(middle) < goal { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}
