internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Keeps a running picture of the scene's radiance: means over cells of 4 x 4 work samples, in units of what gives full
/// scale at ISO 100 in one second, and how often a colour was at full scale.
///
/// A quarter of the samples is looked at in each frame, others every time: over a second all have been. Noise cut off at black
/// lifts the means of dark cells; ``settled()`` undoes that.
final class RadianceMeter {
    /// Work samples a side of a cell.
    static let side = 4
    /// Seconds over which it forgets.
    private static let memory = 0.5
    /// A colour at this code or above counts as full scale: JPEG rings by a few codes.
    private static let clipCode: UInt8 = 250

    let columns: Int
    let rows: Int
    private let mean: Tiles<Float>
    /// Mean square of single samples of luma; with `mean`, their variance.
    private let square: Tiles<Float>
    private let clipped: Tiles<Float>
    /// Exposure time x ISO / 100 of the last frame.
    private(set) var product: Float = 1
    /// Sum of the weights of samples seen, a cell.
    private(set) var weight: Float = 0
    private(set) var clippedFraction: Float = 0
    /// Mean of all cells, noise's lift and all.
    private(set) var meanLight: Float = 0
    private let linear: Tiles<Float>
    private let peakBin: Tiles<Int32>
    private let peaks: Tiles<Float>
    private var turn = 0

    init(workWidth: Int, workHeight: Int) {
        columns = workWidth / Self.side
        rows = workHeight / Self.side
        mean = Tiles(columns * rows, 0)
        square = Tiles(columns * rows, 0)
        clipped = Tiles(columns * rows, 0)
        linear = Tiles(256, 0)
        peakBin = Tiles(256, 0)
        peaks = Tiles(RadianceHistogram.count, 0)
        for code in 0..<256 {
            let v = Float(code) / 255
            linear[code] = v <= 0.04045 ? v / 12.92 : powf((v + 0.055) / 1.055, 2.4)
        }
    }

    func reset() {
        weight = 0
        product = 1
    }

    /// Takes in a frame, `elapsed` seconds after the last one. About 0.1 ms.
    func add(_ buffer: PreviewBuffer, intake: PreviewIntake, product newProduct: Float, elapsed: Double) {
        let keep: Float = weight == 0 ? 0 : Float(exp(-min(elapsed, 100) / Self.memory))
        if newProduct != product || weight == 0 { useProduct(newProduct) }
        weight = weight * keep + 4
        let share = 4 / weight
        for i in 0..<peaks.count { peaks[i] *= keep }
        let step = buffer.layout.bytesPerPixel
        let colours = buffer.layout == .luma ? 1 : 3
        // Another pixel of the block and another sample of the cell at every frame.
        let within = (turn / 4 % intake.factor * buffer.stride) + turn / 4 / intake.factor % intake.factor * step
        let sampleX = turn % 2
        let sampleY = turn / 2 % 2
        turn += 1
        let scale = 1 / (4 * product)
        for row in 0..<rows {
            for column in 0..<columns {
                var sum: Float = 0
                var squares: Float = 0
                var full: Float = 0
                for dy in 0..<2 {
                    for dx in 0..<2 {
                        let p =
                            intake.source(
                                buffer, x: column * Self.side + dx * 2 + sampleX, y: row * Self.side + dy * 2 + sampleY)
                            + within
                        var light: Float
                        var peak: UInt8
                        if colours == 1 {
                            light = linear[Int(p[0])]
                            peak = p[0]
                        } else {
                            light = (linear[Int(p[0])] + 2 * linear[Int(p[1])] + linear[Int(p[2])]) * 0.25
                            peak = max(p[0], max(p[1], p[2]))
                        }
                        sum += light
                        squares += light * light
                        if peak >= Self.clipCode { full += 1 }
                        peaks[Int(peakBin[Int(peak)])] += 1
                    }
                }
                update(
                    row * columns + column, light: sum * scale, square: squares * scale * scale * 4, full: full * 0.25,
                    share)
            }
        }
        var full: Float = 0
        var light: Float = 0
        for i in 0..<clipped.count {
            full += clipped[i]
            light += mean[i]
        }
        clippedFraction = full / Float(clipped.count)
        meanLight = light / Float(mean.count)
    }

    private func update(_ i: Int, light: Float, square squares: Float, full: Float, _ share: Float) {
        clipped[i] += (full - clipped[i]) * share
        // What clips says only "at least": it does not overrule what a shorter exposure has seen.
        if full > 0, mean[i] > light, share < 1 { return }
        mean[i] += (light - mean[i]) * share
        square[i] += (squares - square[i]) * share
    }

    private func useProduct(_ value: Float) {
        product = value
        for code in 0..<256 { peakBin[code] = Int32(RadianceHistogram.bin(Double(linear[code] / value))) }
    }

    /// Radiance of the cells with the noise's lift taken out, darkest first, and what follows from it. Reading time only;
    /// allocates.
    func settled() -> RadianceSummary? {
        guard weight > 0 else { return nil }
        var cells = (0..<mean.count).map { (mean: mean[$0], square: square[$0]) }
        cells.sort { $0.mean < $1.mean }
        let dark = cells.prefix(max(cells.count / 4, 1))
        // Detail adds to the variance: the quieter cells speak for the noise.
        let quiet = dark.map { max($0.square - $0.mean * $0.mean, 0) }.sorted()
        let deviation = (Double(quiet[quiet.count * 2 / 5]) / Self.lumaNoise).squareRoot()
        let noise = BlackClip.noise(mean: Double(dark[dark.count / 2].mean), deviation: deviation)
        let error = (Double(quiet[quiet.count / 2]) / Double(weight)).squareRoot()
        let clip = BlackClip(noise: noise)
        return RadianceSummary(
            cells: cells.map { clip.undone(Double($0.mean)) }, error: error, noise: noise,
            code: Self.firstCode / Double(product))
    }

