import NightfuseCore
import NightfuseKernels
import NightfusePipeline
import NightfuseTestSupport
import Testing

/// Demosaics a row of a field given as a function, with `site` for its row 0.
private func row(_ y: Int, count: Int, cell: [UInt8], _ field: (Int, Int) -> Float) -> [[Float]] {
    let margin = 16
    let lines = (-2...2).map { dy in (-margin..<count + margin).map { field($0, y + dy) } }
    var out = [[Float]](repeating: [Float](repeating: .nan, count: (count + 7) & ~7), count: 3)
    let pair = [Int(cell[(y & 1) * 2]), Int(cell[(y & 1) * 2 + 1])]
    let site = BayerRow(colour: pair[0] != 1 ? pair[0] : pair[1], parity: pair[0] != 1 ? 0 : 1)
    let length = lines[0].count
    lines.flatMap(\.self).withRow { field in
        let rows = (0..<5).map { field + $0 * length + margin }
        var (red, green, blue) = (out[0], out[1], out[2])
        red.withMutableRow { red in
            green.withMutableRow { green in
                blue.withMutableRow { demosaicRow(rows, count: count, site: site, red: red, green: green, blue: $0) }
            }
        }
        out = [red, green, blue]
    }
    return out.map { Array($0.prefix(count)) }
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
                #expect(noisy[Int(cell[(y & 1) * 2 + (x & 1)])][x] == field(x, y))
            }
        }
    }

    @Test func codesRoundToTheNearestAndStayInRange() {
        let values: [Float] = [-1, 0, 0.26, 0.74, 1, 2, 1e9]
        var codes = [UInt16](repeating: 9, count: values.count)
        values.withRow { input in
            codes.withMutableRow { quantiseRow(input, count: values.count, scale: 2, offset: 1, into: $0) }
        }
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
