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

func knob(_ n: String, _ d: Float) -> Float { getenv(n).flatMap { Float(String(cString: $0)) } ?? d }

/// Merges a longer exposure into what the frames of the base exposure made, frequency by frequency.
///
/// A hand shakes during a long exposure: it has the coarse shapes nearly free of noise, and its fine ones smeared. With H
/// the blur's response (``ShakeBlur``), x the merge so far and L the aligned frame, x + F (L - H x) with
/// F = a H / (w + a H^2) is the best linear estimate, where w and a are the inverse variances of merge and frame. It is
/// taken over tiles of 32 x 32 that overlap by half, with windows that sum to one (as in Hasinoff et al., "Burst
/// photography", 2016, section 5). The frame is never deblurred, and an edge never meets its own smear.
///
/// What moved, or was clipped, is told by the residual L - H x, which is noise where the frame shows the same: per pixel
/// over windows of 5 x 5, then per frequency of the tile.
struct FrequencyMerge {
    let blur: ShakeBlur
    /// Response at every place of a tile's spectrum.
    private let response: [Float]
    private let tables: [ExposureTable]
    private let item: Merge.Contribution
    private let unmodelled: Float

    static let tile = TileFourier.size
    static let step = TileFourier.size / 2
    private static let bandRows = 64
    /// Misfit over noise that counts as noise still: 75 squares scatter by 0.2.
    private static let tolerance: Float = knob("QT", 0.6)
    private static let steepness: Float = knob("QS", 2)
    private static let coarseTolerance: Float = knob("QC", 1.5)
    private static let coarseSteepness: Float = knob("QD", 1)
    private static let bandTolerance: Float = knob("QB", 0.3)
    private static let bandSteepness: Float = knob("QE", 2)
    /// Energy over noise that a frequency may have: with three channels chance passes 3 once in 160.
    private static let excess: Float = knob("QK", 3)

    init(_ item: Merge.Contribution, own: [NoiseModel], blur: ShakeBlur, unmodelled: Float) {
        self.item = item
        self.blur = blur
        self.unmodelled = unmodelled
        response = TileFourier.frequencies.map { Float(blur.response($0.x, $0.y)) }
        tables = zip(own, item.noise).map { ExposureTable(own: $0, other: $1, clips: item.frame.clippedAtBlack) }
    }

    /// Adds to `delta` (three planes of the merge's size) what the frame changes, and to the merge's coarse weight what it
    /// adds there; gives the mean trust, 0 to 1.
    func run(_ merge: Merge, coarse: Plane<Float>, delta: [Plane<Float>], workers: Workers) throws(NightfuseError)
        -> Double
    {
        let bands = (merge.height + Self.bandRows - 1) / Self.bandRows
        let totals = Totals(bands)
        try workers.bands(merge.height, grain: Self.bandRows) { (band, rows) throws(NightfuseError) in
            let work = FrequencyWork(width: merge.width, rows: Self.bandRows + 2 * Self.step + 4)
            self.load(merge, coarse: coarse, rows: rows, work: work)
            var y = rows.lowerBound - Self.step
            while y < rows.upperBound {
                for x in stride(from: -Self.step, to: merge.width, by: Self.step) {
                    self.tile(x, y, rows: rows, merge: merge, delta: delta, work: work)
                }
                y += Self.step
            }
            var total: Float = 0
            for y in rows {
                let line = work.trust + (y - work.top) * work.stride + work.left
                for x in 0..<merge.width { total += line[x] }
            }
            totals.set(band, Double(total))
        }
        return totals.sum() / Double(merge.width * merge.height)
    }

