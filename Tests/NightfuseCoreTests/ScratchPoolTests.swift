import NightfuseCore
import Testing

@Suite struct ScratchPoolTests {
    private final class Memory {}

    @Test func whatIsGivenBackIsTakenAgain() {
        let pool = ScratchPool<Memory>()
        var made = 0
        func take() -> ScratchPool<Memory>.Lease {
            pool.take {
                made += 1
                return Memory()
            }
        }
        var first: ScratchPool<Memory>.Lease? = take()
        let second = take()
        #expect(made == 2 && first?.scratch !== second.scratch)
        first = nil
        let third = take()
        #expect(made == 2 && third.scratch !== second.scratch)
        withExtendedLifetime((second, third)) {}
    }

    @Test func clearingFreesWhatWaits() {
        let pool = ScratchPool<Memory>()
        weak var kept: Memory?
        do { kept = pool.take { Memory() }.scratch }
        #expect(kept != nil)
        pool.clear()
        #expect(kept == nil)
    }
}
