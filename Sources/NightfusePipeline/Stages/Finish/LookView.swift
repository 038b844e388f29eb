internal import NightfuseCore
internal import NightfuseKernels

/// A picture as a look sees it: small, in linear sRGB, and measured.
struct LookView: Sendable {
    let image: LinearImage
    let blocks: FinishBlocks
    let scene: Scene
    /// Noise of luma, one value a block.
    let sigma: Plane<Float>
    /// Row by row: the picture's primaries to linear sRGB and back.
    let toSRGB: [Float]
    let fromSRGB: [Float]

    /// Blocks are chosen so that the small copy has at most this many a side: enough for every shape that a tone curve
    /// acts on, and 1/40 of a 12-megapixel picture's work.
    private static let mostBlocks = 640

    init(
        _ image: LinearImage, colour: ColourSpace, residualNoise: Plane<Float>?, workers: Workers
    ) throws(NightfuseError) {
        self.image = image
        guard let fromXYZ = ColourSpace.sRGB.toXYZ.inverse, let back = colour.toXYZ.inverse else {
            throw .argument("the colour space \(colour.name) has primaries that lie on one line")
        }
        let to = fromXYZ * colour.toXYZ
        toSRGB = to.m.map(Float.init)
        fromSRGB = (back * ColourSpace.sRGB.toXYZ).m.map(Float.init)
        let factor = max(1, (max(image.width, image.height) + Self.mostBlocks - 1) / Self.mostBlocks)
        let blocks = try FinishBlocks(width: image.width, height: image.height, factor: factor)
        let matrix = toSRGB
        try workers.bands(blocks.height, grain: 8) { (_, rows) throws(NightfuseError) in
            shrinkToBlocks(image.planes, matrix: matrix, into: blocks, rows: rows)
        }
        self.blocks = blocks
        sigma = try blockSigma(residualNoise, image: image, matrix: toSRGB, blocks: blocks)
        scene = Scene(blocks, sigma: sigma)
    }

    /// The scene's mean luminance in cd/m^2, for exposure time x ISO in seconds.
    ///
    /// By the saturation-based speed of ISO 12232 (78 lux seconds over ISO reach full scale) a lens of f-number N with
    /// transmission 0.65 is at full scale at 120 N^2 / (t S); N is taken as 2, between phones and fast lenses.
    func sceneLuminance(exposureProduct: Double) -> Double? {
        guard exposureProduct > 0, exposureProduct.isFinite else { return nil }
        let mean = scene.luma.reduce(0) { $0 + Double(max($1, 0)) } / Double(scene.luma.count)
        return mean * 480 / exposureProduct
    }

    /// Settings that change nothing yet.
    var settings: LookSettings {
        var s = LookSettings()
        s.toSRGB = toSRGB
        s.fromSRGB = fromSRGB
        return s
    }
}
