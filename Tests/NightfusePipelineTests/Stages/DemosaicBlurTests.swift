import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("What a camera's demosaic took")
struct DemosaicBlurTests {
    private let noise = NoiseModel(shot: 1e-3, read: 4e-3)

    private func burst(_ seed: UInt64) -> TestBurst {
        TestBurst(
            width: 240, height: 180,
            scene: TestScene(seed: seed, level: 0.06, contrast: 1.4, fineness: 0.1, width: 240, height: 180),
            noise: noise)
    }

    /// The mean of the samples that are there among 3 x 3.
    private func interpolated(_ picture: Picture, isSampled: (_ channel: Int, _ x: Int, _ y: Int) -> Bool) throws
        -> Picture
    {
        let (w, h) = (picture.planes[0].width, picture.planes[0].height)
        let planes = try (0..<3).map { channel in
            let plane = picture.planes[channel]
            let out = try Plane<UInt16>(width: w, height: h)
            for y in 0..<h {
                for x in 0..<w {
                    if isSampled(channel, x, y) {
                        out[x, y] = plane[x, y]
                        continue
                    }
                    var (sum, count) = (0, 0)
                    for v in max(y - 1, 0)...min(y + 1, h - 1) {
                        for u in max(x - 1, 0)...min(x + 1, w - 1) where isSampled(channel, u, v) {
                            sum += Int(plane[u, v])
                            count += 1
                        }
                    }
                    out[x, y] = UInt16(sum / max(count, 1))
                }
            }
            return out
        }
        return Picture(
            planes: planes, maxCode: picture.maxCode, bits: picture.bits, name: picture.name, colour: picture.colour,
            info: picture.info, format: picture.format)
    }

    /// RGGB, bilinear.
    private func demosaiced(_ picture: Picture) throws -> Picture {
        try interpolated(picture) { channel, x, y in [0, 1, 1, 2][y % 2 * 2 + x % 2] == channel }
    }

    /// Twice the size of what it holds.
    private func enlarged(_ picture: Picture) throws -> Picture {
        try interpolated(picture) { _, x, y in x % 2 == 0 && y % 2 == 0 }
    }

    private func trace(_ picture: Picture) -> MosaicTrace {
        MosaicTrace(
            frame: FrameData(picture: picture), stabiliser: Stabiliser(ClippedNoise(noise: noise, clips: true)))
    }

    @Test(arguments: [UInt64](1...3))
    func aMosaicLeavesATraceInTheNoise(seed: UInt64) throws {
        #expect(trace(try demosaiced(burst(seed).frame(seed: seed))).strength == 1)
    }

    @Test(arguments: [UInt64](1...6))
    func whiteNoiseAndAnEnlargedPictureHaveNone(seed: UInt64) throws {
        let frame = try burst(seed).frame(seed: seed)
        #expect(trace(frame).strength == 0)
        #expect(trace(try enlarged(frame)).strength == 0)
    }

    @Test func theBlurOfDemosaicedFramesIsKnownAndThatOfOthersIsNone() throws {
        let (one, other) = (try burst(4).frame(seed: 1), try burst(4).frame(TestBurst.shifted(3.4, -1.7), seed: 2))
        func strength(_ a: Picture, _ b: Picture) throws -> Float {
            let bench = try StageBench(a, b, noise: noise)
            let measured = try NoiseEstimation(
                reference: bench.reference, partners: [.init(frame: bench.frame, field: try bench.fit().field)],
                start: NoiseEstimation(frame: bench.reference), workers: Workers(threads: 2))
            return DemosaicBlur(reference: bench.reference, noise: measured).strength
        }
        #expect(try strength(one, other) == 0)
        #expect(try strength(demosaiced(one), demosaiced(other)) > 0.9)
    }

    @Test func tapsInvertTheResponseUpToAQuarterOfACycle() {
        let taps = DemosaicBlur.taps(strength: 1)
        func cosine(_ f: Double, _ k: Int) -> Double {
            // cos(2 pi f k) by its recurrence, from f in sixteenths.
            let table = [1, 0.923_879_532_5, 0.707_106_781_2, 0.382_683_432_4, 0]
            let at = Int(f * 16) * k % 16
            return at <= 4 ? table[at] : at <= 8 ? -table[8 - at] : at <= 12 ? -table[at - 8] : table[16 - at]
        }
        for (fx, fy) in [(0.0, 0.0), (0.125, 0), (0, 0.1875), (0.125, 0.125), (0.25, 0)] {
            var gain = 0.0
            for y in -4...4 {
                for x in -4...4 { gain += Double(taps[abs(y) * 5 + abs(x)]) * cosine(fx, abs(x)) * cosine(fy, abs(y)) }
            }
            // Damping takes up to a tenth at a quarter of a cycle.
            #expect(abs(gain * DemosaicBlur.response(fx, fy) - 1) < 0.12, "\(fx), \(fy): \(gain)")
        }
    }
}
