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

@Suite("Fourier transform of a tile")
struct TileFourierTests {
    private func noisy(_ seed: UInt64) -> TileFourier {
        var random = SeededRandom(seed: seed)
        let tile = TileFourier()
        for i in 0..<TileFourier.count {
            tile.re[i] = Float(random.normal())
            tile.im[i] = Float(random.normal())
        }
        return tile
    }

    @Test(arguments: [0, 1, 31, 32, 77, 528, 1023])
    func everyPlaceHoldsTheWaveThatItsFrequencyNames(place: Int) {
        let (tile, before) = (noisy(3), noisy(3))
        tile.forward()
        let f = TileFourier.frequencies[place]
        var (re, im) = (0.0, 0.0)
        for y in 0..<TileFourier.size {
            for x in 0..<TileFourier.size {
                let turn = -2 * Double.pi * (f.x * Double(x) + f.y * Double(y))
                let (a, b) = (Double(before.re[y * 32 + x]), Double(before.im[y * 32 + x]))
                re += a * cos(turn) - b * sin(turn)
                im += a * sin(turn) + b * cos(turn)
            }
        }
        #expect(abs(Double(tile.re[place]) - re) < 1e-3)
        #expect(abs(Double(tile.im[place]) - im) < 1e-3)
    }

    @Test func theInverseUndoesIt() {
        let (tile, before) = (noisy(5), noisy(5))
        tile.forward()
        tile.inverse()
        let worst = (0..<TileFourier.count).map {
            max(abs(tile.re[$0] - before.re[$0]), abs(tile.im[$0] - before.im[$0]))
        }
        #expect(worst.max() ?? 1 < 1e-5)
    }

    @Test func oppositePlacesHoldOppositeFrequencies() {
        for (place, opposite) in TileFourier.opposite.enumerated() {
            let (a, b) = (TileFourier.frequencies[place], TileFourier.frequencies[opposite])
            // Half a cycle a sample is its own opposite.
            #expect(abs(a.x) == 0.5 ? b.x == a.x : b.x == -a.x)
            #expect(abs(a.y) == 0.5 ? b.y == a.y : b.y == -a.y)
        }
    }
}
