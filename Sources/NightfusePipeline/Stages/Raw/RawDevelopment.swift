package import NightfuseCore
internal import NightfuseKernels

/// How the raw frames of a burst become frames that the pipeline can align and merge: one white balance for all, and what is
/// known of the sensor.
///
///     levels, lens gains, balance -> rows even -> bad and hot pixels mended -> noise even -> demosaic -> codes
///
/// Colours are made where noise is even: of the stabilised samples, not of light. A filter's gradients then move no noise of
/// a bright colour into a dark one, and take colours for alike in ratio more than in difference, which they are: of the
/// mean over the mosaic's four positions, without noise, the error falls by 4 to 6 dB. The other colours are made as differences
/// to a green that follows edges where these stand out of the noise, and is the even, linear mix where they do not. Splatting the samples of eight frames
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
            average = RawLevels(reference, gains: [1, 1, 1], clip: nil).means()
        }
        colour = RawColour(neutral: reference.neutral, calibrations: reference.calibrations, average: average)
        self.isPicture = isPicture
        self.reference = reference
        let isMosaic = reference.planes.count == 1
        noise =
            reference.noise.isEmpty
            ? nil : RawNoise(profile: reference.noise, gains: colour.gains, isMosaic: isMosaic)
        let clip = isPicture ? colour.clip : nil
        let gains = colour.gains
        let levels = (held.isEmpty ? [reference] : held).map { RawLevels($0, gains: gains, clip: clip) }
        if let noise {
            samples = noise.samples
        } else {
            samples = NoiseEstimation(frame: try levels[0].halfSize()).channels
        }
        coding = RawCoding(samples, top: isPicture ? colour.clip : colour.gains.max() ?? 1)
        hot = try HotPixels(levels, noise: samples, workers: workers)
    }

    /// Balanced light from which a sample may have been clipped, with what noise and rounding take off.
    private var saturation: Double { colour.clip * 0.98 }

    /// Turns what was merged of the frames into linear sRGB, in place, black where it belongs.
    package func finish(_ restored: Fusion.Restored, workers: Workers) throws(NightfuseError) -> LinearImage {
        let read = samples.enumerated().map { $0.element.read / colour.gains[$0.offset] }.min() ?? 0
        try settleBlack(
            restored.image, drift: restored.blackDrift, gains: colour.gains.map { Float($0) }, read: Float(read),
            workers: workers)
        try convertColour(restored.image, by: colour.matrix, workers: workers)
        return restored.image
    }

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
        let levels = RawLevels(raw, gains: colour.gains, clip: isPicture ? colour.clip : nil)
        let rowNoise = try RowNoise(
            levels, noise: samples, gains: colour.gains, clip: saturation, workers: workers)
        var known = hot
        known.add(raw.badPixels.map { Int32($0.y * raw.width + $0.x) }.sorted())
        let placement =
            isPicture
            ? RawPlacement(crop: raw.crop, orientation: raw.info.orientation)
            : RawPlacement(crop: (0, 0, raw.width, raw.height), orientation: 1)
        var planes: [Plane<UInt16>] = []
        for _ in 0..<3 {
            planes.append(try Plane(width: placement.width, height: placement.height, isZero: false))
        }
        let (out, bad) = (planes, known)
        try workers.bands(
            placement.crop.height, grain: Self.bandRows,
            scratch: { DevelopmentWork(raw, crop: placement.crop, rows: Self.bandRows) }
        ) { (work, _, rows) throws(NightfuseError) in
            let wanted = rows.lowerBound + placement.crop.y..<rows.upperBound + placement.crop.y
            let light = work.light
            light.show(wanted.lowerBound - Self.halo..<wanted.upperBound + Self.halo, of: levels)
            rowNoise.remove(from: light, layout: layout, gains: colour.gains, clip: saturation)
            mend(light, around: wanted, known: bad)
            coding.stabilise(light)
            work.begin(wanted.lowerBound, crop: placement.crop, layout: raw.layout)
            for row in rows { work.demosaic(row, layout: raw.layout, coding: coding, placement: placement, into: out) }
        }
        var info = raw.info
        if isPicture { info.orientation = 1 }
        return FrameData(
            samples: .words(planes), linear: coding.linear, curve: coding.curve, name: raw.name, info: info,
            whiteClip: Float(saturation), clippedAtBlack: false,
            blackGains: colour.gains.map { Float($0) })
    }

    /// Rows a band: their light stays in the cache.
    private static let bandRows = 64
    /// Slopes, squared and in noise of a sample, below which the demosaic hardly heeds them: noise alone makes squares of 12 on
    /// average.
    fileprivate static let evenness: Float = 64
    /// Rows of the demosaic's filter above and below a row.
    private static let filterReach = 3
    /// Rows above and below a band: those of the filter; what pixels in them are mended from; and whether those are bad.
    fileprivate static let halo = filterReach + 2 + HotPixels.reach

    /// Mends what is bad in the rows `wanted` of a window, and in those that the demosaic sees beside them.
    private func mend(_ light: RawLight, around wanted: Range<Int>, known: HotPixels) {
        guard light.planeCount == 1 else { return }
        let seen = (wanted.lowerBound - Self.filterReach - 2..<wanted.upperBound + Self.filterReach + 2)
            .clamped(to: 0..<light.height)
        var bad = HotPixels()
        bad.add(HotPixels.places(in: [light], rows: seen, layout: layout, noise: samples))
        bad.add(Array(known.places(in: seen, width: light.width)))
        HotPixels.mend(light, places: bad.places)
    }
}