    /// Fills the band's buffers: the merge, the frame, their noise and weights.
    private func load(_ merge: Merge, coarse: Plane<Float>, rows: Range<Int>, work: FrequencyWork) {
        let (w, h, s) = (merge.width, merge.height, work.stride)
        work.top = rows.lowerBound - Self.step - 2
        let source = WarpedRows(item, kernel: merge.kernel, width: w, height: h)
        for k in 0..<work.rows {
            let y = min(max(work.top + k, 0), h - 1)
            let weight = merge.weight.row(y)
            for c in 0..<3 {
                let (sums, out) = (merge.sums[c].row(y), work.merged[c] + k * s + work.left)
                for x in 0..<w { out[x] = sums[x] / max(weight[x], 1e-6) }
                work.pad(out, w)
            }
        }
        let first = max(work.top, 0)
        let last = min(work.top + work.rows, h)
        source.fill(first..<last, to: (0..<3).map { work.frame[$0] + (first - work.top) * s + work.left }, stride: s,
            valid: work.trust + (first - work.top) * s + work.left)
        for k in 0..<work.rows where work.top + k < 0 || work.top + k >= h {
            (work.trust + k * s).update(repeating: 0, count: s)
        }
        let clip = item.frame.whiteClip / item.radianceScale
        let ramp = 10 / clip
        for k in 2..<work.rows - 2 {
            let y = work.top + k
            guard y >= 0, y < h else { continue }
            let at = k * s + work.left
            let trust = work.trust + at
            for x in 0..<w {
                let brightest = max(work.frame[0][at + x], max(work.frame[1][at + x], work.frame[2][at + x]))
                trust[x] *= min(max((clip - brightest) * ramp, 0), 1)
            }
            (trust - work.left).update(repeating: 0, count: work.left)
            (trust + w).update(repeating: 0, count: s - work.left - w)
            let (weight, weight2, extra) = (merge.weight.row(y), merge.weight2.row(y), coarse.row(y))
            for c in 0..<3 {
                // The mean around, so that a pixel's noise does not weigh it.
                let line = work.line
                line.update(repeating: 0, count: s)
                for d in -2...2 {
                    let row = work.merged[c] + (k + d) * s
                    for x in 0..<s { line[x] += row[x] }
                }
                let frame = work.frame[c] + at
                let variance = work.variance[c] + at
                for x in 0..<w {
                    let l = line + work.left + x
                    let mean = (l[-2] + l[2] + l[-1] + l[1] + l[0]) * (1.0 / 25)
                    let entry = tables[c].entry(mean)
                    frame[x] -= entry.lift
                    let left = weight2[x] / max(weight[x] * weight[x], 1e-12)
                    variance[x] = (entry.own * left + entry.other) * unmodelled
                    if c == 1 {
                        work.share[at + x] = entry.other / max(entry.own * left + entry.other, 1e-20)
                        work.gain[at + x] = entry.own / max(entry.other, 1e-20)
                    }
                }
                work.pad(frame, w)
                work.pad(variance, w)
            }
            for x in 0..<w {
                work.weight[at + x] = weight[x] * weight[x] / max(weight2[x], 1e-12)
                work.extra[at + x] = extra[x]
            }
            work.pad(work.share + at, w)
            work.pad(work.gain + at, w)
            work.pad(work.weight + at, w)
            work.pad(work.extra + at, w)
        }
    }

