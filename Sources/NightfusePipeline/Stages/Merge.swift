package import NightfuseCore
package import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The running merge: the reference first, then frame after frame, each resampled once and added with a weight.
///
/// All samples are linear light on the reference's radiance scale. A frame's weight at a pixel is the inverse of its
/// noise variance against the reference's, times a trust from 0 to 1 that is decided once for all channels; see
/// ``trust`` below.
package final class Merge: @unchecked Sendable {
    // Unchecked: the two variables are set before an `add` starts its bands, and bands write their own rows only.

    /// Weighted sums of the three channels.
    package let sums: [Plane<Float>]
    /// Sum of weights u a, where a is the inverse variance against the reference's and u the trust.
    package let weight: Plane<Float>
    /// Sum of u^2 a: what is left of the reference's noise variance is `weight2 / weight^2`.
    package let weight2: Plane<Float>
    /// Weights of frames whose noise differs from the reference's (other exposures); nil where there are none.
    package private(set) var otherWeight: Plane<Float>?
    /// Their noise, one a channel, by the frames' weights in the dark.
    package private(set) var otherNoise: [NoiseModel]?
    /// What frames merged by frequency add to the weight of coarse shapes; nil where there are none.
    var coarseWeight: Plane<Float>?
    /// Their blurs, and the mean weight that each added.
    var coarseBlurs: [(blur: ShakeBlur, weight: Double)] = []
    private var otherPrecision = 0.0
    package let reference: FrameData
    let kernel: InterpolationKernel
    let curves: [VarianceCurve]
    package let width: Int
    package let height: Int

    /// Rows a band; with a halo of two for the window and what the frame's turn needs.
    private static let bandRows = 32

    package struct Tuning: Sendable {
        /// Misfit over noise up to which a difference is noise: 75 samples (5 x 5, three channels) scatter by 0.2.
        package var tolerance: Float = 0.35
        /// How fast trust falls beyond it.
        package var steepness: Float = 4
        /// What alignment and resampling leave, as a shift in pixels times the local slope.
        package var slack: Float = 0.55
        /// How much of a frame's inverse variance (against the reference's) its errors are multiplied by.
        package var lever: Float = 0.25
        /// Ratio by which every aligned frame of the burst differs more than its noise.
        package var unmodelled: Float = 1
        /// What residuals by frequency may exceed their mean noise: frames made of a mosaic have more noise in the dark,
        /// and at coarse scales, than the mean of the picture tells.
        package var likeness: Float = 1
        package init() {}

        /// For frames made of a mosaic: their noise is alike in neighbours and colours, so that the ratio scatters by
        /// three times as much.
        package static var demosaiced: Tuning {
            var tuning = Tuning()
            tuning.tolerance = 1.2
            tuning.likeness = 2
            return tuning
        }
    }

    package init(
        reference: FrameData, noise: [NoiseModel], kernel: InterpolationKernel, workers: Workers
    ) throws(NightfuseError) {
        self.reference = reference
        self.kernel = kernel
        width = reference.width
        height = reference.height
        curves = noise.map { Self.curve(ClippedNoise(noise: $0, clips: reference.clippedAtBlack)) }
        sums = [
            try Plane(width: width, height: height), try Plane(width: width, height: height),
            try Plane(width: width, height: height),
        ]
        weight = try Plane(width: width, height: height)
        weight2 = try Plane(width: width, height: height)
        try workers.bands(height, grain: Self.bandRows) { (_, rows) throws(NightfuseError) in
            for y in rows {
                for c in 0..<3 {
                    self.reference.linearRow(channel: c, y: y, from: 0, count: self.width, into: self.sums[c].row(y))
                }
                self.weight.row(y).update(repeating: 1, count: self.width)
                self.weight2.row(y).update(repeating: 1, count: self.width)
            }
        }
    }

    /// What is left of white noise by resampling.
    package var resamplingNoise: Float { kernel.noiseGain * kernel.noiseGain }

    /// Variance against mean, as a table where clipping acts.
    package static func curve(_ clipped: ClippedNoise) -> VarianceCurve {
        let reach = max(clipped.reach, 1e-6)
        let table = (0..<512).map { Float(clipped.variance(mean: reach * Double($0) / 511)) }
        return VarianceCurve(
            table: table, reach: Float(reach), shot: Float(clipped.noise.shot),
            readSquared: Float(clipped.noise.read * clipped.noise.read))
    }

    /// The same with the squared difference that clipping makes between a frame and the reference.
    private static func curve(_ clipped: ClippedNoise, against own: ClippedNoise) -> VarianceCurve {
        let reach = max(own.reach, clipped.reach, 1e-6)
        let table = (0..<512).map { i -> Float in
            let mean = reach * Double(i) / 511
            let x = own.signal(mean: mean)
            let moments = clipped.moments(x)
            let lift = mean - moments.mean
            return Float(moments.variance + lift * lift)
        }
        return VarianceCurve(
            table: table, reach: Float(reach), shot: Float(clipped.noise.shot),
            readSquared: Float(clipped.noise.read * clipped.noise.read))
    }

    /// Inverse variance of a frame's green against the reference's, by the reference's mean green.
    private static func ratioCurve(_ item: Contribution, own: NoiseModel) -> [Float] {
        let clips = item.frame.clippedAtBlack
        let (a, b) = (ClippedNoise(noise: own, clips: clips), ClippedNoise(noise: item.noise[1], clips: clips))
        return (0..<ratioSteps).map { i in
            // Even in the square root of the mean, 0 to 1.
            let root = Double(i) / Double(ratioSteps - 1)
            let mean = root * root
            let x = a.signal(mean: mean)
            let (one, other) = (a.moments(x), b.moments(x))
            // Where clipping lifts it by another amount, a noisier frame tells less than it confuses: its bias counts as
            // noise that the other frames would have to average away.
            let lift = max(other.mean - mean, 0)
            return Float(one.variance / max(other.variance + lift * lift * Self.liftPenalty, 1e-14))
        }
    }

    private static let ratioSteps = 512
    /// A lift does not average away: it counts as over some 64 frames.
    private static let liftPenalty = 64.0

    /// A frame ready to be added.
    package struct Contribution: Sendable {
        package var frame: FrameData
        package var field: AlignmentField
        package var motion: MotionMap?
        /// The frame's linear light is divided by this to stand on the reference's scale.
        package var radianceScale: Float
        /// The frame's noise on the reference's scale, one a channel.
        package var noise: [NoiseModel]
        /// Upper bound of the frame's trust (blurred frames count less).
        package var trust: Float
        package init(
            frame: FrameData, field: AlignmentField, motion: MotionMap?, radianceScale: Float, noise: [NoiseModel],
            trust: Float
        ) {
            self.frame = frame
            self.field = field
            self.motion = motion
            self.radianceScale = radianceScale
            self.noise = noise
            self.trust = trust
        }
    }

    /// Adds a frame; gives the mean trust over the picture, 0 to 1.
    package func add(_ item: Contribution, tuning: Tuning, workers: Workers) throws(NightfuseError) -> Double {
        try noteNoise(of: item)
        let others = isOther(item)
        // Blacks lifted by another amount are a difference, but none of motion.
        let frameCurves = zip(item.noise, curves).map { noise, own in
            let clipped = ClippedNoise(noise: noise, clips: item.frame.clippedAtBlack)
            return others
                ? Self.curve(clipped, against: ClippedNoise(noise: own.noise, clips: item.frame.clippedAtBlack))
                : Self.curve(clipped)
        }
        let ratios = hasOtherNoise(item) ? Self.ratioCurve(item, own: curves[1].noise) : nil
        let bands = (height + Self.bandRows - 1) / Self.bandRows
        let totals = Totals(bands)
        try workers.bands(height, grain: Self.bandRows) { (band, rows) throws(NightfuseError) in
            let work = BandWork(width: self.width, rows: Self.bandRows)
            totals.set(
                band,
                self.addBand(
                    item, rows: rows, curves: frameCurves, ratios: ratios, tuning: tuning, work: work))
        }
        return totals.sum() / Double(width * height)
    }

    /// Whether a frame's noise differs from the reference's: its read noise by a tenth.
    private func hasOtherNoise(_ item: Contribution) -> Bool {
        abs(Float(item.noise[1].read * item.noise[1].read) / max(curves[1].readSquared, 1e-12) - 1) > 0.2
    }

    /// Whether a frame's blacks are lifted by another amount than the reference's.
    private func isOther(_ item: Contribution) -> Bool { item.frame.clippedAtBlack && hasOtherNoise(item) }

    /// Keeps the mean noise of frames with other noise, weighted by what they tell of the dark.
    private func noteNoise(of item: Contribution) throws(NightfuseError) {
        guard isOther(item) else { return }
        if otherWeight == nil { otherWeight = try Plane(width: width, height: height) }
        let precision = 1 / max(item.noise[1].read * item.noise[1].read, 1e-12)
        let share = precision / (otherPrecision + precision)
        otherPrecision += precision
        let old = otherNoise ?? item.noise
        otherNoise = zip(old, item.noise).map { a, b in
            NoiseModel(shot: a.shot + (b.shot - a.shot) * share, read: a.read + (b.read - a.read) * share)
        }
    }

    private func addBand(
        _ item: Contribution, rows: Range<Int>, curves frameCurves: [VarianceCurve], ratios: [Float]?,
        tuning: Tuning, work: BandWork
    ) -> Double {
        let w = width
        let top = max(rows.lowerBound - 2, 0)
        let bottom = min(rows.upperBound + 2, height)
        // Positions of every row, and the frame's rows they need.
        var lowest = Float.infinity
        var highest = -Float.infinity
        let (limitX, limitY) = (Float(w - 1), Float(height - 1))
        for y in top..<bottom {
            let xs = work.xs + (y - top) * w
            let ys = work.ys + (y - top) * w
            item.field.positions(row: y, from: 0, count: w, level: 0, xs: xs, ys: ys)
            let valid = work.valid + (y - top) * w
            for x in 0..<w {
                valid[x] = xs[x] > -0.5 && xs[x] < limitX + 0.5 && ys[x] > -0.5 && ys[x] < limitY + 0.5 ? 1 : 0
                xs[x] = min(max(xs[x], -1), limitX + 1)
                ys[x] = min(max(ys[x], -1), limitY + 1)
                lowest = min(lowest, ys[x])
                highest = max(highest, ys[x])
            }
        }
        let firstRow = floorInt(lowest) - 3
        let lastRow = floorInt(highest) + 4
        let source = SourceBand(item.frame, rows: firstRow...lastRow, scale: 1 / item.radianceScale)
        let pointers = source.channels.map { UnsafePointer($0) }
        for y in top..<bottom {
            let k = y - top
            // Rows of the source band are counted from its first.
            let ys = work.ys + k * w
            let offset = Float(firstRow)
            for x in 0..<w { ys[x] -= offset }
            resampleRow(
                pointers, stride: source.stride, xs: work.xs + k * w, ys: ys, count: w, kernel: kernel,
                outputs: (0..<3).map { work.warped + ($0 * work.height + k) * w })
            for c in 0..<3 {
                reference.linearRow(
                    channel: c, y: y, from: 0, count: w, into: work.reference + (c * work.height + k) * w)
            }
        }
        mismatch(top..<bottom, rows: rows, curves: frameCurves, tuning: tuning, others: ratios != nil, work: work)
        if ratios != nil { meanGreen(top..<bottom, rows: rows, work: work) }
        var total = 0.0
        for y in rows { total += accumulate(y, top: top, item: item, ratios: ratios, tuning: tuning, work: work) }
        return total
    }

    /// Fills `work.misfit`, for the band's own rows, with the mean over channels of squared difference over expected
    /// variance, both over 5 x 5 pixels.
    private func mismatch(
        _ all: Range<Int>, rows: Range<Int>, curves frameCurves: [VarianceCurve], tuning: Tuning, others: Bool,
        work: BandWork
    ) {
        let w = width
        let top = all.lowerBound
        let gain = kernel.noiseGain * kernel.noiseGain
        // A long frame's shake blur is an error like any other: only frames like the reference get slack.
        let alike = frameCurves[1].readSquared == curves[1].readSquared && frameCurves[1].shot == curves[1].shot
        let slope2 = others ? 0 : tuning.slack * tuning.slack
        for y in rows { (work.misfit + (y - top) * w).update(repeating: 0, count: w) }
        for c in 0..<3 {
            for y in all {
                let k = y - top
                let at = (c * work.height + k) * w
                differenceRow(
                    work.warped + at, work.reference + at, count: w, squared: work.line, mean: work.line + w)
                boxRow5(work.line, count: w, into: work.squares + k * w)
                boxRow5(work.line + w, count: w, into: work.means + k * w)
            }
            for y in rows {
                let k = y - top
                let r = (-2...2).map { min(max(y + $0, all.lowerBound), all.upperBound - 1) - top }
                let (s0, s1, s2, s3, s4) = (
                    work.squares + r[0] * w, work.squares + r[1] * w, work.squares + r[2] * w,
                    work.squares + r[3] * w, work.squares + r[4] * w
                )
                let (m0, m1, m2, m3, m4) = (
                    work.means + r[0] * w, work.means + r[1] * w, work.means + r[2] * w, work.means + r[3] * w,
                    work.means + r[4] * w
                )
                let (square, mean) = (work.line, work.line + w)
                for x in 0..<w {
                    square[x] = ((s0[x] + s4[x]) + (s1[x] + s3[x]) + s2[x]) * (1.0 / 25)
                    mean[x] = ((m0[x] + m4[x]) + (m1[x] + m3[x]) + m2[x]) * (1.0 / 25)
                }
                curves[c].apply(mean, count: w, into: work.line + 2 * w)
                if others || !alike {
                    frameCurves[c].apply(mean, count: w, into: work.line + 3 * w)
                } else {
                    (work.line + 3 * w).update(from: work.line + 2 * w, count: w)
                }
                let out = work.misfit + k * w
                let (va, vb) = (work.line + 2 * w, work.line + 3 * w)
                let (a, b) = (r[1] * w, r[3] * w)
                let means = work.means
                for x in 0..<w {
                    // Slope of the mean over 5 samples: (sum two to the right - two to the left) over 25 x 2.
                    let gx = (mean[min(x + 1, w - 1)] - mean[max(x - 1, 0)]) * 0.5
                    let gy = (means[b + x] - means[a + x]) * (0.5 / 5)
                    let slack = slope2 * (gx * gx + gy * gy)
                    out[x] += square[x] / (va[x] + gain * vb[x] + slack + 1e-12) * (1.0 / 3)
                }
            }
        }
    }

    /// Fills `work.green` with the reference's green averaged over 5 x 5 pixels.
    private func meanGreen(_ all: Range<Int>, rows: Range<Int>, work: BandWork) {
        let w = width
        let top = all.lowerBound
        for y in all {
            boxRow5(work.reference + (work.height + y - top) * w, count: w, into: work.means + (y - top) * w)
        }
        for y in rows {
            let r = (-2...2).map { work.means + (min(max(y + $0, all.lowerBound), all.upperBound - 1) - top) * w }
            let out = work.green + (y - top) * w
            for x in 0..<w { out[x] = ((r[0][x] + r[4][x]) + (r[1][x] + r[3][x]) + r[2][x]) * (1.0 / 25) }
        }
    }

    /// Turns a row's misfit into weights and adds the warped samples; gives the sum of trust.
    private func accumulate(
        _ y: Int, top: Int, item: Contribution, ratios: [Float]?, tuning: Tuning, work: BandWork
    ) -> Double {
        let w = width
        let k = y - top
        let misfit = work.misfit + k * w
        let valid = work.valid + k * w
        let (trust, ratio) = (work.line, work.line + w)
        // Inverse variance against the reference's, at the mean green around: a pixel's own noise must not weigh it.
        if let ratios {
            let green = work.green + k * w
            let last = Float(Self.ratioSteps - 1)
            for x in 0..<w { ratio[x] = ratios[Int(min(max(green[x], 0), 1).squareRoot() * last)] }
        } else {
            ratio.update(repeating: 1, count: w)
        }
        let calm = 1 / tuning.unmodelled
        for x in 0..<w {
            // An error weighs as much more as the frame's own noise is less.
            let lever = 1 + tuning.lever * (ratio[x] - 1)
            let excess = max(misfit[x] * calm - 1 - tuning.tolerance, 0) * tuning.steepness * max(lever, 0.5)
            trust[x] = item.trust * valid[x] / (1 + excess + excess * excess)
        }
        if let motion = item.motion { coarseTrust(motion, y: y, times: trust) }
        let clip = item.frame.whiteClip / item.radianceScale
        let (r, g, b) = (
            work.warped + k * w, work.warped + (work.height + k) * w, work.warped + (2 * work.height + k) * w
        )
        // Samples near white may have lost light: no weight, with a ramp over the top tenth so that no edge shows.
        let ramp = 10 / clip
        for x in 0..<w {
            let brightest = max(r[x], max(g[x], b[x]))
            trust[x] *= item.radianceScale == 1 ? 1 : min(max((clip - brightest) * ramp, 0), 1)
        }
        var total: Float = 0
        for x in 0..<w { total += trust[x] }
        let (sw, sw2) = (weight.row(y), weight2.row(y))
        for x in 0..<w {
            let a = ratio[x] * trust[x]
            sw[x] += a
            sw2[x] += a * trust[x]
            ratio[x] = a
        }
        if let other = otherWeight?.row(y), isOther(item) { for x in 0..<w { other[x] += ratio[x] } }
        accumulateRow(r, weight: ratio, count: w, into: sums[0].row(y))
        accumulateRow(g, weight: ratio, count: w, into: sums[1].row(y))
        accumulateRow(b, weight: ratio, count: w, into: sums[2].row(y))
        return Double(total)
    }

    /// Multiplies a row of trust by the coarse map, bilinear between its samples.
    private func coarseTrust(_ motion: MotionMap, y: Int, times trust: UnsafeMutablePointer<Float>) {
        let map = motion.trust
        let size = Float(1 << motion.level)
        let v = min(max((Float(y) + 0.5) / size - 0.5, 0), Float(map.height - 1))
        let r0 = min(Int(v), max(map.height - 2, 0))
        let a = map.row(r0)
        let b = map.row(min(r0 + 1, map.height - 1))
        let fy = v - Float(r0)
        for x in 0..<width {
            let u = min(max((Float(x) + 0.5) / size - 0.5, 0), Float(map.width - 1))
            let c0 = min(Int(u), max(map.width - 2, 0))
            let c1 = min(c0 + 1, map.width - 1)
            let fx = u - Float(c0)
            let top = a[c0] + (a[c1] - a[c0]) * fx
            let bottom = b[c0] + (b[c1] - b[c0]) * fx
            trust[x] *= top + (bottom - top) * fy
        }
    }
}