    /// Linear light of the first code above black.
    private static let firstCode = 1 / (255 * 12.92)

    /// Variance of (R + 2 G + B) / 4 over that of one colour, between that of three colours of their own noise (0.375) and
    /// that of a JPEG's luma (0.447).
    private static let lumaNoise = 0.41

    /// How many stops above full scale (of the last frame) the brightest known lies; 0 where nothing clips, nil where what
    /// clips was never seen with less exposure.
    var headroomEV: Double? {
        guard clippedFraction > Self.clipsNothing else { return 0 }
        var brightest: Float = 0
        for i in 0..<mean.count where clipped[i] > 0.25 { brightest = max(brightest, mean[i]) }
        let above = Double(brightest * product)
        return above > 1.1 ? log2(above) : nil
    }

    /// A share of the picture that is noise's tail or a single hot pixel.
    private static let clipsNothing: Float = 2e-5

    /// Shares of the picture by the radiance of a sample's brightest colour; what clips counts as full scale.
    var peakHistogram: RadianceHistogram {
        var histogram = RadianceHistogram()
        var total: Float = 0
        for i in 0..<peaks.count { total += peaks[i] }
        guard total > 0 else { return histogram }
        for i in 0..<peaks.count { histogram.shares[i] = Double(peaks[i] / total) }
        return histogram
    }
}

/// What the cells' radiance comes to.
struct RadianceSummary {
    let histogram: RadianceHistogram
    let mean: Double
    /// Of the shadows that matter: a tenth of what is more than black is darker.
    let shadow: Double
    /// The middle of the brighter 70 % of what is more than black: of what is lit, where half of the picture lies in shade.
    let midtone: Double
    let brightest: Double
    /// Standard deviation of one colour of one sample near black.
    let noise: Double

    /// `cells` sorted; `error` their standard deviation; `code` the radiance of the first code above black.
    init(cells: [Double], error: Double, noise: Double, code: Double) {
        self.noise = noise
        mean = cells.reduce(0, +) / Double(cells.count)
        brightest = cells.last ?? 0
        let least = max(error + 0.03 * noise, 0.3 * code)
        var histogram = RadianceHistogram()
        for cell in cells { histogram.add(max(cell, least), share: 1 / Double(cells.count)) }
        self.histogram = histogram
        // Black that cannot be told from nothing holds nothing; how far noise lifts it is known to a fifth of the noise.
        let floor = max(4 * error + 0.2 * noise, 0.5 * code)
        let first = cells.firstIndex { $0 > floor } ?? cells.count
        // With hardly anything there, all of it counts.
        let held = cells.count - first >= cells.count / 50 ? cells[first...] : cells[0...]
        shadow = max(held[held.startIndex + held.count / 10], least, 1e-9)
        midtone = max(held[held.startIndex + held.count * 13 / 20], shadow)
    }
}

/// Noise cut off at black: what is left has a mean above the signal's. For a signal of t standard deviations the mean is
/// t P(t) + p(t) and the mean square (t^2 + 1) P(t) + t p(t), p and P the normal density and its integral.
struct BlackClip {
    private static func density(_ t: Double) -> Double { exp(-0.5 * t * t) * 0.3989422804014327 }
    private static func integral(_ t: Double) -> Double { 0.5 * erfc(-t * 0.7071067811865476) }

    static func mean(_ t: Double) -> Double { t * integral(t) + density(t) }

    static func deviation(_ t: Double) -> Double {
        let m = mean(t)
        return max((t * t + 1) * integral(t) + t * density(t) - m * m, 1e-12).squareRoot()
    }

    /// The standard deviation of the uncut noise, from the mean and deviation that the cut has left.
    static func noise(mean m: Double, deviation s: Double) -> Double {
        guard s > 0 else { return 0 }
        // mean / deviation rises with t; beyond 4 nothing is cut off.
        var low = -3.0
        var high = 4.0
        guard m / s < 4 else { return s }
        for _ in 0..<40 {
            let t = (low + high) / 2
            if mean(t) / deviation(t) < m / s { low = t } else { high = t }
        }
        return s / deviation((low + high) / 2)
    }

    private let noise: Double
    /// t for means of 0, 1/16, 2/16 ... 3 standard deviations.
    private let table: [Double]
    private static let steps = 16.0

    init(noise: Double) {
        self.noise = noise
        table = (0...48).map { step in
            var low = -3.0
            var high = 3.5
            for _ in 0..<24 {
                let t = (low + high) / 2
                if Self.mean(t) < Double(step) / Self.steps { low = t } else { high = t }
            }
            return (low + high) / 2
        }
    }

    /// The signal behind a mean of samples cut off at black; below zero where they hold less than nothing.
    func undone(_ m: Double) -> Double {
        let position = noise > 0 ? m / noise * Self.steps : .infinity
        guard position < Double(table.count - 1) else { return m }
        let i = Int(position)
        return (table[i] + (table[i + 1] - table[i]) * (position - Double(i))) * noise
    }
}