    private func tile(
        _ x0: Int, _ y0: Int, rows: Range<Int>, merge: Merge, delta: [Plane<Float>], work: FrequencyWork
    ) {
        let n = Self.tile
        let s = work.stride
        let at = (y0 - work.top) * s + work.left + x0
        let window = hannWindow
        var means = (Float(0), Float(0), Float(0))
        var (trusted, weights, extras, gains, shares) = (Float(0), Float(0), Float(0), Float(0), Float(0))
        var noise = (Float(0), Float(0), Float(0))
        var squares: Float = 0
        for y in 0..<n {
            let row = at + y * s
            // Rows beyond the two of the picture's edge hold nothing.
            if y0 + y < 0 || y0 + y >= merge.height { continue }
            for x in 0..<n {
                let t = work.trust[row + x] * window[y] * window[x]
                let tt = t * t
                trusted += t
                squares += tt
                means.0 += t * work.merged[0][row + x]
                means.1 += t * work.merged[1][row + x]
                means.2 += t * work.merged[2][row + x]
                weights += t * work.weight[row + x]
                extras += t * work.extra[row + x]
                gains += t * work.gain[row + x]
                shares += tt * work.share[row + x]
                noise.0 += tt * work.variance[0][row + x]
                noise.1 += tt * work.variance[1][row + x]
                noise.2 += tt * work.variance[2][row + x]
            }
        }
        guard trusted > 1, squares > 0 else { return }
        let per = 1 / trusted
        means = (means.0 * per, means.1 * per, means.2 * per)
        (weights, extras, gains, shares) = (weights * per, extras * per, gains * per, shares / squares)
        let (rg, b) = (work.rg, work.b)
        fill(rg, b, at: at, means: means, from: work.merged, y0: y0, height: merge.height, work: work)
        smear(rg)
        smear(b)
        // The residual, and what of it is more than noise.
        for y in 0..<n {
            let row = at + y * s
            let outside = y0 + y < 0 || y0 + y >= merge.height
            for x in 0..<n {
                let (i, w) = (y * n + x, window[y] * window[x])
                let t = outside ? 0 : work.trust[row + x]
                rg.re[i] = t == 0 ? 0 : t * (w * (work.frame[0][row + x] - means.0) - rg.re[i])
                rg.im[i] = t == 0 ? 0 : t * (w * (work.frame[1][row + x] - means.1) - rg.im[i])
                b.re[i] = t == 0 ? 0 : t * (w * (work.frame[2][row + x] - means.2) - b.re[i])
                b.im[i] = 0
                let sum = t == 0 ? 0
                    : rg.re[i] * rg.re[i] / work.variance[0][row + x] + rg.im[i] * rg.im[i] / work.variance[1][row + x]
                        + b.re[i] * b.re[i] / work.variance[2][row + x]
                work.misfit[i] = sum * (1.0 / 3)
                work.expected[i] = t * t * w * w
            }
        }
        box5(work.misfit, work.temp)
        box5(work.expected, work.temp)
        // The same for means of 5 x 5, where a pixel's noise no longer hides what is dim and large.
        for y in 0..<n {
            let row = at + y * s
            for x in 0..<n {
                let i = y * n + x
                let dead = y0 + y < 0 || y0 + y >= merge.height
                work.means[0][i] = dead ? 0 : rg.re[i] / work.variance[0][row + x].squareRoot()
                work.means[1][i] = dead ? 0 : rg.im[i] / work.variance[1][row + x].squareRoot()
                work.means[2][i] = dead ? 0 : b.re[i] / work.variance[2][row + x].squareRoot()
            }
        }
        let coarse = work.means
        for c in 0..<3 { box5(coarse[c], work.temp) }
        for i in 0..<n * n {
            coarse[0][i] = (coarse[0][i] * coarse[0][i] + coarse[1][i] * coarse[1][i] + coarse[2][i] * coarse[2][i]) * (1.0 / 3)
            coarse[1][i] = work.expected[i]
        }
        box5(coarse[0], work.temp)
        box5(coarse[1], work.temp)
        for i in 0..<n * n {
            let over = max(work.misfit[i] / max(work.expected[i], 1e-6) - 1 - Self.tolerance, 0) * Self.steepness
            let more = max(coarse[0][i] / max(coarse[1][i], 1e-5) - 1 - Self.coarseTolerance, 0) * Self.coarseSteepness
            let t = 1 / (1 + over * over + more * more)
            rg.re[i] *= t
            rg.im[i] *= t
            b.re[i] *= t
            work.expected[i] = t
        }
        rg.forward()
        b.forward()
        // Each channel counts by its own noise.
        let scales = (1 / max(noise.0, 1e-20), 1 / max(noise.1, 1e-20), 1 / max(noise.2, 1e-20))
        var (kept, asked) = (Float(0), Float(0))
        let gain = gains
        var (energies, expectations) = (SIMD4<Float>(), SIMD4<Float>())
        let energyOf = work.temp
        for i in 0..<n * n {
            let j = TileFourier.opposite[i]
            if j < i { continue }
            let (ar, ai, br, bi) = (rg.re[i], rg.im[i], rg.re[j], rg.im[j])
            let (r0, r1, g0, g1) = ((ar + br) / 2, (ai - bi) / 2, (ai + bi) / 2, (br - ar) / 2)
            let blue = b.re[i] * b.re[i] + b.im[i] * b.im[i]
            let energy = (r0 * r0 + r1 * r1) * scales.0 + (g0 * g0 + g1 * g1) * scales.1 + blue * scales.2
            energyOf[i] = energy
            let h = response[i]
            energies[frequencyBand[i]] += energy
            expectations[frequencyBand[i]] += 3 * (shares + (1 - shares) * h * h)
        }
        let misfit = energies / expectations
        var trust = SIMD4<Float>(repeating: 1)
        for k in 0..<4 {
            let over = max(misfit[k] - 1 - Self.bandTolerance, 0) * Self.bandSteepness
            trust[k] = 1 / (1 + over * over)
        }
        for i in 0..<n * n {
            let j = TileFourier.opposite[i]
            if j < i { continue }
            let h = response[i]
            // Of the expected variance, the frame's part stays and the merge's passes the blur.
            let expected = 3 * (shares + (1 - shares) * h * h)
            let shrink = min(Self.excess * expected / max(energyOf[i], 1e-20), 1) * trust[frequencyBand[i]]
            let factor = shrink * gain * h / (weights + (extras + gain) * h * h)
            if h > 0.7 {
                kept += shrink
                asked += 1
            }
            rg.re[i] *= factor
            rg.im[i] *= factor
            b.re[i] *= factor
            b.im[i] *= factor
            if j > i {
                rg.re[j] *= factor
                rg.im[j] *= factor
                b.re[j] *= factor
                b.im[j] *= factor
            }
        }
        rg.inverse()
        b.inverse()
        let share = asked > 0 ? kept / asked : 0
        let first = max(rows.lowerBound - y0, 0)
        let last = min(rows.upperBound - y0, n)
        guard first < last else { return }
        for y in first..<last {
            let (d0, d1, d2) = (delta[0].row(y0 + y), delta[1].row(y0 + y), delta[2].row(y0 + y))
            let added = delta[3].row(y0 + y)
            for x in max(-x0, 0)..<min(merge.width - x0, n) {
                let i = y * n + x
                d0[x0 + x] += rg.re[i]
                d1[x0 + x] += rg.im[i]
                d2[x0 + x] += b.re[i]
                let p = at + y * s + x
                added[x0 + x] += window[y] * window[x] * work.trust[p] * work.expected[i] * share * work.gain[p]
            }
        }
    }