/// Buffers of one band; made by whoever works on the band.
private final class BandWork {
    let height: Int
    let xs, ys, valid, warped, reference, squares, means, misfit, green, line: UnsafeMutablePointer<Float>
    private let memory: UnsafeMutablePointer<Float>

    init(width w: Int, rows: Int) {
        height = rows + 4
        let plane = height * w
        memory = .allocate(capacity: plane * 13 + 4 * w)
        xs = memory
        ys = xs + plane
        valid = ys + plane
        warped = valid + plane
        reference = warped + 3 * plane
        squares = reference + 3 * plane
        means = squares + plane
        misfit = means + plane
        green = misfit + plane
        line = green + plane
    }

    deinit { memory.deallocate() }
}

/// Linear rows of a frame, edges repeated: 8 samples to either side, rows above and below as asked.
final class SourceBand {
    let stride: Int
    /// For each channel, the sample at column 0 of the band's first row.
    let channels: [UnsafeMutablePointer<Float>]
    private let memory: UnsafeMutablePointer<Float>

    init(_ frame: FrameData, rows: ClosedRange<Int>, scale: Float) {
        let w = frame.width
        stride = w + 16
        let planes = frame.planes.count
        let size = stride * rows.count
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: size * planes)
        self.memory = memory
        let stride = stride
        channels = (0..<3).map { memory + (planes == 1 ? 0 : $0) * size + 8 }
        for c in 0..<planes {
            for (k, y) in rows.enumerated() {
                let row = channels[c] + k * stride
                frame.linearRow(channel: c, y: min(max(y, 0), frame.height - 1), from: 0, count: w, into: row)
                if scale != 1 { for x in 0..<w { row[x] *= scale } }
                for x in 1...8 {
                    row[-x] = row[0]
                    row[w - 1 + x] = row[w - 1]
                }
            }
        }
    }

    deinit { memory.deallocate() }
}

/// A number a band, summed in band order.
final class Totals: @unchecked Sendable {
    // Unchecked: every band writes its own slot, and the sum is taken after all bands are done.
    private let slots: UnsafeMutablePointer<Double>
    private let count: Int
    init(_ count: Int) {
        self.count = count
        slots = .allocate(capacity: count)
        slots.initialize(repeating: 0, count: count)
    }
    deinit { slots.deallocate() }
    func set(_ index: Int, _ value: Double) { slots[index] = value }
    func sum() -> Double { (0..<count).reduce(0) { $0 + slots[$1] } }
}

extension VarianceCurve {
    /// The model the curve was made from.
    var noise: NoiseModel { NoiseModel(shot: Double(shot), read: Double(readSquared).squareRoot()) }
}
