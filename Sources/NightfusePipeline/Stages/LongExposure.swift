package import NightfuseCore
internal import NightfuseKernels

extension Merge {
    /// Adds a longer exposure frequency by frequency; gives the mean trust over the picture, 0 to 1.
    ///
    /// Costs some eight Fourier transforms of 32 x 32 for every 256 pixels, and four planes while it runs.
    package func addByFrequency(_ item: Contribution, spectrum: [[Float]], tuning: Tuning, workers: Workers)
        throws(NightfuseError) -> Double
    {
        var item = item
        let found = try measureBlur(item, workers: workers)
        let half = item.field.half
        item.field.homography = item.field.homography.after(
            .translation(found.shiftX / half, found.shiftY / half))
        if coarseWeight == nil { coarseWeight = try Plane(width: width, height: height) }
        guard let coarse = coarseWeight else { return 0 }
        var planes: [Plane<Float>] = []
        for _ in 0..<4 { planes.append(try Plane(width: width, height: height)) }
        let delta = planes
        let trust = try FrequencyMerge(
            item, own: curves.map(\.noise), blur: found.blur,
            spectrum: (0..<64).map { k in spectrum.reduce(0) { $0 + $1[k] } / 3 }, tuning: tuning
        ).run(self, coarse: coarse, delta: delta, workers: workers)
        let gains = Totals((height + Self.bandRows - 1) / Self.bandRows)
        try workers.bands(height, grain: Self.bandRows, scratch: { Floats(self.width) }) {
            (work, band, rows) throws(NightfuseError) in
            var sum: Float = 0
            let weight = work.base
            for y in rows {
                let (more, extra) = (delta[3].row(y), coarse.mutableRow(y))
                self.pixelWeights(y, into: weight)
                for c in 0..<3 {
                    accumulateRow(
                        delta[c].row(y), weight: Row(weight), count: self.width, into: self.sums[c].mutableRow(y))
                }
                for x in 0..<self.width {
                    extra[x] += more[x]
                    sum += more[x]
                }
            }
            gains.set(band, Double(sum))
        }
        coarseBlurs.append((found.blur, gains.sum() / Double(width * height)))
        return trust
    }

    /// How a frame is blurred and shifted against the merge, from blocks with much texture.
    private func measureBlur(
        _ item: Contribution, workers: Workers
    ) throws(NightfuseError) -> (shiftX: Double, shiftY: Double, blur: ShakeBlur) {
        let n = TileFourier.size
        // At most some 400 blocks looked at.
        let spacing = max(16, Int((Double(width * height) / 400).squareRoot()))
        var places: [(x: Int, y: Int, contrast: Float)] = []
        var block = [Float](repeating: 0, count: n * n)
        func loadLuma(_ x0: Int, _ y0: Int) -> (mean: Float, left: Float) {
            var (sum, left) = (Float(0), Float(0))
            for y in 0..<n {
                let (r, g, b) = (sums[0].row(y0 + y) + x0, sums[1].row(y0 + y) + x0, sums[2].row(y0 + y) + x0)
                let (w, w2) = (weight.row((y0 + y) / 2), weight2.row((y0 + y) / 2))
                for x in 0..<n {
                    let own = w[(x0 + x) / 2]
                    block[y * n + x] = (r[x] + 2 * g[x] + b[x]) * 0.25 / max(own, 1e-6)
                    sum += block[y * n + x]
                    left += w2[(x0 + x) / 2] / (own * own)
                }
            }
            return (sum / Float(n * n), left / Float(n * n))
        }
        let table = ExposureTable(
            own: Fusion.lumaNoise(curves.map(\.noise)), other: Fusion.lumaNoise(item.noise),
            clips: item.frame.clippedAtBlack)
        for y in stride(from: 0, through: height - n, by: spacing) {
            for x in stride(from: 0, through: width - n, by: spacing) {
                let (mean, left) = loadLuma(x, y)
                var energy: Float = 0
                for v in block { energy += (v - mean) * (v - mean) }
                places.append((x, y, energy / (table.entry(mean).own * left * Float(n * n))))
            }
        }
        places.sort { $0.contrast > $1.contrast }
        var spectra = BlurSpectra()
        let tile = TileFourier()
        let rows = WarpedRows(item, kernel: kernel.kernel, width: width, height: height)
        let clip = item.frame.whiteClip / item.radianceScale
        let room = Floats(4 * n * n)
        let buffer = room.base
        for place in places where place.contrast > 1.2 && spectra.blocks < 128 {
            rows.fill(
                place.y..<place.y + n, from: place.x, count: n, to: (0..<3).map { buffer + $0 * n * n }, stride: n,
                valid: buffer + 3 * n * n)
            var usable = true
            for i in 0..<n * n
            where buffer[3 * n * n + i] == 0 || max(buffer[i], buffer[n * n + i], buffer[2 * n * n + i]) > 0.9 * clip {
                usable = false
            }
            guard usable else { continue }
            let (mean, left) = loadLuma(place.x, place.y)
            let entry = table.entry(mean)
            var other: Float = 0
            for i in 0..<n * n {
                buffer[i] = (buffer[i] + 2 * buffer[n * n + i] + buffer[2 * n * n + i]) * 0.25
                other += buffer[i]
            }
            other /= Float(n * n)
            var squares: Float = 0
            for y in 0..<n {
                for x in 0..<n {
                    let w = hannWindow[y] * hannWindow[x]
                    squares += w * w
                    tile.re[y * n + x] = w * (block[y * n + x] - mean)
                    tile.im[y * n + x] = w * (buffer[y * n + x] - other)
                }
            }
            spectra.add(tile, mergeNoise: Double(entry.own * left * squares), frameNoise: Double(entry.other * squares))
        }
        guard spectra.blocks >= 4 else { return (0, 0, ShakeBlur()) }
        return spectra.fit()
    }
}
