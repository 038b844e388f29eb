import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Odd bursts")
struct OddBurstTests {
    /// Sizes below a patch, a tile and a block.
    @Test(arguments: [(1, 1), (40, 1), (1, 40), (2, 2), (7, 5), (8, 8), (9, 60), (33, 17)], [Look.none, .night])
    func tinyFramesFuse(size: (Int, Int), look: Look) throws {
        let codes: [UInt16] = [20_000, 25_000, 30_000]
        let frames = try (0..<4).map { try Fusing.flat(size.0, size.1, codes, name: "\($0)") }
        let result = try Fusing.fuse(frames, Fusing.options(look))
        #expect(result.picture.width == size.0 && result.picture.height == size.1)
        #expect(result.effectiveFrames.mean.isFinite)
        if look == .none { try expectFlat(result.picture, codes) }
    }

    @Test(arguments: [[0, 0, 0], [65535, 65535, 65535], [12_000, 34_000, 56_000], [0, 0, 65535], [300, 300, 300]])
    func oneColourStays(codes: [UInt16]) throws {
        let frames = try (0..<4).map { try Fusing.flat(72, 55, codes, name: "\($0)") }
        try expectFlat(try Fusing.fuse(frames).picture, codes)
        _ = try Fusing.fuse(frames, Fusing.options(.night))
    }

    private func expectFlat(_ picture: Picture, _ codes: [UInt16]) throws {
        for (plane, code) in zip(picture.planes, codes) {
            var largest = 0
            for y in 0..<plane.height {
                for x in 0..<plane.width { largest = max(largest, abs(Int(plane[x, y]) - Int(code))) }
            }
            // A hundredth of full scale.
            #expect(largest < 655, "\(code) became another by \(largest)")
        }
    }

    @Test func greyFramesGiveAGreyPicture() throws {
        let burst = TestBurst.night(seed: 20, width: 72, height: 56)
        let frames = try Fusing.handHeld(burst, count: 3).map {
            Picture(planes: [$0.planes[1]], maxCode: 65535, bits: 16, name: $0.name)
        }
        let truth = Picture(planes: [try burst.frame(seed: nil).planes[1]], maxCode: 65535, bits: 16, name: "truth")
        let result = try Fusing.fuse(frames)
        #expect(result.picture.isGrey)
        #expect(try Fusing.psnr(result.picture, truth) > Fusing.psnr(frames[0], truth) + 3)
    }

    @Test func eightBitFramesGiveEightBits() throws {
        let burst = TestBurst.night(seed: 21, width: 72, height: 56)
        let frames = try Fusing.handHeld(burst, count: 3).map { frame in
            let planes = try frame.planes.map { plane in
                let out = try Plane<UInt16>(width: plane.width, height: plane.height)
                for y in 0..<plane.height { for x in 0..<plane.width { out[x, y] = (plane[x, y] + 128) / 257 } }
                return out
            }
            return Picture(planes: planes, maxCode: 255, bits: 8, name: frame.name)
        }
        let truth = try burst.frame(seed: nil)
        let result = try Fusing.fuse(frames)
        #expect(result.picture.bits == 8 && result.picture.maxCode == 255)
        #expect(try Fusing.psnr(result.picture, truth) > Fusing.psnr(frames[0], truth) + 3)
    }

    /// Errors that slack explains weigh nothing beside strong noise, but a clean frame must not take them over.
    @Test func softFramesDoNotSpoilAReferenceThatHardlyHasNoise() throws {
        var burst = TestBurst.night(seed: 23)
        burst.noise = NoiseModel(shot: 2e-6, read: 1e-4)
        let frames = try (0..<5).map { index in
            var shot = index == 0 ? TestBurst.Shot() : TestBurst.shifted(0.5 * Double(index), 0.3 * Double(index))
            shot.shake = index < 3 ? 0 : 1.2
            return try burst.frame(shot, seed: UInt64(index), name: "\(index)")
        }
        let truth = try burst.frame(seed: nil)
        let options = Fusing.options(strength: 0)
        let result = try Fusing.psnr(Fusing.fuse(frames, options).picture, truth)
        let reference = try Fusing.psnr(frames[0], truth)
        #expect(result > reference - 0.5, "\(result) dB against the reference's \(reference)")
    }

