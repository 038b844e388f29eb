import NightfuseCore
import NightfuseKernels
import NightfusePipeline
import NightfuseTestSupport
import Testing

/// Demosaics a row of a field given as a function.
private func row(
    _ y: Int, count: Int, cell: [UInt8], evenness: Float = 1e30, _ field: (Int, Int) -> Float
) -> [[Float]] {
    let (margin, stride) = (24, count + 64)
    let lines = (-3...3).flatMap { dy in (-margin..<stride - margin).map { field($0, y + dy) } }
    var room = [Float](repeating: 0, count: 3 * stride)
    var out = [[Float]](repeating: [Float](repeating: .nan, count: (count + 7) & ~7), count: 3)
    func site(_ y: Int) -> BayerRow {
        let pair = [Int(cell[(y & 1) * 2]), Int(cell[(y & 1) * 2 + 1])]
        return BayerRow(colour: pair[0] != 1 ? pair[0] : pair[1], parity: pair[0] != 1 ? 0 : 1)
    }
    lines.withUnsafeBufferPointer { lines in
        room.withUnsafeMutableBufferPointer { found in
            guard let lines = lines.baseAddress, let found = found.baseAddress else { return }
            for dy in -1...1 {
                mosaicDifferenceRow(
                    (1...5).map { lines + (dy + $0) * stride + margin }, count: count, site: site(y + dy),
                    evenness: evenness, into: found + (dy + 1) * stride + margin)
            }
            let here = found + stride + margin
            let samples = lines + 3 * stride + margin
            let differences: DifferenceRows = (
                above: UnsafePointer(here - stride), here: UnsafePointer(here), below: UnsafePointer(here + stride)
            )
            var (red, green, blue) = (out[0], out[1], out[2])
            demosaicRow(
                samples, differences: differences, count: count, site: site(y), red: &red, green: &green, blue: &blue)
            out = [red, green, blue]
            var codes = [[UInt16]](repeating: [UInt16](repeating: 0, count: (count + 7) & ~7), count: 3)
            var (r, g, b) = (codes[0], codes[1], codes[2])
            demosaicRow(
                samples, differences: differences, count: count, site: site(y), scale: 100, offset: 500, red: &r,
                green: &g, blue: &b)
            codes = [r, g, b]
            for c in 0..<3 {
                for x in 0..<count {
                    #expect(abs(Float(codes[c][x]) - min(max(out[c][x] * 100 + 500, 0), 65535)) <= 0.501)
                }
            }
        }
    }
    return out.map { Array($0.prefix(count)) }
}

/// The same pixel by pixel, as the kernels' comments say it.
private func plain(
    _ x: Int, _ y: Int, cell: [UInt8], evenness: Double, _ field: (Int, Int) -> Float
) -> [Double] {
    func f(_ x: Int, _ y: Int) -> Double { Double(field(x, y)) }
    func colour(_ x: Int, _ y: Int) -> Int { Int(cell[(y & 1) * 2 + (x & 1)]) }
    func green(_ x: Int, _ y: Int) -> Double {
        if colour(x, y) == 1 { return f(x, y) }
        let (a, b) = (2 * f(x, y) - f(x - 2, y) - f(x + 2, y), 2 * f(x, y) - f(x, y - 2) - f(x, y + 2))
        let (across, down) = ((f(x - 1, y) + f(x + 1, y)) / 2 + a / 4, (f(x, y - 1) + f(x, y + 1)) / 2 + b / 4)
        let (p, q) = (abs(f(x - 1, y) - f(x + 1, y)) + abs(a), abs(f(x, y - 1) - f(x, y + 1)) + abs(b))
        let (wx, wy) = (evenness + q * q, evenness + p * p)
        return (wx * across + wy * down) / (wx + wy)
    }
    return (0..<3).map { c in
        var (sum, count) = (0.0, 0.0)
        for reach in 0...2 where count == 0 {
            for dy in -1...1 {
                for dx in -1...1 where abs(dx) + abs(dy) == reach && colour(x + dx, y + dy) == c {
                    sum += f(x + dx, y + dy) - green(x + dx, y + dy)
                    count += 1
                }
            }
        }
        return c == 1 ? green(x, y) : green(x, y) + sum / count
    }
}

private let cells: [[UInt8]] = [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]]

