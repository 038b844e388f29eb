import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Fusion in other colour spaces")
struct ColourSpaceFusionTests {
    /// A colour space of D65 white from its primaries' chromaticities, brought to D50 by Bradford's matrix.
    private static func space(_ name: String, _ xy: [(Double, Double)], _ transfer: TransferFunction) throws
        -> ColourSpace
    {
        func xyz(_ x: Double, _ y: Double) -> [Double] { [x / y, 1, (1 - x - y) / y] }
        let columns = xy.map { xyz($0.0, $0.1) }
        let primaries = Matrix3((0..<9).map { columns[$0 % 3][$0 / 3] })
        let white = xyz(0.3127, 0.3290)
        let sums = try #require(primaries.inverse) * white
        let toXYZ = primaries * Matrix3([sums[0], 0, 0, 0, sums[1], 0, 0, 0, sums[2]])
        let bradford = Matrix3([0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296])
        let (from, to) = (bradford * white, bradford * [0.9642, 1, 0.8249])
        let gains = Matrix3([to[0] / from[0], 0, 0, 0, to[1] / from[1], 0, 0, 0, to[2] / from[2]])
        let adaptation = try #require(bradford.inverse) * (gains * bradford)
        return ColourSpace(name: name, toXYZ: adaptation * toXYZ, transfer: transfer)
    }

    /// CIE Lab of mean colours of blocks of 8 x 8, under D50.
    private func labs(_ picture: Picture) -> [(Double, Double, Double)] {
        let colour = picture.colour
        func f(_ t: Double) -> Double { t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116 }
        var result: [(Double, Double, Double)] = []
        for by in 0..<picture.height / 8 {
            for bx in 0..<picture.width / 8 {
                var rgb = [0.0, 0.0, 0.0]
                for c in 0..<3 {
                    for k in 0..<64 {
                        let code = picture.planes[c][bx * 8 + k % 8, by * 8 + k / 8]
                        rgb[c] += colour.transfer.linear(Double(code) / Double(picture.maxCode)) / 64
                    }
                }
                let xyz = colour.toXYZ * rgb
                let (x, y, z) = (f(xyz[0] / 0.9642), f(xyz[1]), f(xyz[2] / 0.8249))
                result.append((116 * y - 16, 500 * (x - y), 200 * (y - z)))
            }
        }
        return result
    }

    @Test(arguments: [Look.none, .natural, .night])
    func oneSceneHasOneColourInEverySpace(look: Look) throws {
        let spaces = [
            ColourSpace.sRGB,
            try Self.space("Display P3", [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)], .sRGB),
            try Self.space("Adobe RGB", [(0.64, 0.33), (0.21, 0.71), (0.15, 0.06)], .gamma(2.199_218_75)),
        ]
        var burst = TestBurst.night(seed: 70, width: 96, height: 72, level: 0.06)
        burst.noise = NoiseModel(shot: 3e-4, read: 1e-3)
        let all = try spaces.map { space in
            burst.colour = space
            let result = try Fusing.fuse(try Fusing.handHeld(burst, count: 4), Fusing.options(look)).picture
            #expect(result.colour == space)
            return labs(result)
        }
        for other in all.dropFirst() {
            let errors = zip(all[0], other).map { a, b in
                ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1) + (a.2 - b.2) * (a.2 - b.2)).squareRoot()
            }.sorted()
            #expect(errors.reduce(0, +) / Double(errors.count) < 1)
            #expect(errors[errors.count * 9 / 10] < 1)
        }
    }
}
