package import NightfuseCore
internal import NightfuseKernels

/// What ``finish(_:colour:exposureProduct:residualNoise:options:workers:)`` makes of a picture.
package struct FinishOptions: Sendable {
    package var look: Look = .night
    /// Stops added to the finished picture, as linear light.
    package var brightnessEV = 0.0
    /// For a photograph already taken, in place of the night look's ceiling and white balance: 0 to 1 of the way to the
    /// brightness of day (see ``brightenAmount(for:colour:workers:)``). Only with `look == .night`; nil: a fused night.
    package var brighten: Double?

    package init(look: Look = .night, brightnessEV: Double = 0, brighten: Double? = nil) {
        (self.look, self.brightnessEV, self.brighten) = (look, brightnessEV, brighten)
    }
}

/// Gives a merged picture its look, in place.
///
/// Every look's maths is done in linear sRGB, so that a picture in other primaries gets the same colours.
/// - `none`: linear light times 2^EV, held to 0 ... 1.
/// - `natural`: white balance made neutral; lamps above white rolled off with their hue kept.
/// - `night`: white balance that keeps some warmth and makes nothing blue; blacks set to black; brightness by a local
///   tone curve towards a target that follows how dark the scene is (``ToneTarget``); lamps held and rolled off.
///   What is not dark is left nearly as it was.
///
/// - Parameters:
///   - image: linear light in the frame's own primaries, 1 = the reference's full scale; below 0 and above 1 allowed.
///   - exposureProduct: exposure time in seconds x ISO of the reference, from which the scene's luminance follows;
///     nil where unknown.
///   - residualNoise: the noise (sigma) of luma that is left, on the same scale, as a plane of any size; nil: estimated.
/// - Returns: `image`, now display-referred: 0 ... 1, but for rounding and colours that its primaries do not hold
///   (``encode(_:colour:bits:dither:workers:)`` holds them).
/// Cost: two reads and a write of the picture and about 150 operations a pixel; memory for a copy of at most 640 samples
/// a side, about 30 times.
package func finish(
    _ image: LinearImage, colour: ColourSpace, exposureProduct: Double?, residualNoise: Plane<Float>?,
    options: FinishOptions, workers: Workers
) throws(NightfuseError) -> LinearImage {
    if options.look == .none {
        try scaleLight(image, by: Float(fromStops(options.brightnessEV)), workers: workers)
        return image
    }
    let view = try LookView(image, colour: colour, residualNoise: residualNoise, workers: workers)
    let settings: LookSettings
    switch options.look {
    case .none, .natural: settings = naturalLook(view, brightnessEV: options.brightnessEV)
    case .night:
        if let amount = options.brighten {
            settings = try nightLook(
                view, .photograph(codedMean: view.scene.codedMean, amount: min(max(amount, 0), 1)), adaptation: nil,
                brightnessEV: options.brightnessEV, workers: workers)
            break
        }
        let target = ToneTarget.night(
            codedMean: view.scene.codedMean, blackShare: view.scene.blackShare,
            sceneLuminance: exposureProduct.flatMap { view.sceneLuminance(exposureProduct: $0) })
        settings = try nightLook(
            view, target, adaptation: .night, brightnessEV: options.brightnessEV, workers: workers)
    }
    try workers.bands(image.height, grain: 64) { (_, rows) throws(NightfuseError) in
        applyLook(image.planes, settings, rows: rows)
    }
    return image
}

/// How much light a photograph lacks: the `brighten` that suits it, 0 to 1; 0 where it is not dark.
///
/// Cost: one read of the picture.
package func brightenAmount(
    for image: LinearImage, colour: ColourSpace, workers: Workers
) throws(NightfuseError) -> Double {
    let view = try LookView(image, colour: colour, residualNoise: nil, workers: workers)
    return ToneTarget.amount(codedMean: view.scene.codedMean, blackShare: view.scene.blackShare)
}

private func scaleLight(_ image: LinearImage, by scale: Float, workers: Workers) throws(NightfuseError) {
    try workers.bands(image.height, grain: 64) { (_, rows) throws(NightfuseError) in
        for plane in image.planes {
            for y in rows {
                let row = plane.mutableRow(y)
                for x in 0..<plane.width {
                    let v = row[x] * scale
                    row[x] = v > 0 ? (v < 1 ? v : 1) : 0
                }
            }
        }
    }
}
