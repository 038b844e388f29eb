import Dispatch
import NightfuseCommand
import NightfuseCore
import Synchronization
import Testing

@Suite("Decoding ahead")
struct FrameStreamTests {
    private static func picture(_ index: Int) throws(NightfuseError) -> Frame {
        .picture(Picture(planes: [try Plane(width: 1, height: 1)], maxCode: 255, bits: 8, name: "\(index)"))
    }

    @Test func framesComeInOrderWithTheirErrors() throws {
        let stream = FrameStream(count: 5) { (index) throws(NightfuseError) in
            if index == 2 { throw .file("2", "broken") }
            return try FrameStreamTests.picture(index)
        }
        var seen: [String] = []
        while let (index, result) = stream.next() {
            switch result {
            case .success(.picture(let picture)): seen.append("\(index) \(picture.name)")
            case .success(.raw): seen.append("raw")
            case .failure(let error): seen.append("\(index) \(error)")
            }
        }
        #expect(seen == ["0 0", "1 1", "2 2: broken", "3 3", "4 4"])
    }

    @Test func noMoreThanOneFrameIsDecodedAhead() async throws {
        let decoded = Mutex(0)
        let stream = FrameStream(count: 10) { (index) throws(NightfuseError) in
            decoded.withLock { $0 += 1 }
            return try FrameStreamTests.picture(index)
        }
        for taken in 1...10 {
            _ = stream.next()
            try await Task.sleep(for: .milliseconds(5))
            #expect(decoded.withLock { $0 } <= taken + 1)
        }
        #expect(stream.next() == nil)
    }

    @Test func noneIsDecodedBeforeItIsAskedForWhereThatIsSo() async throws {
        let decoded = Mutex(0)
        let stream = FrameStream(count: 4, ahead: false, helps: true) { (index) throws(NightfuseError) in
            decoded.withLock { $0 += 1 }
            return try FrameStreamTests.picture(index)
        }
        for taken in 0..<4 {
            #expect(decoded.withLock { $0 } == taken)
            #expect(stream.next()?.index == taken)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(stream.next() == nil)
    }

    @Test func aStoppedStreamDecodesNoMore() async throws {
        let decoded = Mutex(0)
        let stream = FrameStream(count: 100) { (index) throws(NightfuseError) in
            decoded.withLock { $0 += 1 }
            return try FrameStreamTests.picture(index)
        }
        _ = stream.next()
        stream.stop()
        try await Task.sleep(for: .milliseconds(20))
        let count = decoded.withLock { $0 }
        try await Task.sleep(for: .milliseconds(20))
        #expect(count <= 2 && decoded.withLock { $0 } == count)
    }

    @Test func whoWaitsDecodesTheNextFrameMeanwhile() throws {
        let begun = DispatchSemaphore(value: 0)
        let stream = FrameStream(count: 5, helps: true) { (index) throws(NightfuseError) in
            // The first frame is not ready before somebody has begun with the second.
            if index == 0, begun.wait(timeout: .now() + 60) == .timedOut { throw .file("0", "was waited for alone") }
            if index == 1 { begun.signal() }
            return try FrameStreamTests.picture(index)
        }
        var seen: [String] = []
        while let (index, result) = stream.next() {
            if case .success(.picture(let picture)) = result { seen.append("\(index) \(picture.name)") }
        }
        #expect(seen == ["0 0", "1 1", "2 2", "3 3", "4 4"])
    }

    @Test func helpingDecodesNoMoreThanOneFrameAhead() async throws {
        let decoded = Mutex(0)
        let stream = FrameStream(count: 10, helps: true) { (index) throws(NightfuseError) in
            decoded.withLock { $0 += 1 }
            return try FrameStreamTests.picture(index)
        }
        for taken in 1...10 {
            _ = stream.next()
            try await Task.sleep(for: .milliseconds(5))
            #expect(decoded.withLock { $0 } <= taken + 1)
        }
        #expect(stream.next() == nil)
    }
}