/// Buffers of a thread that develops a frame.
private final class DevelopmentWork {
    let light: RawLight
    private let codes: [UnsafeMutablePointer<UInt16>]
    /// Differences to green of three rows, in turn; eight samples before each and sixteen after.
    private let differences: [UnsafeMutablePointer<Float>]
    private static let margin = 8

    init(_ raw: RawFrame, crop: (x: Int, y: Int, width: Int, height: Int), rows: Int) {
        light = RawLight(raw, capacity: rows + 2 * RawDevelopment.halo)
        let width = (crop.width + 7) & ~7
        codes = (0..<3).map { _ in .allocate(capacity: width) }
        let room = width + 3 * Self.margin
        differences = (0..<3).map { _ in
            let row = UnsafeMutablePointer<Float>.allocate(capacity: room)
            row.initialize(repeating: 0, count: room)
            return row
        }
    }

    deinit {
        for row in codes { row.deallocate() }
        for row in differences { row.deallocate() }
    }

    /// Prepares for the rows from `y` on, one after the other.
    func begin(_ y: Int, crop: (x: Int, y: Int, width: Int, height: Int), layout: RawFrame.Layout) {
        guard case .mosaic(let cell) = layout else { return }
        for row in y - 1...y { findDifferences(row, crop, cell) }
    }

    private func difference(_ y: Int) -> UnsafeMutablePointer<Float> { differences[(y + 3) % 3] + Self.margin }

    /// What row `y` of the frame holds, from column `left` on.
    private func site(_ y: Int, _ left: Int, _ cell: [UInt8]) -> BayerRow {
        func colour(_ x: Int) -> Int { Int(cell[(y & 1) * 2 + ((x + left) & 1)]) }
        return colour(0) != 1 ? BayerRow(colour: colour(0), parity: 0) : BayerRow(colour: colour(1), parity: 1)
    }

    /// Differences of a row, which may lie one outside of the frame.
    private func findDifferences(_ y: Int, _ crop: (x: Int, y: Int, width: Int, height: Int), _ cell: [UInt8]) {
        let rows = (-2...2).map { UnsafePointer(light.row(mirroredIndex(y + $0, light.height)) + crop.x) }
        mosaicDifferenceRow(
            rows, count: crop.width, site: site(y, crop.x, cell), evenness: RawDevelopment.evenness,
            into: difference(y))
    }

    /// Makes the crop's row `row` of the stabilised light, and puts its codes in their place.
    func demosaic(
        _ row: Int, layout: RawFrame.Layout, coding: RawCoding, placement: RawPlacement, into out: [Plane<UInt16>]
    ) {
        let (y, crop) = (row + placement.crop.y, placement.crop)
        // Rows end on whole cache lines: what is rounded up to eight samples has room.
        let targets = placement.keepsRows ? out.map { $0.row(row) } : codes
        switch layout {
        case .linear:
            for c in 0..<3 {
                quantiseRow(
                    light.row(y, plane: c) + crop.x, count: crop.width, scale: coding.scale, offset: coding.offset,
                    into: targets[c])
            }
        case .mosaic(let cell):
            findDifferences(y + 1, crop, cell)
            let differences: DifferenceRows = (
                above: UnsafePointer(difference(y - 1)), here: UnsafePointer(difference(y)),
                below: UnsafePointer(difference(y + 1))
            )
            demosaicRow(
                light.row(y) + crop.x, differences: differences, count: crop.width, site: site(y, crop.x, cell),
                scale: coding.scale, offset: coding.offset, red: targets[0], green: targets[1], blue: targets[2])
        }
        if placement.keepsRows { return }
        for c in 0..<3 { placement.put(codes[c], row: row, into: out[c]) }
    }
}
