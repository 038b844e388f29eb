internal import Dispatch
package import NightfuseCore

/// A decoded frame.
package enum Frame: Sendable {
    case picture(Picture)
    case raw(RawFrame)
}

/// Decodes files on a thread of its own, so that the next frame is ready when the session has merged the last. At most
/// one frame is decoded ahead: memory does not grow with the burst.
///
/// Whoever asks for a frame that the thread has only begun with decodes the one after it meanwhile, where the stream
/// `helps`: until the reference is chosen there is no other work, and a core would wait.
package final class FrameStream<Payload: Sendable>: @unchecked Sendable {
    private typealias Decoded = (index: Int, result: Result<Payload, NightfuseError>)
    // Unchecked: what the thread shares is only touched with the lock held; `left`, `own` and `hasThread` are the caller's.
    private let lock = DispatchSemaphore(value: 1)
    /// Made with 0 and then raised: a semaphore that is let go below what it was made with ends the process.
    private let room = DispatchSemaphore(value: 0)
    private let ready = DispatchSemaphore(value: 0)
    private var waiting: Decoded?
    private var stopped = false
    private var busy = 0.0
    private var decoded = 0
    /// The next frame that nobody has begun with, and when the thread was let at its last one.
    private var following = 0
    private var began: UInt64 = 0
    /// Frames that were not asked for yet, and the one that was decoded here before it was asked for.
    private var left: Int
    private var own: Decoded?
    /// False where no thread could be had: the frames are decoded when they are asked for.
    private var hasThread = true
    private let count: Int
    private let helps: Bool
    private let decode: @Sendable (Int) -> Result<Payload, NightfuseError>

    /// - Parameters:
    ///   - ahead: whether a frame is decoded ahead; else each is decoded when it is asked for.
    ///   - helps: whether ``next()`` may decode as well.
    ///   - decode: called once for each of 0 ..< count, in that order, on a thread of the stream's, and where it helps on
    ///     the one that asks too.
    package init(
        count: Int, ahead: Bool = true, helps: Bool = false,
        decode: @escaping @Sendable (Int) throws(NightfuseError) -> Payload
    ) {
        left = count
        (self.count, self.helps) = (count, helps)
        self.decode = { index in Result { () throws(NightfuseError) in try decode(index) } }
        guard ahead else {
            hasThread = false
            return
        }
        giveRoom()
        hasThread = BackgroundThread.start { [self] in
            while true {
                room.wait()
                guard let index = claim() else { return }
                put(timed(index))
            }
        }
    }

    /// The next frame, or why there is none; nil after the last.
    package func next() -> (index: Int, result: Result<Payload, NightfuseError>)? {
        guard left > 0 else { return nil }
        let index = count - left
        left -= 1
        if !hasThread { return timed(index) }
        if let frame = own {
            own = nil
            giveRoom()
            return frame
        }
        if helps, isFarFromReady, let ahead = claim() {
            let frame = timed(ahead)
            // The thread was given the word but had not begun: now it has the frame after this one.
            if ahead == index { return frame }
            own = frame
        }
        ready.wait()
        lock.wait()
        let frame = waiting
        waiting = nil
        lock.signal()
        // What was decoded here is the one frame ahead.
        if own == nil { giveRoom() }
        return frame
    }

    /// Lets the thread begin with one more frame.
    private func giveRoom() {
        lock.wait()
        began = DispatchTime.now().uptimeNanoseconds
        lock.signal()
        room.signal()
    }

    /// No more is decoded than what is under way.
    package func stop() {
        lock.wait()
        stopped = true
        waiting = nil
        lock.signal()
        own = nil
        room.signal()
    }

    /// Seconds that decoding took so far, on all threads together.
    package var decodeSeconds: Double {
        lock.wait()
        defer { lock.signal() }
        return busy
    }

    /// Whether the thread will be at its frame for longer than half of what frames took so far: less is not worth
    /// another frame's time.
    private var isFarFromReady: Bool {
        lock.wait()
        defer { lock.signal() }
        guard waiting == nil else { return false }
        let elapsed = Double(DispatchTime.now().uptimeNanoseconds - began) / 1e9
        return decoded == 0 || elapsed < 0.5 * busy / Double(decoded)
    }

    /// The next frame that nobody has begun with; nil after the last and once the stream is stopped.
    private func claim() -> Int? {
        lock.wait()
        defer { lock.signal() }
        guard following < count, !stopped else { return nil }
        following += 1
        return following - 1
    }

    private func timed(_ index: Int) -> Decoded {
        let started = DispatchTime.now().uptimeNanoseconds
        let result = decode(index)
        lock.wait()
        busy += Double(DispatchTime.now().uptimeNanoseconds - started) / 1e9
        decoded += 1
        lock.signal()
        return (index, result)
    }

    private func put(_ frame: Decoded) {
        lock.wait()
        if !stopped { waiting = frame }
        lock.signal()
        ready.signal()
    }
}
