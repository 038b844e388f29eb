import NightfuseKernels
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

@Suite("DCT of 8 x 8")
struct DCT8x8Tests {
    @Test func agreesWithTheDefinition() {
        var random = SeededRandom(seed: 1)
        let values = (0..<64).map { _ in Float(random.normal()) }
        let out = dct8x8(values)
        func basis(_ k: Int, _ n: Int) -> Double {
            cos(.pi * Double((2 * n + 1) * k) / 16) * (k == 0 ? 0.125.squareRoot() : 0.5)
        }
        for v in 0..<8 {
            for u in 0..<8 {
                var sum = 0.0
                for y in 0..<8 { for x in 0..<8 { sum += Double(values[y * 8 + x]) * basis(u, x) * basis(v, y) } }
                #expect(abs(sum - Double(out[v * 8 + u])) < 1e-5)
            }
        }
    }

    @Test func keepsTheEnergy() {
        var random = SeededRandom(seed: 2)
        let values = (0..<64).map { _ in Float(random.normal()) }
        let (a, b) = (values.reduce(0) { $0 + $1 * $1 }, dct8x8(values).reduce(0) { $0 + $1 * $1 })
        #expect(abs(a - b) < 1e-4 * a)
    }
}
