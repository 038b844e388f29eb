package import NightfuseCore
internal import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The homography from the reference to a frame, by phase correlation on a coarse level and robust Gauss-Newton
/// (inverse compositional; Baker and Matthews, "Lucas-Kanade 20 years on", 2004, section 3.2) from there to the base
/// level.
///
/// What moves by itself must not pull the camera's motion: at every step, blocks of 8 x 8 samples that disagree more
/// than the rest (in noise units) lose their weight.
package final class GlobalAlignment: Sendable {
    /// One level of the reference: smoothed luma and its slopes, which are there where the descent comes by.
    private struct Level: Sendable {
        let image: Plane<Float>
        var slopes: (x: Plane<Float>, y: Plane<Float>)?
    }

    private let levels: [Level]
    private let correlation: PhaseCorrelation
    /// Peaks of the correlation that are tried.
    private static let mostPeaks = 8
    /// Samples of the last level of the descent, at most. More tell the motion no better than tiles then need it: at 12
    /// megapixels the descent ends at 0.75, and at 1 megapixel at 0.25, for two thirds less of its time.
    private static let descentSamples = 800_000
    private let coarse: Int
    /// The last level of the descent: on more samples than small pictures have, the motion is known to hundredths before.
    private let finest: Int
    private let base: Int
    private let width: Int
    private let height: Int
    package let pyramid: LumaPyramid

    /// Level at which phase correlation works: the finest of at most 256 samples a side.
    private static func coarseLevel(_ pyramid: LumaPyramid) -> Int {
        pyramid.smooth.firstIndex { max($0.width, $0.height) <= 256 } ?? pyramid.smooth.count - 1
    }

    package init(reference: LumaPyramid, width: Int, height: Int, workers: Workers) throws(NightfuseError) {
        coarse = Self.coarseLevel(reference)
        finest =
            reference.smooth.firstIndex { $0.width * $0.height <= Self.descentSamples }
            ?? reference.smooth.count - 1
        var levels = reference.smooth.map { Level(image: $0) }
        for level in min(finest, coarse)..<levels.count {
            let image = levels[level].image
            let gx = try Plane<Float>(width: image.width, height: image.height, isZero: false)
            let gy = try Plane<Float>(width: image.width, height: image.height, isZero: false)
            try gradients(image, x: gx, y: gy, workers: workers)
            levels[level].slopes = (gx, gy)
        }
        self.levels = levels
        base = reference.base
        self.width = width
        self.height = height
        pyramid = reference
        correlation = PhaseCorrelation(reference: reference.smooth[coarse])
    }

    /// How well an alignment fits.
    package struct Fit: Sendable {
        package var field: AlignmentField
        /// Median over blocks of the mean squared misfit of the base level's smoothed luma, in squared noise units.
        package var misfit: Double
        /// Share of blocks that agree.
        package var agreement: Double
    }

    /// Aligns a frame. `guess` (the last frame's homography) is tried beside the correlation's candidates.
    package func align(_ frame: LumaPyramid, guess: Homography?, workers: Workers) throws(NightfuseError) -> Fit {
        let unit = Double(1 << (coarse + base))
        let half = Double(max(width, height)) / 2
        // Noise of the smoothed coarse level: full-size variance 1, times (20/64)^2 a level and (6/16)^2 for (1 2 1).
        var variance = Float(base == 0 ? 1 : 0.25) * (9.0 / 64)
        for _ in 0..<coarse { variance *= 25.0 / 256 }
        var candidates = correlation.shifts(
            to: frame.smooth[coarse], noiseVariance: variance, count: Self.mostPeaks
        )
        .map { Homography.translation($0.x * unit / half, $0.y * unit / half) }
        candidates.append(.identity)
        if let guess { candidates.append(guess) }
        // What moves by itself may take the highest peaks: all are tried where that is cheap, the best two again.
        if coarse + 1 < levels.count, levels[coarse + 1].image.width * levels[coarse + 1].image.height >= 64 * 24 {
            let tried = try fitted(candidates, frame, level: coarse + 1, steps: 3, workers: workers)
            candidates = tried.prefix(2).map(\.h)
        }
        var best = try fitted(candidates, frame, level: coarse, steps: 4, workers: workers)[0].h
        var misfit = 0.0
        var agreement = 1.0
        for level in stride(from: coarse, through: min(finest, coarse), by: -1) {
            let scratch = try Scratch(levels[level].image)
            let steps = level == coarse ? 6 : level == finest ? 4 : 5
            for i in 0..<steps {
                let result = try step(best, frame, level: level, rigid: false, scratch: scratch, workers: workers)
                let moved = result.h.after(best.inverse ?? .identity).largestShift(width: width, height: height)
                best = result.h
                misfit = result.cost
                agreement = result.agreement
                if i > 0 && moved < 0.01 * Double(1 << level) { break }
            }
        }
        return Fit(
            field: AlignmentField(homography: best, width: width, height: height), misfit: misfit, agreement: agreement)
    }

    /// Shifts and turns near the candidates that fit best, by the robust misfit there, best first.
    private func fitted(
        _ candidates: [Homography], _ frame: LumaPyramid, level: Int, steps: Int, workers: Workers
    ) throws(NightfuseError) -> [(h: Homography, cost: Double)] {
        let scratch = try Scratch(levels[level].image)
        var result: [(h: Homography, cost: Double)] = []
        for candidate in candidates {
            var h = candidate
            for _ in 0..<steps {
                h = try step(h, frame, level: level, rigid: true, scratch: scratch, workers: workers).h
            }
            result.append((h, try step(h, frame, level: level, rigid: true, scratch: scratch, workers: workers).cost))
        }
        // A stable order, so that of equals the highest peak goes first.
        return result.enumerated().sorted { ($0.element.cost, $0.offset) < ($1.element.cost, $1.offset) }.map(\.element)
    }

    /// A frame brought onto the reference by an alignment.
    package struct Aligned: Sendable {
        /// Its smoothed luma on the finest levels, four at most.
        package var warped: [Plane<Float>]
        /// Standard deviation, on the same levels, of the difference between the reference's smoothed luma and this: the
        /// median block's, so that movers do not count.
        package var noise: [Float]
    }

    /// Brings a frame onto the reference, and measures what is left of a difference.
    package func aligned(
        _ frame: LumaPyramid, field: AlignmentField, workers: Workers
    ) throws(NightfuseError) -> Aligned {
        var result = Aligned(warped: [], noise: [])
        for level in 0..<min(levels.count, 4) {
            let scratch = try Scratch(levels[level].image)
            var values = try blockMisfits(field, frame, level: level, scratch: scratch, workers: workers)
            // A coarse level has too few blocks for a median of its own: noise falls by 20/64 a level.
            if values.count < 12, let last = result.noise.last {
                result.noise.append(last * 20 / 64)
            } else {
                result.noise.append(values.isEmpty ? 1 : max(median(&values) / 64, 1e-9).squareRoot())
            }
            let (warped, image) = (scratch.error, levels[level].image)
            try workers.bands(warped.height, grain: 64) { (_, rows) throws(NightfuseError) in
                for y in rows {
                    let (row, own) = (warped.row(y), image.row(y))
                    for x in 0..<warped.width { row[x] += own[x] }
                }
            }
            result.warped.append(warped)
        }
        return result
    }

    /// Level-sized working planes, and block sums.
    private final class Scratch: Sendable {
        let error: Plane<Float>
        let weights: Plane<Float>
        init(_ like: Plane<Float>) throws(NightfuseError) {
            error = try Plane(width: like.width, height: like.height, isZero: false)
            weights = try Plane(width: (like.width + 7) / 8, height: (like.height + 7) / 8)
        }
    }

    /// One Gauss-Newton step at a level; also the cost before it: the mean over blocks of the robust misfit.
    private func step(
        _ h: Homography, _ frame: LumaPyramid, level: Int, rigid: Bool, scratch: Scratch, workers: Workers
    ) throws(NightfuseError) -> (h: Homography, cost: Double, agreement: Double) {
        let field = AlignmentField(homography: h, width: width, height: height)
        var values = try blockMisfits(field, frame, level: level, scratch: scratch, workers: workers)
        guard values.count >= 6 else { return (h, .infinity, 0) }
        let median = max(NightfuseKernels.median(&values), 1e-9)
        let blocks = scratch.weights
        // 2. Weights: Geman-McClure on the block misfit over its median; half weight at three times the median.
        var cost = 0.0
        var agreeing = 0
        for y in 0..<blocks.height {
            let row = blocks.row(y)
            for x in 0..<blocks.width {
                guard row[x] >= 0 else {
                    row[x] = 0
                    continue
                }
                cost += Double(min(row[x], 4 * median))
                if row[x] < 3 * median { agreeing += 1 }
                let ratio = max(row[x] / median - 1, 0) / 2
                row[x] = 1 / ((1 + ratio * ratio) * (1 + ratio * ratio))
            }
        }
        let count = Double(values.count)
        let meanCost = cost / count / 64
        // 3. Normal equations.
        let system = try normalEquations(level: level, scratch: scratch, rigid: rigid, workers: workers)
        guard let delta = system.solve() else { return (h, meanCost, Double(agreeing) / count) }
        let change = Homography([
            1 + delta[0], delta[1], delta[2], delta[3], 1 + delta[4], delta[5], delta[6], delta[7], 1,
        ])
        guard let undo = change.inverse else { return (h, meanCost, Double(agreeing) / count) }
        return (h.after(undo), meanCost, Double(agreeing) / count)
    }

    /// Fills the scratch with the difference and its sum of squares over blocks of 8 x 8 (-1 where a block leaves the
    /// frame), and gives the sums.
    private func blockMisfits(
        _ field: AlignmentField, _ frame: LumaPyramid, level: Int, scratch: Scratch, workers: Workers
    ) throws(NightfuseError) -> [Float] {
        let reference = levels[level]
        let target = frame.smooth[level]
        let error = scratch.error
        let blocks = scratch.weights
        let w = error.width
        let nodeCount = AlignmentField.nodeCount(w)
        try workers.bands(
            blocks.height, grain: 4, scratch: { Floats(2 * nodeCount + 2 * w) }
        ) { (work, _, rows) throws(NightfuseError) in
            let nodes = work.base
            let (sampled, squares) = (nodes + 2 * nodeCount, nodes + 2 * nodeCount + w)
            let (maxX, maxY) = (Float(target.width - 1), Float(target.height - 1))
            for blockY in rows {
                let sums = blocks.row(blockY)
                for b in 0..<blocks.width { sums[b] = 0 }
                squares.update(repeating: 0, count: w)
                for y in blockY * 8..<min(blockY * 8 + 8, error.height) {
                    field.sample(target, row: y, count: w, level: level + self.base, nodes: nodes, into: sampled)
                    differenceRow(
                        sampled, reference.image.row(y), count: w, into: error.row(y), addingSquaresTo: squares)
                    for b in 0..<blocks.width {
                        let middle = 2 * b + 1
                        let inside =
                            nodes[middle] >= 0 && nodes[middle] <= maxX && nodes[nodeCount + middle] >= 0
                            && nodes[nodeCount + middle] <= maxY
                        if !inside { sums[b] = -1 }
                    }
                }
                for b in 0..<blocks.width where sums[b] >= 0 {
                    var sum: Float = 0
                    for x in b * 8..<min(b * 8 + 8, w) { sum += squares[x] }
                    sums[b] = sum
                }
            }
        }
        var values: [Float] = []
        values.reserveCapacity(blocks.width * blocks.height)
        for y in 0..<blocks.height {
            let row = blocks.row(y)
            for x in 0..<blocks.width where row[x] >= 0 { values.append(row[x]) }
        }
        return values
    }

    /// Weighted normal equations of the eight parameters. Along a row, every term is a moment in X of five products
    /// (gx gx, gx gy, gy gy, gx e, gy e), so 21 sums a row are enough.
    private func normalEquations(
        level: Int, scratch: Scratch, rigid: Bool, workers: Workers
    ) throws(NightfuseError) -> NormalEquations {
        let reference = levels[level]
        guard let slopes = reference.slopes else { return NormalEquations() }
        let (w, h) = (reference.image.width, reference.image.height)
        let size = Double(1 << (level + base))
        let half = Double(max(width, height)) / 2
        let centreX = Double(width - 1) / 2
        let centreY = Double(height - 1) / 2
        let xs = (0..<w).map { Float((((Double($0) + 0.5) * size - 0.5) - centreX) / half) }
        let bandRows = 16
        let count = (h + bandRows - 1) / bandRows
        let partial = Partials(count)
        let scale = half / size
        try workers.bands(h, grain: bandRows, scratch: { Floats(w) }) { (work, band, rows) throws(NightfuseError) in
            var system = NormalEquations()
            let wide = work.base
            for y in rows {
                let weights = scratch.weights.row(y / 8)
                for b in 0..<scratch.weights.width {
                    let end = min(b * 8 + 8, w)
                    for x in b * 8..<end { wide[x] = weights[b] }
                }
                let moments = xs.withUnsafeBufferPointer { px -> [Double] in
                    rowMoments(
                        gx: slopes.x.row(y), gy: slopes.y.row(y), error: scratch.error.row(y), weight: wide,
                        position: px.baseAddress.unsafelyUnwrapped, count: w)
                }
                let v = (((Double(y) + 0.5) * size - 0.5) - centreY) / half
                system.add(moments, y: v, scale: scale)
            }
            partial.set(band, system)
        }
        var system = partial.sum()
        system.regularise(rigid: rigid)
        return system
    }
}

/// Per-band results, summed in band order so that the thread count does not matter.
private final class Partials: @unchecked Sendable {
    // Unchecked: every band writes its own slot, and the sum is taken after all bands are done.
    private let slots: UnsafeMutablePointer<NormalEquations>
    private let count: Int
    init(_ count: Int) {
        self.count = count
        slots = .allocate(capacity: count)
        slots.initialize(repeating: NormalEquations(), count: count)
    }
    deinit {
        slots.deinitialize(count: count)
        slots.deallocate()
    }
    func set(_ index: Int, _ value: NormalEquations) { slots[index] = value }
    func sum() -> NormalEquations {
        var total = NormalEquations()
        for i in 0..<count { total.add(slots[i]) }
        return total
    }
}
