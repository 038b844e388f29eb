internal import NightfuseCore
internal import NightfuseKernels

/// What a look needs to know of a picture, measured on its blocks: how dark it is, where its blacks and lamps lie.
struct Scene {
    /// Luma (linear) of the pixel in the middle of each block visited.
    let luma: [Float]
    /// Tone-giving light of the mean of each block visited, at least 0 (see `toneLog2`).
    let light: [Float]
    /// Mean of the sRGB-coded luma, 0 to 1.
    let codedMean: Double
    /// Light that one block in 500 stays under: haze, flare and the bias of clipped noise, if nothing there is black.
    let haze: Float
    /// Share of the blocks that are black: in the noise, or so far below what is lit that no one would see more.
    let blackShare: Double
    /// Light that half of those stay under; 0 where there are none.
    let blackMiddle: Float
    /// Median light.
    let median: Float
    /// Light that all but 3 blocks in 1000 stay under: the top of what is lit, lamps left out.
    let top: Float
    /// The largest channel that all but one block in 5000 stay under: lamps.
    let lamps: Float
    /// Noise of luma in the dark quarter of the picture.
    let darkSigma: Float

    /// - Parameter sigma: noise of luma, one value a block.
    init(_ blocks: FinishBlocks, sigma: Plane<Float>) {
        var luma = [Float]()
        var light = [Float]()
        var peaks = [Float]()
        var noise = [(light: Float, sigma: Float)]()
        blocks.visit { x, y in
            let one = blocks.sample(x, y)
            let mean = blocks.mean(x, y)
            let tone = 0.5 * (lumaOf(mean.r, mean.g, mean.b) + max(mean.r, mean.g, mean.b))
            luma.append(lumaOf(one.r, one.g, one.b))
            light.append(max(tone, 0))
            peaks.append(max(blocks.peak.row(y)[x], 0))
            noise.append((max(tone, 0), sigma.row(y)[x]))
        }
        self.luma = luma
        self.light = light
        codedMean = luma.reduce(0) { $0 + codedLuma($1) } / Double(luma.count)
        let sorted = light.sorted()
        haze = quantile(sorted, 0.002)
        median = quantile(sorted, 0.5)
        top = quantile(sorted, 0.997)
        lamps = quantile(peaks.sorted(), 0.9998)
        let dark = quantile(sorted, 0.25)
        darkSigma = quantile(noise.filter { $0.light <= dark }.map(\.sigma).sorted(), 0.5)
        let black = max(top * Self.blackBelowTop, darkSigma)
        let blacks = sorted.prefix { $0 < black }.count
        blackShare = Double(blacks) / Double(luma.count)
        blackMiddle = blacks == 0 ? 0 : sorted[blacks / 2]
    }

    /// 7.5 stops: what reflects 2 % in a scene is 5.5 below white, and that a lamp lights one wall and not another adds
    /// the rest.
    static let blackBelowTop: Float = 1.0 / 180
}

extension FinishBlocks {
    /// Calls `body` for blocks spread evenly over the picture: all of a small one, 20000 to 80000 of a large one.
    func visit(_ body: (_ x: Int, _ y: Int) -> Void) {
        var pitch = 1
        while (width / (pitch + 1)) * (height / (pitch + 1)) >= 20000 { pitch += 1 }
        for y in stride(from: pitch / 2, to: height, by: pitch) {
            for x in stride(from: pitch / 2, to: width, by: pitch) { body(x, y) }
            ScratchPlanes.letGo()
        }
    }

    func mean(_ x: Int, _ y: Int) -> (r: Float, g: Float, b: Float) {
        (mean[0].row(y)[x], mean[1].row(y)[x], mean[2].row(y)[x])
    }

    func sample(_ x: Int, _ y: Int) -> (r: Float, g: Float, b: Float) {
        (sample[0].row(y)[x], sample[1].row(y)[x], sample[2].row(y)[x])
    }
}

/// Luma of linear sRGB light (Rec. 709 weights).
func lumaOf(_ r: Float, _ g: Float, _ b: Float) -> Float { 0.2126 * r + 0.7152 * g + 0.0722 * b }

/// sRGB-coded luma of linear light, 0 to 1; 0 for what is not a number.
func codedLuma(_ linear: Float) -> Double { linear > 0 ? TransferFunction.sRGB.coded(Double(linear)) : 0 }

/// The value that `share` of the ascending `values` stay under; 0 for none.
func quantile(_ values: [Float], _ share: Double) -> Float {
    values.isEmpty ? 0 : values[min(Int(Double(values.count) * share), values.count - 1)]
}