    private func fill(
        _ rg: TileFourier, _ b: TileFourier, at: Int, means: (Float, Float, Float),
        from planes: [UnsafeMutablePointer<Float>], y0: Int, height: Int, work: FrequencyWork
    ) {
        let n = Self.tile
        for y in 0..<n {
            let row = at + y * work.stride
            for x in 0..<n {
                let (i, w) = (y * n + x, hannWindow[y] * hannWindow[x])
                rg.re[i] = w * (planes[0][row + x] - means.0)
                rg.im[i] = w * (planes[1][row + x] - means.1)
                b.re[i] = w * (planes[2][row + x] - means.2)
                b.im[i] = 0
            }
        }
    }

    /// Applies the blur to a tile.
    private func smear(_ tile: TileFourier) {
        tile.forward()
        for i in 0..<TileFourier.count {
            tile.re[i] *= response[i]
            tile.im[i] *= response[i]
        }
        tile.inverse()
    }

    /// Sums over 5 x 5 of a tile, in place; its edges count once.
    private func box5(_ p: UnsafeMutablePointer<Float>, _ temp: UnsafeMutablePointer<Float>) {
        let n = Self.tile
        for y in 0..<n { boxRow5(p + y * n, count: n, into: temp + y * n) }
        for y in 0..<n {
            let r = (-2...2).map { temp + min(max(y + $0, 0), n - 1) * n }
            let out = p + y * n
            for x in 0..<n { out[x] = (r[0][x] + r[4][x]) + (r[1][x] + r[3][x]) + r[2][x] }
        }
    }
}

/// Rings of frequencies that are judged together: up to 2, 5 and 10 waves a tile, and beyond.
private let frequencyBand: [Int] = TileFourier.frequencies.map { f in
    let r = (f.x * f.x + f.y * f.y).squareRoot() * 32
    return r < 2.5 ? 0 : r < 5.5 ? 1 : r < 10.5 ? 2 : 3
}

/// Hann's window of 32 whose half-overlapped copies sum to 1.
let hannWindow: [Float] = (0..<32).map { Float(0.5 - 0.5 * cos(2 * Double.pi * (Double($0) + 0.5) / 32)) }

/// Noise of the base exposure and of another one by the mean of a sample of the base exposure, and how much the other's
/// blacks are lifted more.
struct ExposureTable {
    struct Entry {
        var own: Float
        var other: Float
        var lift: Float
    }
    private let entries: [Entry]

    init(own: NoiseModel, other: NoiseModel, clips: Bool) {
        let (a, b) = (ClippedNoise(noise: own, clips: clips), ClippedNoise(noise: other, clips: clips))
        entries = (0..<512).map { i in
            // Even in the square root of the mean, 0 to 1.
            let mean = Double(i) / 511 * Double(i) / 511
            let x = a.signal(mean: mean)
            let m = b.moments(x)
            return Entry(
                own: Float(max(a.moments(x).variance, 1e-14)), other: Float(max(m.variance, 1e-14)),
                lift: clips ? Float(m.mean - mean) : 0)
        }
    }