    /// Nobody tells that their gain was another: pairs would take the reference for as noisy as the mean of both.
    @Test func noisierFramesWithoutTagsDoNotSpoilACleanReference() throws {
        var burst = TestBurst.night(seed: 24)
        let clean = try burst.frame(seed: 1, name: "clean")
        burst.noise.shot *= 16
        burst.noise.read *= 4
        let noisy = try (2..<6).map {
            try burst.frame(TestBurst.shifted(0.5 * Double($0), 0.3 * Double($0)), seed: UInt64($0), name: "\($0)")
        }
        let truth = try burst.frame(seed: nil)
        let alone = try Fusing.psnr(Fusing.fuse([clean]).picture, truth)
        let result = try Fusing.psnr(Fusing.fuse([clean] + noisy).picture, truth)
        #expect(result > alone, "\(result) dB against \(alone) of the reference alone")
    }

    /// Base frames of another exposure tell nothing of the noise of a reference that was asked for.
    @Test func aReferenceOfAnotherExposureThanTheBaseIsFused() throws {
        let burst = TestBurst.night(seed: 25)
        let exposures = [1.0, 1, 0.5, 0.5, 0.5]
        let frames = try exposures.enumerated().map { index, exposure in
            var shot = TestBurst.shifted(0.5 * Double(index), 0.3 * Double(index))
            shot.exposure = exposure
            (shot.info.exposureSeconds, shot.info.iso) = (exposure / 30, 3200)
            return try burst.frame(shot, seed: UInt64(index), name: "\(index)")
        }
        var options = Fusing.options(strength: 0)
        options.reference = .index(0)
        options.baseExposureProduct = 3200 / 60
        let truth = try burst.frame(seed: nil)
        let result = try Fusing.fuse(frames, options)
        #expect(result.frames.allSatisfy { $0.used && $0.weight > 0.4 }, "\(result.frames.map(\.weight))")
        #expect(try Fusing.psnr(result.picture, truth) > Fusing.psnr(frames[0], truth) + 3)
    }

    @Test func pureNoiseBecomesDark() throws {
        var burst = TestBurst.night(seed: 22, level: 1e-7)
        burst.noise.read = 0.02
        let frames = try Fusing.handHeld(burst, count: 6)
        let truth = try burst.frame(seed: nil)
        let result = try Fusing.fuse(frames)
        let (dark, frame) = (try Fusing.psnr(result.picture, truth), try Fusing.psnr(frames[0], truth))
        // Six frames would give 7.8 dB; what is clipped at black, and noise that is aligned to noise, take 1 to 3 of it.
        #expect(dark > frame + 4, "\(dark) against \(frame)")
    }

    @Test func identicalFramesGiveThatFrame() throws {
        let frame = try TestBurst.night(seed: 23).frame(seed: nil)
        let result = try Fusing.fuse([frame, frame, frame, frame], Fusing.options(strength: 0))
        #expect(try Fusing.psnr(result.picture, frame) > 45)
        #expect(result.frames.allSatisfy { $0.used })
    }

    /// Merged without denoising: the reference's noise must not grow either.
    @Test(arguments: [0.0, 1])
    func framesThatShareNothingLeaveTheReference(strength: Double) throws {
        let burst = TestBurst.night(seed: 24)
        let reference = try burst.frame(seed: 1)
        let others = try (0..<3).map { try TestBurst.night(seed: 40 + UInt64($0)).frame(seed: UInt64(2 + $0)) }
        let truth = try burst.frame(seed: nil)
        let result = try Fusing.fuse([reference] + others, Fusing.options(strength: strength))
        #expect(try Fusing.psnr(result.picture, truth) >= Fusing.psnr(reference, truth))
        // Dark and even places agree within the noise, whatever they show.
        let weights = result.frames.dropFirst().map(\.weight)
        #expect(weights.allSatisfy { $0 < 0.4 }, "\(weights)")
    }

