internal import NightfuseCore
internal import NightfuseKernels

/// The reference's brightness, neutral white, lamps rolled off.
func naturalLook(_ view: LookView, brightnessEV: Double) -> LookSettings {
    var settings = view.settings
    let light = estimateIlluminant(view.blocks, scene: view.scene, sigma: view.sigma, cautious: true)
    (settings.redGain, settings.blueGain) = balance(light, .natural, strength: 1)
    settings.constantGain = Float(brightnessEV)
    settings.gainRange = -16...16
    settings.white = max(1, view.scene.lamps * Float(fromStops(brightnessEV)))
    return settings
}
