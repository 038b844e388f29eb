import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Fusion session")
struct FusionSessionTests {
    private func session(_ options: FusionOptions = Fusing.options()) -> FusionSession {
        FusionSession(options: options, workers: Workers(threads: 2))
    }

    @Test func oneFrameAloneIsCleaned() throws {
        let burst = TestBurst.night(seed: 1)
        let (truth, frame) = (try burst.frame(seed: nil), try burst.frame(seed: 1))
        let result = try Fusing.fuse([frame])
        #expect(try Fusing.psnr(result.picture, truth) > Fusing.psnr(frame, truth) + 3)
        #expect(result.reference == 0 && result.frames.count == 1 && result.frames[0].used)
        #expect(abs(result.effectiveFrames.mean - 1) < 1e-4)
    }

    @Test(arguments: [Look.none, .night])
    func threadsDoNotChangeABit(look: Look) throws {
        let frames = try Fusing.handHeld(TestBurst.night(seed: 2), count: 4)
        let results = try [1, 2, 3].map { try Fusing.fuse(frames, Fusing.options(look), threads: $0) }
        #expect(Fusing.areEqual(results[0].picture, results[1].picture))
        #expect(Fusing.areEqual(results[0].picture, results[2].picture))
        #expect(results[0].effectiveFrames == results[1].effectiveFrames)
        #expect(results[0].noise == results[2].noise)
    }

    @Test(arguments: [0, 1, 2])
    func theSharpestOfTheFirstThreeIsTheReference(sharp: Int) throws {
        let burst = TestBurst.night(seed: 3, level: 0.15)
        let frames = try (0..<4).map { index in
            var shot = TestBurst.shifted(Double(index), 0)
            shot.shake = index == sharp || index == 3 ? 0 : 4
            return try burst.frame(shot, seed: UInt64(index))
        }
        let result = try Fusing.fuse(frames, Fusing.options(reference: .auto))
        #expect(result.reference == sharp)
        #expect(result.frames[sharp].weight == 1)
    }

    @Test(arguments: [0, 1, 2])
    func theReferenceThatIsAskedForIsTaken(index: Int) throws {
        let burst = TestBurst.night(seed: 4)
        let frames = try Fusing.handHeld(burst, count: 4)
        let result = try Fusing.fuse(frames, Fusing.options(reference: .index(index)))
        #expect(result.reference == index)
        let truth = try burst.frame(Fusing.shake(burst, index), seed: nil)
        #expect(try Fusing.psnr(result.picture, truth) > Fusing.psnr(frames[index], truth) + 3)
    }