    func entry(_ mean: Float) -> Entry { entries[Int(min(max(mean, 0), 1).squareRoot() * 511)] }
}

/// Resamples rows of a frame onto the reference.
struct WarpedRows {
    let item: Merge.Contribution
    let kernel: InterpolationKernel
    let width: Int
    let height: Int

    init(_ item: Merge.Contribution, kernel: InterpolationKernel, width: Int, height: Int) {
        (self.item, self.kernel, self.width, self.height) = (item, kernel, width, height)
    }

    /// Rows of three channels, `stride` apart, and 1 where they lie inside the frame.
    func fill(
        _ rows: Range<Int>, from x0: Int = 0, count: Int? = nil, to outputs: [UnsafeMutablePointer<Float>],
        stride: Int, valid: UnsafeMutablePointer<Float>
    ) {
        let w = count ?? width
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * w * rows.count)
        defer { memory.deallocate() }
        let (limitX, limitY) = (Float(width - 1), Float(height - 1))
        var (lowest, highest) = (Float.infinity, -Float.infinity)
        for y in rows {
            let xs = memory + 2 * w * (y - rows.lowerBound)
            let ys = xs + w
            item.field.positions(row: y, from: x0, count: w, level: 0, xs: xs, ys: ys)
            let inside = valid + (y - rows.lowerBound) * stride
            for x in 0..<w {
                inside[x] = xs[x] > -0.5 && xs[x] < limitX + 0.5 && ys[x] > -0.5 && ys[x] < limitY + 0.5 ? 1 : 0
                xs[x] = min(max(xs[x], -1), limitX + 1)
                ys[x] = min(max(ys[x], -1), limitY + 1)
                lowest = min(lowest, ys[x])
                highest = max(highest, ys[x])
            }
        }
        let first = floorInt(lowest) - 3
        let source = SourceBand(item.frame, rows: first...floorInt(highest) + 4, scale: 1 / item.radianceScale)
        let pointers = source.channels.map { UnsafePointer($0) }
        for y in rows {
            let k = y - rows.lowerBound
            let (xs, ys) = (memory + 2 * w * k, memory + 2 * w * k + w)
            for x in 0..<w { ys[x] -= Float(first) }
            resampleRow(
                pointers, stride: source.stride, xs: xs, ys: ys, count: w, kernel: kernel,
                outputs: outputs.map { $0 + k * stride })
        }
    }
}

/// Buffers of one band.
private final class FrequencyWork {
    let rows: Int
    let stride: Int
    /// Column 0 of the picture.
    let left = FrequencyMerge.step
    /// Row of the picture that the buffers start with.
    var top = 0
    let merged, frame, variance: [UnsafeMutablePointer<Float>]
    let trust, share, gain, weight, extra, line, misfit, expected, temp: UnsafeMutablePointer<Float>
    let means: [UnsafeMutablePointer<Float>]
    let rg = TileFourier()
    let b = TileFourier()
    private let width: Int
    private let memory: UnsafeMutablePointer<Float>

    init(width: Int, rows: Int) {
        self.width = width
        self.rows = rows
        stride = width + FrequencyMerge.step + FrequencyMerge.tile
        let plane = rows * stride
        let tile = TileFourier.count
        memory = .allocate(capacity: 14 * plane + stride + 6 * tile)
        memory.initialize(repeating: 0, count: 14 * plane + stride + 6 * tile)
        let m = memory
        merged = (0..<3).map { m + $0 * plane }
        frame = (3..<6).map { m + $0 * plane }
        variance = (6..<9).map { m + $0 * plane }
        trust = m + 9 * plane
        share = m + 10 * plane
        gain = m + 11 * plane
        weight = m + 12 * plane
        extra = m + 13 * plane
        line = m + 14 * plane
        misfit = line + stride
        expected = misfit + tile
        temp = expected + tile
        means = (1...3).map { [temp] in temp + $0 * tile }
    }

    deinit { memory.deallocate() }

    /// Repeats a row's edges.
    func pad(_ row: UnsafeMutablePointer<Float>, _ w: Int) {
        for x in 1...left { row[-x] = row[0] }
        for x in w..<stride - left { row[x] = row[w - 1] }
    }
}
