import NightfusePipeline
import Testing

@Suite("Burst clock")
struct BurstClockTests {
    @Test func equalFramesAreOneExposureAndOneReadoutApart() {
        // A sixtieth of a second each, which is what reading takes too.
        var clock = BurstClock(seconds: 1.0 / 60)
        for frame in 1...3 {
            clock.next(exposure: 1)
            #expect(abs(clock.elapsed - 2 * Double(frame)) < 1e-9)
        }
    }

    @Test func unknownExposuresFollowEachOtherWithoutAGap() {
        var clock = BurstClock(seconds: nil)
        clock.next(exposure: 1)
        clock.next(exposure: 4)
        #expect(clock.elapsed == 1 + 2.5)
    }

    @Test func onlyALongExposureLimitsHowFarThingsWent() {
        var clock = BurstClock(seconds: nil)
        clock.next(exposure: 1.2)
        #expect(clock.reach(smear: 1) == .infinity)
        clock.next(exposure: 5)
        // 1.1 and 3.1 exposures after the reference; 24^0.5 exposures' smear is more than the reference has.
        #expect(abs(clock.reach(smear: 1) - 4.2 / 24.0.squareRoot()) < 1e-9)
        clock.next(exposure: 1)
        #expect(clock.reach(smear: 1) == .infinity)
    }
}