    @Test(arguments: [3, 7, -1])
    func aReferenceThatNoFrameCanBeIsRefusedAtTheFirst(index: Int) throws {
        let session = session(Fusing.options(reference: .index(index)))
        let told = "the reference is frame \(index); it must be 0, 1 or 2, since no later one is waited for"
        #expect(throws: NightfuseError.argument(told)) {
            try session.add(try Fusing.flat(16, 16, [900, 900, 900]))
        }
    }

    @Test func aReferenceThatDidNotComeIsRefusedAtTheEnd() throws {
        let session = session(Fusing.options(reference: .index(2)))
        for _ in 0..<2 { try session.add(try Fusing.flat(16, 16, [900, 900, 900])) }
        let told = "frame 2 is to be the reference, but it is not among the first 2 added"
        #expect(throws: NightfuseError.argument(told)) { try session.finish() }
    }

    @Test func reportsSayHowTheCameraMoved() throws {
        let burst = TestBurst.night(seed: 5, level: 0.15)
        let frames = [
            try burst.frame(seed: 1),
            try burst.frame(TestBurst.Shot(burst.motion(x: 6.5, y: -3.25, roll: 0.7)), seed: 2, name: "second"),
        ]
        let report = try Fusing.fuse(frames).frames[1]
        #expect(report.name == "second" && report.used && report.reason == nil)
        #expect(abs(report.shift.x - 6.5) < 0.2 && abs(report.shift.y + 3.25) < 0.2)
        #expect(abs(report.rotationDegrees - 0.7) < 0.1)
        #expect(abs(report.exposureRatio - 1) < 0.02)
    }

    // MARK: What cannot belong

    private func raw(_ layout: RawFrame.Layout, name: String) throws -> RawFrame {
        RawFrame(
            planes: [try Plane<UInt16>(width: 16, height: 16)], layout: layout, black: [64], blackRows: 1,
            blackColumns: 1,
            white: [1023], neutral: nil, calibrations: [], baselineExposure: 0, noise: [], gainMaps: [], badPixels: [],
            crop: (0, 0, 16, 16), info: CaptureInfo(), name: name, bits: 10, compression: "none", notes: [])
    }

    @Test func rawFramesAndPicturesDoNotMix() throws {
        let session = session()
        try session.add(try Fusing.flat(16, 16, [9, 9, 9], name: "a.png"))
        #expect(throws: NightfuseError.file("b.dng", "is raw, unlike a.png: a burst is all raw or all pictures")) {
            try session.add(try raw(.mosaic([0, 1, 1, 2]), name: "b.dng"))
        }
        let error = #expect(throws: NightfuseError.self) {
            try session.add(try raw(.mosaic([0, 1, 2, 1]), name: "c.dng"))
        }
        #expect(error?.description.hasPrefix("c.dng: its mosaic") == true)
        #expect(try session.finish().frames.count == 1)
    }

    @Test func aFrameOfAnotherSizeIsRefusedAndTheBurstGoesOn() throws {
        let frames = try Fusing.handHeld(TestBurst.night(seed: 6), count: 3)
        let session = session()
        try session.add(frames[0])
        let error = #expect(throws: NightfuseError.self) {
            try session.add(try Fusing.flat(160, 121, [1, 2, 3], name: "odd.png"))
        }
        #expect(error == .file("odd.png", "is 160 x 121, but frame 0 is 160 x 120"))
        for frame in frames.dropFirst() { try session.add(frame) }
        let result = try session.finish()
        #expect(result.frames.map(\.name) == ["frame 0", "frame 1", "frame 2"])
        #expect(Fusing.areEqual(result.picture, try Fusing.fuse(frames).picture))
    }

    @Test func aFrameInAnotherColourSpaceIsRefused() throws {
        let session = session()
        let planes = try Fusing.flat(16, 16, [9, 9, 9]).planes
        try session.add(Picture(planes: planes, maxCode: 65535, bits: 16, name: "a.png"))
        let linear = ColourSpace(name: "linear", toXYZ: ColourSpace.sRGB.toXYZ, transfer: .gamma(1))
        let error = #expect(throws: NightfuseError.self) {
            try session.add(Picture(planes: planes, maxCode: 65535, bits: 16, name: "b.png", colour: linear))
        }
        #expect(error == .file("b.png", "is in linear, but a.png is in sRGB"))
        #expect(throws: NightfuseError.file("g.png", "is grey, unlike a.png")) {
            try session.add(Picture(planes: [planes[0]], maxCode: 65535, bits: 16, name: "g.png"))
        }
        #expect(try session.finish().frames.count == 1)
    }

    @Test func noFramesAreAnError() {
        #expect(throws: NightfuseError.argument("there is no frame to fuse")) { try session().finish() }
    }

    // MARK: Cancellation

    /// What was told of progress, from the session's thread.
    private final class Progress: @unchecked Sendable {
        // Unchecked: only the thread that uses the session calls.
        var calls = 0
    }

    @Test func cancelledBeforeItThrowsAndDoesNothing() throws {
        let cancellation = Cancellation()
        let progress = Progress()
        let session = FusionSession(
            options: Fusing.options(), workers: Workers(threads: 2), cancellation: cancellation
        ) { _, _ in progress.calls += 1 }
        let frame = try TestBurst.night(seed: 7).frame(seed: 1)
        try session.add(frame)
        cancellation.cancel()
        #expect(throws: NightfuseError.cancelled) { try session.add(frame) }
        #expect(throws: NightfuseError.cancelled) { try session.finish() }
        #expect(progress.calls == 0)
    }

    @Test func cancelledAtWorkItStops() throws {
        let cancellation = Cancellation()
        let progress = Progress()
        let session = FusionSession(
            options: Fusing.options(), workers: Workers(threads: 2), waiting: 0, cancellation: cancellation
        ) { stage, _ in
            guard stage == .merge else { return }
            progress.calls += 1
            cancellation.cancel()
        }
        let frames = try Fusing.handHeld(TestBurst.night(seed: 8), count: 3)
        try session.add(frames[0])
        try session.add(frames[1])
        #expect(throws: NightfuseError.cancelled) { try session.add(frames[2]) }
        #expect(progress.calls == 1)
        #expect(throws: NightfuseError.cancelled) { try session.finish() }
    }
}
