package import NightfuseCore
internal import NightfuseKernels

/// How the raw frames of a burst become frames that the pipeline can align and merge: one white balance for all, and what is
/// known of the sensor.
///
///     levels, lens gains, balance -> rows even -> bad and hot pixels mended -> noise even -> demosaic -> codes
///
/// Colours are made where noise is even: of the stabilised samples, not of light. A filter's gradients then move no noise of
/// a bright colour into a dark one, and take colours for alike in ratio more than in difference, which they are: of the
/// mean over the mosaic's four positions, without noise, the error falls by 4 to 6 dB. Splatting the samples of eight frames
/// onto the reference's grid instead (sums of the best Gaussian) was 0.7 to 1.9 dB worse at little noise, and no better at
/// coarse scales at much: there a colour has but its own quarter of the samples.
package struct RawDevelopment: Sendable {
    package let colour: RawColour
    /// Noise of the balanced samples, where it is known.
    package let noise: RawNoise?
    /// Noise of the balanced samples, measured in one frame where the file does not tell it: good enough to tell what
    /// stands out, and to choose a curve.
    let samples: [NoiseModel]
    /// Whether frames are cropped and turned upright; else they keep the sensor's geometry, and light above the level at
    /// which the first colour saturates.
    package let isPicture: Bool
    let reference: RawFrame
    var layout: RawFrame.Layout { reference.layout }
    private var hot = HotPixels()
    private let coding: RawCoding

    /// - Parameters:
    ///   - reference: whose as-shot balance and colours count.
    ///   - held: frames of the reference's exposure, it among them, in which hot pixels are looked for.
    package init(
        reference: RawFrame, held: [RawFrame], isPicture: Bool, workers: Workers
    ) throws(NightfuseError) {
        var average: [Double]?
        if reference.neutral == nil && reference.calibrations.isEmpty {
            average = try RawLight(reference, gains: [1, 1, 1], clip: nil, workers: workers).means(reference.layout)
        }
        colour = RawColour(neutral: reference.neutral, calibrations: reference.calibrations, average: average)
        self.isPicture = isPicture
        self.reference = reference
        let isMosaic = reference.planes.count == 1
        noise =
            reference.noise.isEmpty
            ? nil : RawNoise(profile: reference.noise, gains: colour.gains, isMosaic: isMosaic)
        let clip = isPicture ? colour.clip : nil
        var lights: [RawLight] = []
        for frame in held { lights.append(try RawLight(frame, gains: colour.gains, clip: clip, workers: workers)) }
        if lights.isEmpty {
            lights.append(try RawLight(reference, gains: colour.gains, clip: clip, workers: workers))
        }
        if let noise {
            samples = noise.samples
        } else {
            samples = NoiseEstimation(frame: try lights[0].halfSize(reference.layout)).channels
        }
        coding = RawCoding(samples, top: isPicture ? colour.clip : colour.gains.max() ?? 1)
        if isMosaic { hot = try HotPixels(lights, layout: reference.layout, noise: samples, workers: workers) }
    }

    /// Balanced light from which a sample may have been clipped, with what noise and rounding take off.
    private var saturation: Double { colour.clip * 0.98 }

    /// Turns what was merged of the frames into linear sRGB, in place, black where it belongs. Not for pictures: makes a
    /// preview of it.
    package func finish(_ restored: Fusion.Restored, workers: Workers) throws(NightfuseError) -> LinearImage {
        let read = samples.enumerated().map { $0.element.read / colour.gains[$0.offset] }.min() ?? 0
        try settleBlack(
            restored.image, drift: restored.blackDrift, gains: colour.gains.map { Float($0) }, read: Float(read),
            workers: workers)
        var image = restored.image
        if !isPicture {
            image = try rawPreview(
                of: image, crop: reference.crop, longest: Self.previewSide, clip: Float(colour.clip), workers: workers)
        }
        try convertColour(image, by: colour.matrix, workers: workers)
        return image
    }

    /// Pixels of a preview's longer side at most: enough for a full screen of a phone or an overview of a computer's.
    private static let previewSide = 1280

    /// Whether `other` would have been developed just so as the reference.
    package func suits(_ other: RawFrame) -> Bool {
        other.neutral == reference.neutral && other.calibrations == reference.calibrations
            && other.noise == reference.noise
    }

    /// The noise of a developed frame, where the file tells it.
    package func noise(of frame: FrameData) -> NoiseEstimation? {
        guard let noise else { return nil }
        // The spectrum hardly depends on the light; that of the mean will do.
        var sum = 0.0
        let rows = Array(stride(from: 0, to: frame.height, by: 16))
        let line = Floats(frame.width)
        for y in rows {
            frame.linearRow(channel: 1, y: y, from: 0, count: frame.width, into: line.base)
            for x in 0..<frame.width { sum += Double(line.base[x]) }
        }
        return noise.estimation(light: max(sum / Double(rows.count * frame.width), 0))
    }

    /// A frame for the pipeline.
    package func frame(_ raw: RawFrame, workers: Workers) throws(NightfuseError) -> FrameData {
        let light = try RawLight(
            raw, gains: colour.gains, clip: isPicture ? colour.clip : nil, workers: workers)
        if raw.planes.count == 1 {
            let rows = try RowNoise(
                light, layout: layout, noise: samples, gains: colour.gains, clip: saturation, workers: workers)
            try rows.remove(from: light, layout: layout, gains: colour.gains, clip: saturation, workers: workers)
            let own = try HotPixels([light], layout: layout, noise: samples, workers: workers)
            let known = raw.badPixels.map { Int32($0.y * raw.width + $0.x) }
            HotPixels.mend(light, places: Array(Set(hot.joined(own).places).union(known)).sorted())
        }
        try coding.stabilise(light, workers: workers)
        let placement =
            isPicture
            ? RawPlacement(crop: raw.crop, orientation: raw.info.orientation)
            : RawPlacement(crop: (0, 0, raw.width, raw.height), orientation: 1)
        var planes: [Plane<UInt16>] = []
        for _ in 0..<3 { planes.append(try Plane(width: placement.width, height: placement.height)) }
        let out = planes
        try workers.bands(placement.crop.height, grain: 32) { (_, rows) throws(NightfuseError) in
            let work = DemosaicWork(width: light.width)
            for row in rows {
                let y = row + placement.crop.y
                work.demosaic(light, y: y, layout: raw.layout)
                for c in 0..<3 {
                    quantiseRow(
                        Row(work.colours[c]), count: light.width, scale: coding.scale, offset: coding.offset,
                        into: work.codes)
                    placement.put(Row(work.codes) + placement.crop.x, row: row, into: out[c])
                }
            }
        }
        var info = raw.info
        if isPicture { info.orientation = 1 }
        return FrameData(
            samples: .words(planes), linear: coding.linear, name: raw.name, info: info,
            whiteClip: Float(saturation), clippedAtBlack: false,
            blackGains: colour.gains.map { Float($0) })
    }
}

/// Buffers of a thread that demosaics.
private final class DemosaicWork {
    let colours: [MutableRow<Float>]
    let codes: MutableRow<UInt16>
    private let floats: Floats
    private let words: Room<UInt16>

    init(width: Int) {
        let size = (width + 15) & ~7
        (floats, words) = (Floats(3 * size), Room(size))
        colours = [floats.base, floats.base + size, floats.base + 2 * size]
        codes = words.base
    }

    func demosaic(_ light: RawLight, y: Int, layout: RawFrame.Layout) {
        guard case .mosaic(let cell) = layout else {
            for c in 0..<3 { colours[c].update(from: light.row(y, plane: c), count: light.width) }
            return
        }
        let rows = (-2...2).map { light.row(mirroredIndex(y + $0, light.height)) }
        let pair = [Int(cell[(y & 1) * 2]), Int(cell[(y & 1) * 2 + 1])]
        let site = pair[0] != 1 ? BayerRow(colour: pair[0], parity: 0) : BayerRow(colour: pair[1], parity: 1)
        demosaicRow(rows, count: light.width, site: site, red: colours[0], green: colours[1], blue: colours[2])
    }
}
