import Dispatch
import NightfuseCore
import Testing

@Suite("Work queue")
struct WorkQueueTests {
    /// What was done, in order. Unchecked: every access holds the lock.
    private final class Log: @unchecked Sendable {
        private let lock = DispatchSemaphore(value: 1)
        private var done: [Int] = []
        func note(_ number: Int) {
            lock.wait()
            done.append(number)
            lock.signal()
        }
        var numbers: [Int] {
            lock.wait()
            defer { lock.signal() }
            return done
        }
    }

    @Test func jobsAreDoneInOrderAndDrainWaitsForThem() throws {
        let (queue, log) = (WorkQueue(label: "test", waiting: 2), Log())
        for number in 0..<20 { try queue.put { { log.note(number) } } }
        try queue.drain()
        #expect(log.numbers == Array(0..<20))
    }

    @Test func noMoreJobsWaitThanAreAllowed() throws {
        let (queue, log) = (WorkQueue(label: "test", waiting: 1), Log())
        let gate = DispatchSemaphore(value: 0)
        // One under work and one that waits; the third's data are made when the first is done.
        for number in 0..<2 {
            try queue.put {
                {
                    gate.wait(); log.note(number)
                }
            }
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { gate.signal() }
        try queue.put { () throws(NightfuseError) in
            #expect(log.numbers == [0])
            return { log.note(2) }
        }
        gate.signal()
        try queue.drain()
        #expect(log.numbers == [0, 1, 2])
    }

    @Test func theFirstFailureIsToldAndNothingIsDoneAfterIt() throws {
        let (queue, log) = (WorkQueue(label: "test", waiting: 3), Log())
        let gate = DispatchSemaphore(value: 0)
        try queue.put {
            { () throws(NightfuseError) in
                gate.wait()
                throw .limit("first")
            }
        }
        try queue.put { { log.note(1) } }
        gate.signal()
        #expect(throws: NightfuseError.limit("first")) { try queue.drain() }
        #expect(throws: NightfuseError.limit("first")) { try queue.put { { log.note(2) } } }
        #expect(log.numbers.isEmpty)
    }

    @Test func whatFailsBeforeItsJobIsThereLeavesTheQueueAsItWas() throws {
        let (queue, log) = (WorkQueue(label: "test", waiting: 0), Log())
        for _ in 0..<3 {
            #expect(throws: NightfuseError.argument("none")) {
                try queue.put { () throws(NightfuseError) in throw .argument("none") }
            }
        }
        try queue.put { { log.note(1) } }
        try queue.drain()
        #expect(log.numbers == [1])
    }
}
