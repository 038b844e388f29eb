import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

/// Brackets of a camera whose tone curve is not its colour space's.
@Suite("Brackets with a camera's tone curve")
struct ToneBracketTests {
    private let tone = CameraTone()

    private func burst(seed: UInt64) -> TestBurst {
        // A camera's pictures are large: most of their blocks are flat.
        TestBurst(
            width: 400, height: 304,
            scene: TestScene(seed: seed, level: 0.06, fineness: 0.03, width: 400, height: 304),
            noise: NoiseModel(shot: 1e-3, read: 4e-3))
    }

    private func bracket(_ burst: TestBurst, _ exposures: [Double], tagged: Bool) throws -> [Picture] {
        try exposures.indices.map { index in
            var shot = Fusing.shake(burst, index)
            shot.exposure = exposures[index]
            if tagged { (shot.info.exposureSeconds, shot.info.iso) = (exposures[index] / 30, 800) }
            return try tone.applied(to: try burst.frame(shot, seed: UInt64(80 + index), name: "\(index)"))
        }
    }

    @Test(arguments: [false, true])
    func allFramesAreUsedAndColoursStay(tagged: Bool) throws {
        let burst = burst(seed: 70)
        let frames = try bracket(burst, [1, 2, 0.5, 4], tagged: tagged)
        let truth = try tone.applied(to: try burst.frame(seed: nil))
        let result = try Fusing.fuse(frames)
        let (fused, before) = (try Fusing.psnr(result.picture, truth), try Fusing.psnr(frames[0], truth))
        #expect(fused > before + 9, "\(fused) dB, the reference has \(before)")
        // Not by the denoiser alone.
        let merged = try Fusing.psnr(try Fusing.fuse(frames, Fusing.options(strength: 0)).picture, truth)
        #expect(merged > before + 5, "merged \(merged) dB, the reference has \(before)")
        for report in result.frames {
            #expect(report.used && report.weight > 0.3 && report.reason == nil, "\(report.weight)")
        }
        for (plane, right) in zip(result.picture.planes, truth.planes) {
            var sum = 0
            for y in 0..<plane.height { for x in 0..<plane.width { sum += Int(plane[x, y]) - Int(right[x, y]) } }
            let mean = Double(sum) / Double(plane.width * plane.height)
            // Half a code of 8 bits.
            #expect(abs(mean) < 128, "a channel's mean is off by \(mean)")
        }
    }

    @Test func unrelatedScenesAreStillLeftOut() throws {
        let burst = burst(seed: 71)
        let reference = try bracket(burst, [1], tagged: false)
        let others = try (0..<3).map { index in
            try tone.applied(
                to: try self.burst(seed: 50 + UInt64(index)).frame(seed: UInt64(90 + index), name: "other \(index)"))
        }
        let truth = try tone.applied(to: try burst.frame(seed: nil))
        let fused = try Fusing.fuse(reference + others)
        let (out, before) = (try Fusing.psnr(fused.picture, truth), try Fusing.psnr(reference[0], truth))
        #expect(out > before + 2, "\(out) against \(before)")
        let weights = fused.frames.dropFirst().map(\.weight)
        #expect(weights.allSatisfy { $0 < 0.3 }, "\(weights)")
    }

    /// The windows of the others are white.
    @Test func withoutTagsTheFrameThatIsClippedLeastIsTheReference() throws {
        let frames = try bracket(burst(seed: 72), [16, 8, 4, 2], tagged: false)
        #expect(try Fusing.fuse(frames, Fusing.options(reference: .auto)).reference == 2)
    }

    /// What is clipped least is of no use where it shows nothing.
    @Test func aBlackFrameIsNoReference() throws {
        let frames = try bracket(burst(seed: 73), [8, 0.002, 4], tagged: false)
        #expect(try Fusing.fuse(frames, Fusing.options(reference: .auto)).reference == 2)
    }
}