    @Test func aFrameUpsideDownDoesNoHarm() throws {
        let burst = TestBurst.night(seed: 25)
        var frames = try Fusing.handHeld(burst, count: 4)
        let truth = try burst.frame(seed: nil)
        let without = try Fusing.psnr(try Fusing.fuse(frames).picture, truth)
        let turned = TestBurst.Shot(Matrix3([-1, 0, 159, 0, -1, 119, 0, 0, 1]))
        frames.append(try burst.frame(turned, seed: 9, name: "upside down"))
        let result = try Fusing.fuse(frames)
        let with = try Fusing.psnr(result.picture, truth)
        #expect(with > without - 1, "\(with) against \(without)")
    }

    @Test func aBracketWithoutTagsIsFused() throws {
        let burst = TestBurst.night(seed: 26)
        let exposures = [1, 1, 1, 4, 4, 0.25]
        let frames = try exposures.indices.map { index in
            var shot = Fusing.shake(burst, index)
            shot.exposure = exposures[index]
            return try burst.frame(shot, seed: UInt64(50 + index))
        }
        let truth = try burst.frame(seed: nil)
        let alone = try Fusing.psnr(try Fusing.fuse(Array(frames[..<3])).picture, truth)
        let result = try Fusing.fuse(frames)
        #expect(try Fusing.psnr(result.picture, truth) > alone)
        for (report, exposure) in zip(result.frames, exposures) where exposure > 0.5 {
            #expect(abs(report.exposureRatio / exposure - 1) < 0.03, "\(report.exposureRatio)")
        }
    }
}

/// The rule behind all odd bursts: where fusion cannot help, the denoised reference comes out, never less.
@Suite("Never worse than the reference")
struct NeverWorseTests {
    private func result(_ frames: [Picture], _ burst: TestBurst) throws -> (out: Double, reference: Double) {
        let truth = try burst.frame(seed: nil)
        let fused = try Fusing.fuse(frames, Fusing.options(reference: .index(0)))
        return (try Fusing.psnr(fused.picture, truth), try Fusing.psnr(frames[0], truth))
    }

    /// 16 times the light, without tags that would say so: nearly all of it clipped.
    @Test func aBracketFedAsIfEqual() throws {
        let burst = TestBurst.night(seed: 60)
        let frames = try (0..<5).map { index in
            var shot = Fusing.shake(burst, index)
            shot.exposure = index == 0 ? 1 : 16
            return try burst.frame(shot, seed: UInt64(70 + index))
        }
        let (out, reference) = try result(frames, burst)
        #expect(out > reference + 1, "\(out) against \(reference)")
    }

    @Test(arguments: [UInt16(0), 65535])
    func framesOfOneColour(code: UInt16) throws {
        let burst = TestBurst.night(seed: 61)
        let reference = try burst.frame(seed: 1)
        let others = try (0..<4).map {
            try Fusing.flat(reference.width, reference.height, [code, code, code], name: "\($0)")
        }
        let (out, before) = try result([reference] + others, burst)
        #expect(out > before + 1, "\(out) against \(before)")
    }

    @Test func framesUpsideDown() throws {
        let burst = TestBurst.night(seed: 62)
        let turned = TestBurst.Shot(Matrix3([-1, 0, 159, 0, -1, 119, 0, 0, 1]))
        let frames = try [try burst.frame(seed: 1)] + (2..<6).map { try burst.frame(turned, seed: UInt64($0)) }
        let (out, reference) = try result(frames, burst)
        #expect(out >= reference, "\(out) against \(reference)")
    }

    @Test func aSceneThatIsCutAfterTheFirstFrame() throws {
        let (burst, other) = (TestBurst.night(seed: 63), TestBurst.night(seed: 64))
        let frames = try [try burst.frame(seed: 1)] + (2..<6).map { try other.frame(seed: UInt64($0)) }
        let (out, reference) = try result(frames, burst)
        #expect(out >= reference, "\(out) against \(reference)")
    }
}
