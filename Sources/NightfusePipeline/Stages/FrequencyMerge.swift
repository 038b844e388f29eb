internal import NightfuseCore
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
    let response: [Float]
    /// Relative noise power there, white = 1; and that of means over 5 x 5 samples.
    private let spectrum: [Float]
    private let coarsePower: Float
    let tables: [ExposureTable]
    let item: Merge.Contribution
    let tuning: Merge.Tuning

    // `step` is half a tile, so that windows sum to one.
    static let tile = TileFourier.size
    static let step = TileFourier.size / 2
    private static let bandRows = 64
    /// How fast trust falls with a pixel's misfit beyond what is noise; with that of means over 5 x 5 pixels beyond
    /// 1 + `coarseTolerance` (some ten independent ones a window scatter by 0.4); and with that of a ring of frequencies
    /// beyond 1 + `ringTolerance` (the least ring has 60 squares, which scatter by 0.2).
    private static let steepness: Float = 2
    private static let coarseTolerance: Float = 1
    private static let coarseSteepness: Float = 1
    private static let ringTolerance: Float = 0.15
    private static let ringSteepness: Float = 2
    /// Energy over noise that a frequency may have; what is above is cut off. With three channels, noise alone passes 1.5
    /// one time in six, which costs little, and a ghost's border is held down to it.
    private static let excess: Float = 1.5

    init(
        _ item: Merge.Contribution, own: [NoiseModel], blur: ShakeBlur, spectrum: [Float], tuning: Merge.Tuning
    ) {
        self.item = item
        self.blur = blur
        self.tuning = tuning
        self.spectrum = TileFourier.frequencies.map { Self.power(spectrum, $0.x, $0.y) }
        // A mean over five samples passes DCT frequencies 0 and 1 of 8.
        coarsePower = max((spectrum[0] + spectrum[1] + spectrum[8] + spectrum[9]) / 4, 1)
        response = TileFourier.frequencies.map { Float(blur.response($0.x, $0.y)) }
        tables = zip(own, item.noise).map { ExposureTable(own: $0, other: $1, clips: item.frame.clippedAtBlack) }
    }

    /// Adds to `delta` (three planes of the merge's size) what the frame changes, and to the merge's coarse weight what it
    /// adds there; gives the mean share of it that was merged where its blur leaves something to merge, 0 to 1.
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
            totals.set(band, Double(work.taken))
        }
        return totals.sum() / Double(merge.width * merge.height)
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
                let sum =
                    t == 0
                    ? 0
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
        // Half of the tolerance of the plain merge more: the window's edges hold fewer samples.
        let tolerance = tuning.tolerance + 0.25
        for c in 0..<3 { box5(coarse[c], work.temp) }
        for i in 0..<n * n {
            coarse[0][i] =
                (coarse[0][i] * coarse[0][i] + coarse[1][i] * coarse[1][i] + coarse[2][i] * coarse[2][i]) * (1.0 / 3)
            coarse[1][i] = work.expected[i]
        }
        box5(coarse[0], work.temp)
        box5(coarse[1], work.temp)
        for i in 0..<n * n {
            let over = max(work.misfit[i] / max(work.expected[i], 1e-6) - 1 - tolerance, 0) * Self.steepness
            let more =
                max(coarse[0][i] / max(coarse[1][i] * coarsePower, 1e-5) - 1 - Self.coarseTolerance, 0)
                * Self.coarseSteepness
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
            energies[ring[i]] += energy
            expectations[ring[i]] += 3 * spectrum[i] * (shares + (1 - shares) * h * h)
        }
        let misfit = energies / expectations
        var trust = SIMD4<Float>(repeating: 1)
        for k in 0..<4 {
            let over = max(misfit[k] - 1 - Self.ringTolerance, 0) * Self.ringSteepness
            trust[k] = 1 / (1 + over * over)
        }
        for i in 0..<n * n {
            let j = TileFourier.opposite[i]
            if j < i { continue }
            let h = response[i]
            // Of the expected variance, the frame's part stays and the merge's passes the blur.
            let expected = 3 * spectrum[i] * (shares + (1 - shares) * h * h)
            let shrink = min(Self.excess * expected / max(energyOf[i], 1e-20), 1) * trust[ring[i]]
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
            let (d0, d1, d2) = (delta[0].mutableRow(y0 + y), delta[1].mutableRow(y0 + y), delta[2].mutableRow(y0 + y))
            let added = delta[3].mutableRow(y0 + y)
            for x in max(-x0, 0)..<min(merge.width - x0, n) {
                let i = y * n + x
                d0[x0 + x] += rg.re[i]
                d1[x0 + x] += rg.im[i]
                d2[x0 + x] += b.re[i]
                let p = at + y * s + x
                // The windows of the tiles that overlap here add to one.
                let taken = window[y] * window[x] * work.trust[p] * work.expected[i] * share
                work.taken += taken
                added[x0 + x] += taken * work.gain[p]
            }
        }
    }
}

/// Rings of frequencies that are judged together: up to 2, 5 and 10 waves a tile, and beyond.
private let ring: [Int] = TileFourier.frequencies.map { f in
    let r = (f.x * f.x + f.y * f.y).squareRoot() * 32
    return r < 2.5 ? 0 : r < 5.5 ? 1 : r < 10.5 ? 2 : 3
}
