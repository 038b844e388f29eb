package import NightfuseCore
internal import NightfuseKernels

/// Spatial denoising of the merged picture, driven by the noise that the merge left at every pixel.
///
/// Works on stabilised, decorrelated colour. Coarse scales first: what is left of blotches at half and quarter size
/// is taken from a denoised smaller picture (after Facciolo et al., "Conservative scale recomposition for multiscale
/// denoising", 2017).
package struct Denoise: Sendable {
    package var strength: Float = 1
    package var spectrum: [[Float]]
    /// Half-size scales below the finest.
    package var scales = 2
    package var group = 1
    package var radius = 7
    package var step = 4

    /// Colour noise offends more than it informs: its variance counts this much more than measured.
    package var chroma: Float = 1.6
    /// Added to the first pass's cut, standard deviations.
    package var cutShift: Float = 0

    package init(spectrum: [[Float]]) { self.spectrum = spectrum }

    /// Groups of like patches, closer together: half a decibel where noise is strong, at some eight times the cost.
    package mutating func collaborate() {
        group = 16
        radius = 10
        step = 3
    }

    /// One frame has no merge behind it that kept faint texture, and all of its noise. Measured on seven photographs
    /// darkened by three stops, at four noise levels: 0.1 to 1.2 dB more, and a tenth to a quarter less colour error.
    package mutating func suitOneFrame() {
        chroma = 2.3
        cutShift = 0.25
    }

    /// A demosaic's colour noise is coarser than blocks of 8 x 8 tell. Measured on nine photographs at two noise levels: 0.01 to
    /// 0.05 dB more, and up to two hundredths less colour error.
    package mutating func suitDemosaic(_ strength: Float) { chroma = max(chroma, 1.6 + 0.9 * strength) }

    /// Denoises three planes (luma, two colour differences) in place.
    ///
    /// - Parameter variance: noise variance at every pixel, or at every block of 2 x 2, one frame = 1.
    package func apply(
        _ planes: [Plane<Float>], variance: Plane<Float>, workers: Workers
    ) throws(NightfuseError) {
        guard strength > 0, planes[0].width >= 8, planes[0].height >= 8 else { return }
        let cut = Self.cut(signal: meanSignal(planes[0])) + cutShift
        try apply(planes, variance: variance, scale: 0, cut: cut, workers: workers)
    }

    /// Mean stabilised luma: the picture's signal in units of one frame's noise.
    private func meanSignal(_ luma: Plane<Float>) -> Float {
        var sum = 0.0
        for y in 0..<luma.height {
            let row = luma.row(y)
            // Eight sums side by side: one would wait for itself.
            var lines = SIMD8<Float>()
            for x in stride(from: 0, to: luma.width & ~7, by: 8) {
                lines += load(row + x)
            }
            var line = lines.sum()
            for x in luma.width & ~7..<luma.width { line += row[x] }
            sum += Double(line) / Double(luma.width)
            if y % 64 == 63 { ScratchPlanes.letGo() }
        }
        return Float(sum / Double(luma.height))
    }

    /// The first pass's cut in standard deviations. Well-lit pictures hold more faint texture than their noise holds
    /// outliers, so the cut that loses least of both falls from 2.75 in the dark to 2.1 in good light (measured on
    /// photographs with known truth at four noise levels).
    private static func cut(signal: Float) -> Float {
        // Stabilised luma of 3.5 is a signal of about its own noise; 24 is a well-lit night street.
        let t = min(max((signal - 3) / (15 - 3), 0), 1).squareRoot()
        return 2.75 - 0.65 * t
    }

    private func apply(
        _ planes: [Plane<Float>], variance: Plane<Float>, scale: Int, cut: Float, workers: Workers
    ) throws(NightfuseError) {
        let (w, h) = (planes[0].width, planes[0].height)
        var coarse: [Plane<Float>] = []
        if scale < scales && w >= 48 && h >= 48 {
            for plane in planes {
                let half = try Plane<Float>(width: (w + 1) / 2, height: (h + 1) / 2, isZero: false)
                try downsampleBinomial(plane, into: half, workers: workers)
                coarse.append(half)
            }
            let coarseVariance: Plane<Float>
            if variance.width == w {
                coarseVariance = try Plane(width: (w + 1) / 2, height: (h + 1) / 2, isZero: false)
                try downsampleBinomial(variance, into: coarseVariance, workers: workers)
            } else {
                coarseVariance = try variance.copy()
            }
            // White noise leaves the filter with (20/64)^2 of its variance.
            let factor: Float = 25.0 / 256
            try scaleRows(coarseVariance, by: factor, workers: workers)
            var next = self
            next.spectrum = spectrum.map(Self.halved)
            try next.apply(coarse, variance: coarseVariance, scale: scale + 1, cut: cut, workers: workers)
        }
        try twoPasses(planes, variance: variance, scale: scale, cut: cut, workers: workers)
        if !coarse.isEmpty {
            // What the finer scale kept of low frequencies against what the coarser one made of them.
            let now = try Plane<Float>(width: coarse[0].width, height: coarse[0].height, isZero: false)
            for c in 0..<3 {
                try downsampleBinomial(planes[c], into: now, workers: workers)
                try addUpsampledDifference(coarse[c], now, to: planes[c], workers: workers)
            }
        }
    }

    /// The noise spectrum of the picture at half size: coefficient k stands at half the frequency there.
    ///
    /// White noise stays white; coarse noise, which is weak in the pixels' variance, is as strong as it was measured.
    /// (With the filter's own shape in the table, low frequencies of white noise count three times as much an axis:
    /// tried, and 0.5 dB worse, since it cuts faint large shapes.)
    private static func halved(_ table: [Float]) -> [Float] {
        (0..<64).map { i in
            let (y, x) = (Float(i / 8) / 2, Float(i % 8) / 2)
            let (y0, x0) = (Int(y), Int(x))
            let (fy, fx) = (y - Float(y0), x - Float(x0))
            let top = table[y0 * 8 + x0] * (1 - fx) + table[y0 * 8 + x0 + 1] * fx
            let bottom = table[y0 * 8 + 8 + x0] * (1 - fx) + table[y0 * 8 + 8 + x0 + 1] * fx
            return top * (1 - fy) + bottom * fy
        }
    }

    private func scaleRows(_ plane: Plane<Float>, by factor: Float, workers: Workers) throws(NightfuseError) {
        try workers.bands(plane.height, grain: 64) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let row = plane.mutableRow(y)
                for x in 0..<plane.width { row[x] *= factor }
            }
        }
    }

    /// target += upsampled (a - b), smoothly.
    private func addUpsampledDifference(
        _ a: Plane<Float>, _ b: Plane<Float>, to target: Plane<Float>, workers: Workers
    ) throws(NightfuseError) {
        let difference = try Plane<Float>(width: a.width, height: a.height, isZero: false)
        try workers.bands(a.height, grain: 64) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let (p, q, out) = (a.row(y), b.row(y), difference.mutableRow(y))
                for x in 0..<a.width { out[x] = p[x] - q[x] }
            }
        }
        let smooth = try Plane<Float>(width: a.width, height: a.height, isZero: false)
        try smoothBinomial(difference, into: smooth, workers: workers)
        let (w, last) = (target.width, smooth.height - 1)
        try workers.bands(target.height, grain: 16, scratch: { Floats(w / 2 + 4) }) {
            (work, _, rows) throws(NightfuseError) in
            for y in rows {
                let near = min(y / 2, last)
                let far = min(max(near + (y % 2 == 0 ? -1 : 1), 0), last)
                addUpsampledRow(
                    near: smooth.row(near), far: smooth.row(far), count: w, line: work.base, to: target.mutableRow(y))
            }
        }
    }

    private func twoPasses(
        _ planes: [Plane<Float>], variance: Plane<Float>, scale: Int, cut: Float, workers: Workers
    ) throws(NightfuseError) {
        var spectrum = spectrum
        for c in 1..<3 { for k in 0..<64 { spectrum[c][k] *= chroma } }
        var filter = CollaborativeFilter(spectrum: spectrum.map { $0.map { $0 * strength * strength } })
        filter.group = group
        filter.radius = radius
        filter.step = step
        filter.cut = cut
        try DenoiseBands(planes, variance: variance, filter: filter).run(workers)
    }
}