@Suite("Raw demosaic")
struct RawDemosaicTests {
    @Test(arguments: cells)
    func aGreyRampComesBackExactly(cell: [UInt8]) {
        for y in 4..<8 {
            let out = row(y, count: 21, cell: cell) { x, y in Float(x) * 0.25 + Float(y) * 0.5 }
            for x in 0..<21 {
                let expected = Float(x) * 0.25 + Float(y) * 0.5
                for c in 0..<3 { #expect(abs(out[c][x] - expected) < 1e-4) }
            }
        }
    }

    @Test(arguments: cells)
    func flatColoursComeBackAndSampledValuesArePassedOn(cell: [UInt8]) {
        var random = SeededRandom(seed: 4)
        let noise = (0..<4000).map { _ in Float(random.normal()) }
        for y in 4..<8 {
            let flat = row(y, count: 16, cell: cell) { x, y in
                [0.9, 0.5, 0.1][Int(cell[(y & 1) * 2 + (x & 1)])]
            }
            for c in 0..<3 { for x in 0..<16 { #expect(abs(flat[c][x] - [0.9, 0.5, 0.1][c]) < 0.11) } }
            let field = { (x: Int, y: Int) in noise[(y + 8) * 100 + x + 40] }
            let noisy = row(y, count: 16, cell: cell, field)
            for x in 0..<16 {
                #expect(abs(noisy[Int(cell[(y & 1) * 2 + (x & 1)])][x] - field(x, y)) < 1e-6)
            }
        }
    }

    @Test(arguments: cells, [0.5, 64, 1e9])
    func rowsAreWhatThePlainFormulaSays(cell: [UInt8], evenness: Double) {
        var random = SeededRandom(seed: 8)
        let noise = (0..<8000).map { _ in Float(4 * random.normal()) }
        let field = { (x: Int, y: Int) in noise[(y + 8) * 130 + x + 40] }
        for (y, count) in [(4, 33), (5, 8), (6, 1), (7, 23)] {
            let out = row(y, count: count, cell: cell, evenness: Float(evenness), field)
            for x in 0..<count {
                let expected = plain(x, y, cell: cell, evenness: evenness, field)
                for c in 0..<3 { #expect(abs(Double(out[c][x]) - expected[c]) < 1e-4) }
            }
        }
    }

    @Test(arguments: cells)
    func edgesAreFollowed(cell: [UInt8]) {
        // A step of grey along a column, far above noise: green is made along it.
        for y in 4..<6 {
            let out = row(y, count: 24, cell: cell, evenness: 64) { x, _ in x < 12 ? 0 : 400 }
            for x in 0..<24 { for c in 0..<3 { #expect(abs(out[c][x] - (x < 12 ? 0 : 400)) < 1) } }
        }
    }

    @Test func codesRoundToTheNearestAndStayInRange() {
        let values: [Float] = [-1, 0, 0.26, 0.74, 1, 2, 1e9]
        var codes = [UInt16](repeating: 9, count: values.count)
        quantiseRow(values, count: values.count, scale: 2, offset: 1, into: &codes)
        #expect(codes == [0, 1, 2, 2, 3, 5, 65535])
    }

    @Test func sharesAndSpectrumAreThoseOfSimulatedNoise() {
        let profile = NoiseModel(shot: 0, read: 0.1)
        let noise = RawNoise(profile: [profile], gains: [2, 1, 1.5], isMosaic: true)
        var random = SeededRandom(seed: 77)
        let cell: [UInt8] = [0, 1, 1, 2]
        let gain: [Double] = [2, 1, 1.5]
        let size = 96
        var field = [Float](repeating: 0, count: (size + 40) * (size + 40))
        for y in 0..<size + 40 {
            for x in 0..<size + 40 {
                field[y * (size + 40) + x] = Float(
                    0.1 * gain[Int(cell[(y & 1) * 2 + (x & 1)])] * random.normal())
            }
        }
        var square = [0.0, 0.0, 0.0]
        for y in 0..<size {
            let out = row(y, count: size, cell: cell) { x, y in field[(y + 20) * (size + 40) + x + 20] }
            for c in 0..<3 { for v in out[c] { square[c] += Double(v * v) } }
        }
        for c in 0..<3 {
            let measured = square[c] / Double(size * size)
            let told = noise.channels[c].read * noise.channels[c].read
            #expect(abs(measured / told - 1) < 0.06)
        }
        let undone = RawNoise.samples(of: noise.channels, isMosaic: true)
        for c in 0..<3 { #expect(abs(undone[c].read - 0.1 * gain[c]) < 1e-6) }
        // The coefficients of a block hold all of the noise: each channel's variance is 1 in stabilised colour, and the three
        // opponent colours together hold three times that.
        let estimation = noise.estimation(light: 0.1)
        let total = estimation.spectrum.reduce(0) { $0 + $1.reduce(0, +) }
        #expect(abs(total / (3 * 64) - 1) < 0.01)
        // Colour differences are made of every second or fourth sample: nothing fine is in their noise.
        #expect(estimation.spectrum[1][63] < 0.2 * estimation.spectrum[1][0])
    }
}
