import Dispatch
import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

/// Frames that come while earlier ones are worked on.
@Suite("Streaming")
struct StreamingTests {
    /// What was told of progress.
    private final class Log: @unchecked Sendable {
        // Unchecked: the session calls one at a time, and the test reads when it is done.
        var calls: [(stage: FusionStage, share: Double)] = []
    }

    @Test(arguments: [1, 2, 3])
    func whatHappensInTheBackgroundChangesNoBit(threads: Int) throws {
        let frames = try Fusing.handHeld(TestBurst.night(seed: 21), count: 6)
        let plain = FusionSession(options: Fusing.options(.night), workers: Workers(threads: 2), waiting: 0)
        for frame in frames { try plain.add(frame) }
        let streamed = FusionSession(options: Fusing.options(.night), workers: Workers(threads: threads), waiting: 1)
        for frame in frames { try streamed.add(frame) }
        let (a, b) = (try plain.finish(), try streamed.finish())
        #expect(Fusing.areEqual(a.picture, b.picture))
        #expect(a.frames.map(\.weight) == b.frames.map(\.weight))
    }

    @Test func aBufferIsFreeAgainWhenAddReturns() throws {
        let frames = try Fusing.handHeld(TestBurst.night(seed: 22), count: 5)
        let kept = FusionSession(options: Fusing.options(), workers: Workers(threads: 2))
        let reused = FusionSession(options: Fusing.options(), workers: Workers(threads: 2))
        let one = CameraMemory(width: 160, height: 120, layout: .rgb16)
        for frame in frames {
            let own = CameraMemory(width: 160, height: 120, layout: .rgb16)
            for memory in [own, one] { try memory.output.write(frame, workers: Workers(threads: 1)) }
            try kept.add(own.output.readable)
            try reused.add(one.output.readable)
            one.fill(0xA5)
        }
        #expect(Fusing.areEqual(try kept.finish().picture, try reused.finish().picture))
    }

    @Test func aFrameMoreAfterTheEndIsRefused() throws {
        let frame = try TestBurst.night(seed: 23).frame(seed: 1)
        let session = FusionSession(options: Fusing.options(), workers: Workers(threads: 1))
        try session.add(frame)
        _ = try session.finish()
        #expect(
            throws: NightfuseError.argument("the session is finished: a frame more makes a new burst")
        ) { try session.add(frame) }
        #expect(throws: NightfuseError.argument("the session is finished already")) { try session.finish() }
    }

    // MARK: Progress

    @Test func progressGoesUpByRowBandsToTheEndOfEveryStage() throws {
        let log = Log()
        let session = FusionSession(options: Fusing.options(.night), workers: Workers(threads: 2)) {
            log.calls.append(($0, $1))
        }
        // High enough for many bands of the coarsest grain.
        for frame in try Fusing.handHeld(TestBurst.night(seed: 24, width: 96, height: 1024), count: 4) {
            try session.add(frame)
        }
        _ = try session.finish()
        for stage in [FusionStage.merge, .denoise, .finish] {
            let shares = log.calls.filter { $0.stage == stage }.map(\.share)
            #expect(shares.count > 12, "\(stage)")
            #expect(shares.allSatisfy { 0...1 ~= $0 })
            #expect(shares.filter { $0 == 1 }.count == (stage == .merge ? 3 : 1))
            for (a, b) in zip(shares, shares.dropFirst()) { #expect(b > a || (a == 1 && b == 0), "\(stage) \(a) \(b)") }
        }
    }

    @Test func afterCancelNothingIsDoneOrTold() throws {
        let log = Log()
        let cancellation = Cancellation()
        let session = FusionSession(
            options: Fusing.options(), workers: Workers(threads: 2), cancellation: cancellation
        ) { stage, share in
            log.calls.append((stage, share))
            if stage == .merge && share > 0 { cancellation.cancel() }
        }
        let frames = try Fusing.handHeld(TestBurst.night(seed: 25, width: 256, height: 1024), count: 4)
        for frame in frames.prefix(3) { try session.add(frame) }
        session.cancel()
        let calls = log.calls.count
        #expect(throws: NightfuseError.cancelled) { try session.add(frames[3]) }
        #expect(throws: NightfuseError.cancelled) { try session.finish() }
        #expect(log.calls.count == calls)
        #expect(!log.calls.contains { $0.stage == .denoise })
    }

    @Test func cancelWaitsUntilNoBandIsUnderWay() throws {
        let busy = Busy()
        let session = FusionSession(options: Fusing.options(), workers: Workers(threads: 2)) { _, _ in busy.touch() }
        for frame in try Fusing.handHeld(TestBurst.night(seed: 26, width: 256, height: 512), count: 3) {
            try session.add(frame)
        }
        session.cancel()
        let told = busy.count
        // A thread that still worked would tell of a band within a tenth of a second.
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.1)
        #expect(busy.count == told)
    }

    /// Counts calls. Unchecked: every access holds the lock.
    private final class Busy: @unchecked Sendable {
        private let lock = DispatchSemaphore(value: 1)
        private var calls = 0
        func touch() {
            lock.wait()
            calls += 1
            lock.signal()
        }
        var count: Int {
            lock.wait()
            defer { lock.signal() }
            return calls
        }
    }
}
