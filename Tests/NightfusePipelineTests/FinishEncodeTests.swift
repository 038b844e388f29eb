import NightfuseCore
import NightfuseKernels
import NightfusePipeline
import Testing

@Suite("Encoding")
struct FinishEncodeTests {
    static let curves: [TransferFunction] = [
        .sRGB, .gamma(1), .gamma(1.8), .gamma(563.0 / 256),
        .parametric(g: 2.4, a: 1 / 1.055, b: 0.055 / 1.055, c: 1 / 12.92, d: 0.04045, e: 0, f: 0),
        .table((0...64).map { Float($0 * $0) / 4096 }),
    ]

    @Test("Codes are those of the curve", arguments: curves, [8, 16])
    func accuracy(curve: TransferFunction, bits: Int) throws {
        let light = try FinishScenes.image(4096, 1) { x, _ in
            let v = Double(x) / 4095
            return (v, v * v * v, v / 300)
        }
        let space = ColourSpace(name: "test", toXYZ: ColourSpace.sRGB.toXYZ, transfer: curve)
        let codes = try encode(light, colour: space, bits: bits, dither: false, workers: Workers(threads: 1))
        let scale = bits == 8 ? 255.0 : 65535
        // Rounding alone makes 0.5.
        let limit = bits == 8 ? 0.6 : 1.5
        var worst = 0.0
        for c in 0..<3 {
            for x in 0..<4096 {
                let exact = curve.coded(Double(light.planes[c][x, 0])) * scale
                worst = max(worst, abs(Double(codes[c][x, 0]) - exact))
            }
        }
        #expect(worst < limit)
    }

    @Test("Codes in bytes are those in words", arguments: [false, true])
    func bytes(dither: Bool) throws {
        let light = try FinishScenes.image(37, 70) { x, y in (Double(x) / 36, Double(y) / 69, Double(x * y) / 2484) }
        let words = try encode(light, colour: .sRGB, bits: 8, dither: dither, workers: Workers(threads: 1))
        let bytes = try encodeBytes(light, colour: .sRGB, dither: dither, workers: Workers(threads: 2))
        for c in 0..<3 {
            for y in 0..<70 { for x in 0..<37 { #expect(UInt16(bytes[c][x, y]) == words[c][x, y]) } }
        }
    }

    @Test func eightBitCodesComeBackAsTheyWere() throws {
        let light = try FinishScenes.image(256, 8) { x, _ in
            let v = TransferFunction.sRGB.linear(Double(x) / 255)
            return (v, v, v)
        }
        let codes = try encode(light, colour: .sRGB, bits: 8, dither: false, workers: Workers(threads: 1))
        for x in 0..<256 { for y in 0..<8 { #expect(Int(codes[0][x, y]) == x) } }
    }

    @Test func ditherKeepsTheMeanAndStaysWithinACode() throws {
        for level in [0.0011, 0.0203, 0.31] {
            let light = try FinishScenes.image(128, 128) { _, _ in (level, level, level) }
            let codes = try encode(light, colour: .sRGB, bits: 8, dither: true, workers: Workers(threads: 2))
            let exact = TransferFunction.sRGB.coded(level) * 255
            var (sum, worst) = (0.0, 0.0)
            for y in 0..<128 {
                for x in 0..<128 {
                    worst = max(worst, abs(Double(codes[0][x, y]) - exact))
                    sum += Double(codes[0][x, y])
                }
            }
            #expect(worst <= 1)
            #expect(abs(sum / 16384 - exact) < 0.01)
        }
    }

    @Test func anyEightByEightNeighbourhoodHasTheMean() throws {
        let level = TransferFunction.sRGB.linear(20.5 / 255)
        let light = try FinishScenes.image(96, 96) { _, _ in (level, level, level) }
        let codes = try encode(light, colour: .sRGB, bits: 8, dither: true, workers: Workers(threads: 1))
        for top in stride(from: 0, to: 88, by: 5) {
            for left in stride(from: 0, to: 88, by: 5) {
                var sum = 0
                for y in 0..<8 { for x in 0..<8 { sum += Int(codes[1][left + x, top + y]) } }
                #expect(abs(Double(sum) / 64 - 20.5) < 0.11)
            }
        }
    }

    @Test func greyStaysGreyAndWhiteAndBlackStayWhole() throws {
        let light = try FinishScenes.image(64, 64) { x, y in
            let v = x == 0 ? 0 : (x == 1 ? 1 : Double(x * y) / 4096)
            return (v, v, v)
        }
        let codes = try encode(light, colour: .sRGB, bits: 8, dither: true, workers: Workers(threads: 1))
        for y in 0..<64 {
            #expect(codes[0][0, y] == 0 && codes[0][1, y] == 255)
            for x in 0..<64 { #expect(codes[0][x, y] == codes[1][x, y] && codes[1][x, y] == codes[2][x, y]) }
        }
    }

    @Test func sixteenBitsAreNeverDithered() throws {
        let light = try FinishScenes.image(32, 4) { x, y in (0.123, Double(x) / 31, 2) }
        let workers = Workers(threads: 1)
        let (with, without) = (
            try encode(light, colour: .sRGB, bits: 16, dither: true, workers: workers),
            try encode(light, colour: .sRGB, bits: 16, dither: false, workers: workers)
        )
        for y in 0..<4 {
            for x in 0..<32 {
                #expect(with[0][x, y] == without[0][x, y] && with[1][x, y] == without[1][x, y])
                #expect(with[2][x, y] == 65535)
            }
        }
    }

    @Test func ditherIsDueWhereThereIsMoreToSayThanEightBits() {
        #expect(!ditherIsDue(look: .none, bits: 8, sourceBits: 8, frames: 1))
        #expect(ditherIsDue(look: .none, bits: 8, sourceBits: 8, frames: 2))
        #expect(ditherIsDue(look: .none, bits: 8, sourceBits: 10, frames: 1))
        #expect(ditherIsDue(look: .night, bits: 8, sourceBits: 8, frames: 1))
        #expect(!ditherIsDue(look: .night, bits: 16, sourceBits: 16, frames: 8))
    }
}
