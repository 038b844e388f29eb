internal import Dispatch
package import NightfuseCore

/// A decoded frame.
package enum Frame: Sendable {
    case picture(Picture)
    case raw(RawFrame)
}

/// Decodes files one after the other on a thread of its own, so that the next frame is ready when the session has
/// merged the last. At most one frame is decoded ahead: memory does not grow with the burst.
package final class FrameStream<Payload: Sendable>: @unchecked Sendable {
    // Unchecked: `waiting`, `stopped` and `busy` are only touched with the lock held.
    private let lock = DispatchSemaphore(value: 1)
    /// Made with 0 and then raised: a semaphore that is let go below what it was made with ends the process.
    private let room = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)
    private var waiting: (index: Int, result: Result<Payload, NightfuseError>)?
    private var stopped = false
    private var busy = 0.0
    private var left: Int
    /// Where no thread could be had: the frames are decoded when they are asked for.
    private var decodeHere: ((Int) -> (result: Result<Payload, NightfuseError>, seconds: Double))?
    private let count: Int

    /// - Parameter decode: called for 0 ..< count in order, on a thread of the stream's.
    package init(count: Int, decode: @escaping @Sendable (Int) throws(NightfuseError) -> Payload) {
        left = count
        self.count = count
        room.signal()
        let timed: @Sendable (Int) -> (result: Result<Payload, NightfuseError>, seconds: Double) = { index in
            let started = DispatchTime.now().uptimeNanoseconds
            let result = Result { () throws(NightfuseError) in try decode(index) }
            return (result, Double(DispatchTime.now().uptimeNanoseconds - started) / 1e9)
        }
        let runs = BackgroundThread.start { [self] in
            for index in 0..<count {
                room.wait()
                if isStopped { return }
                let (result, seconds) = timed(index)
                put(index, result, seconds: seconds)
            }
        }
        if !runs { decodeHere = timed }
    }

    /// The next frame, or why there is none; nil after the last.
    package func next() -> (index: Int, result: Result<Payload, NightfuseError>)? {
        guard left > 0 else { return nil }
        left -= 1
        if let decodeHere {
            let (result, seconds) = decodeHere(count - left - 1)
            busy += seconds
            return (count - left - 1, result)
        }
        ready.wait()
        lock.wait()
        let frame = waiting
        waiting = nil
        lock.signal()
        room.signal()
        return frame
    }

    /// No more is decoded than what is under way.
    package func stop() {
        lock.wait()
        stopped = true
        waiting = nil
        lock.signal()
        room.signal()
    }

    /// Seconds that decoding took so far.
    package var decodeSeconds: Double {
        lock.wait()
        defer { lock.signal() }
        return busy
    }

    private var isStopped: Bool {
        lock.wait()
        defer { lock.signal() }
        return stopped
    }

    private func put(_ index: Int, _ result: Result<Payload, NightfuseError>, seconds: Double) {
        lock.wait()
        busy += seconds
        if !stopped { waiting = (index, result) }
        lock.signal()
        ready.signal()
    }
}
