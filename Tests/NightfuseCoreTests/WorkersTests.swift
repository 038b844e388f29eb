import NightfuseCore
import NightfuseTestSupport
import Testing

@Suite("Workers")
struct WorkersTests {
    /// Ranges by band, written by the bands themselves.
    private final class Notes: @unchecked Sendable {
        // Unchecked: every band writes its own slot.
        let starts: Plane<Int>
        init(_ count: Int) throws { starts = try Plane(width: 3, height: count) }
        func note(_ band: Int, _ rows: Range<Int>) {
            starts[0, band] += 1
            starts[1, band] = rows.lowerBound
            starts[2, band] = rows.upperBound
        }
    }

    @Test(arguments: [1, 2, 5, 40], [1, 7, 32])
    func everyRowIsInOneBandWhateverTheThreads(threads: Int, grain: Int) throws {
        for rows in InterestingSizes.all {
            let count = (rows + grain - 1) / grain
            let notes = try Notes(count)
            try Workers(threads: threads).bands(rows, grain: grain) { (band, range) throws(NightfuseError) in
                notes.note(band, range)
            }
            for band in 0..<count {
                #expect(notes.starts[0, band] == 1)
                #expect(notes.starts[1, band] == band * grain)
                #expect(notes.starts[2, band] == min((band + 1) * grain, rows))
            }
        }
    }

    @Test func noRowsAreNoWork() throws {
        try Workers(threads: 3).bands(0, grain: 8) { (_, _) throws(NightfuseError) in throw .argument("ran") }
    }

    @Test func thereIsAtLeastOneThread() {
        #expect(Workers(threads: 0).threads == 1)
        #expect(Workers(threads: -3).threads == 1)
    }

    @Test(arguments: [1, 2, 5])
    func aFailureIsThrown(threads: Int) throws {
        let error = #expect(throws: NightfuseError.self) {
            try Workers(threads: threads).each(64) { index throws(NightfuseError) in
                if index == 40 { throw .argument("band 40") }
            }
        }
        #expect(error == .argument("band 40"))
    }

    @Test(arguments: [1, 2, 5])
    func afterAFailureTheRestIsLeft(threads: Int) throws {
        let notes = try Notes(10_000)
        #expect(throws: NightfuseError.argument("first")) {
            try Workers(threads: threads).each(10_000) { index throws(NightfuseError) in
                notes.note(index, index..<index + 1)
                if index == 0 { throw .argument("first") }
                // Long enough that no thread runs through all bands before the first has failed.
                var random = SeededRandom(seed: UInt64(index))
                for _ in 0..<2000 where random.next() == 0 { notes.note(index, 0..<1) }
            }
        }
        #expect((0..<10_000).contains { notes.starts[0, $0] == 0 })
    }

    @Test(arguments: [1, 2, 5])
    func cancelledWorkDoesNotStart(threads: Int) throws {
        let cancellation = Cancellation()
        #expect(!cancellation.isCancelled)
        cancellation.cancel()
        #expect(cancellation.isCancelled)
        let notes = try Notes(16)
        #expect(throws: NightfuseError.cancelled) {
            try Workers(threads: threads, cancellation: cancellation).each(16) { index throws(NightfuseError) in
                notes.note(index, 0..<1)
            }
        }
        #expect((0..<16).allSatisfy { notes.starts[0, $0] == 0 })
    }

    @Test(arguments: [1, 2])
    func cancellingStopsAtTheNextBand(threads: Int) throws {
        let cancellation = Cancellation()
        let notes = try Notes(100)
        #expect(throws: NightfuseError.cancelled) {
            try Workers(threads: threads, cancellation: cancellation).each(100) { index throws(NightfuseError) in
                notes.note(index, 0..<1)
                cancellation.cancel()
            }
        }
        // Every thread may have had a band in hand.
        #expect((0..<100).filter { notes.starts[0, $0] > 0 }.count <= threads)
    }
}
