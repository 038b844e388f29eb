internal import NightfuseKernels

/// A fusion under way: frames go in as they leave the sensor, each is aligned to the reference, merged and forgotten,
/// while the next one is exposed.
///
/// A frame is copied before ``add(_:tags:)-(PixelBuffer,_)`` returns; the work on it goes on in the background, on
/// `workers`. Memory does not depend on the number of frames: at most ``mostHeld`` are held until the reference is chosen,
/// then at most `waiting` wait beside the one under work, and `add` waits where more would have to. The result does not
/// depend on the number of threads, nor on how fast frames come.
///
/// One thread at a time may use a session. ``Cancellation/cancel()`` may be called from any.
public final class FusionSession {
    private let options: FusionOptions
    private let workers: Workers
    private let stop: Cancellation
    private let progress: SessionProgress
    private let work: BurstWork
    private let queue: WorkQueue?
    private let waiting: Int
    private var first: BurstShape?
    private var isFinished = false

    /// Most frames held until the reference is chosen.
    public static let mostHeld = 3

    /// A session without frames; nothing is allocated for it until the first comes.
    ///
    /// - Parameters:
    ///   - options: what to make of the frames.
    ///   - workers: the threads the session may use.
    ///   - waiting: frames that may wait beside the one under work. Default 2: a frame takes about as long to merge as
    ///     to expose, now and then longer. 0: no background; `add` returns when the frame is merged.
    ///   - cancellation: cancels every call, and the work in the background, at its next row band.
    ///   - progress: called with the stage and the share of it that is done, 0 to 1, about a hundred times a stage; one
    ///     call at a time, from threads of the session's; not after a cancellation, nor once the session is gone. It must
    ///     be quick, and must not use the session.
    public init(
        options: FusionOptions, workers: Workers, waiting: Int = 2, cancellation: Cancellation = Cancellation(),
        progress: (@Sendable (FusionStage, Double) -> Void)? = nil
    ) {
        (self.options, self.waiting) = (options, waiting)
        stop = Cancellation(following: cancellation)
        self.progress = SessionProgress(cancellation: stop, tell: progress)
        self.workers = Workers(threads: workers.threads, cancellation: stop, observer: self.progress)
        work = BurstWork(
            options: options, workers: self.workers, progress: self.progress, isEager: waiting > 0)
        queue = waiting > 0 ? WorkQueue(waiting: waiting) : nil
    }

    deinit {
        stop.cancel()
        progress.close()
    }

    /// Takes the next frame, decoded; it is not copied.
    ///
    /// - Throws: `.file` where it cannot belong to the burst (another size or colour space): the session can go on
    ///   without it. `.argument` after the end; what an earlier frame's work threw.
    public func add(_ picture: Picture) throws(NightfuseError) {
        try add(BurstShape(picture), name: picture.name, bits: picture.bits) {
            .picture(FrameData(picture: picture))
        }
    }

    /// Takes the next raw frame, decoded; a burst is all pictures or all raw. Throws as ``add(_:)-(Picture)``.
    public func add(_ raw: RawFrame) throws(NightfuseError) {
        let shape = BurstShape(raw)
        try shape.checkMosaic()
        // Merged samples know more than eight bits can hold, whatever the sensor's depth.
        try add(shape, name: raw.name, bits: max(raw.bits, 9)) { .raw(raw) }
    }

    /// Takes the next frame out of a camera's buffer, which is free again on return.
    ///
    /// Costs one pass over the frame (12 megapixels: some 20 ms on one core), spread over the session's threads.
    ///
    /// - Throws: `.argument` where the buffer makes no sense; else as ``add(_:)-(Picture)``.
    public func add(_ buffer: PixelBuffer, tags: FrameTags = FrameTags()) throws(NightfuseError) {
        try buffer.check(name: tags.name)
        try tags.check()
        let shape = BurstShape(buffer, tags)
        try add(shape, name: tags.name, bits: buffer.layout.bits) { () throws(NightfuseError) in
            .picture(FrameData(picture: try buffer.picture(tags, workers: workers)))
        }
    }

    /// Takes the next raw frame out of a sensor's buffer, which is free again on return. Throws and costs as
    /// ``add(_:tags:)-(PixelBuffer,_)``.
    public func add(_ mosaic: MosaicBuffer, tags: FrameTags = FrameTags()) throws(NightfuseError) {
        try mosaic.check(name: tags.name)
        try tags.check()
        try add(BurstShape(mosaic, tags), name: tags.name, bits: max(mosaic.packing.bits, 9)) {
            () throws(NightfuseError) in
            .raw(try mosaic.rawFrame(tags, workers: workers))
        }
    }

    private func add(
        _ shape: BurstShape, name: String, bits: Int, _ frame: () throws(NightfuseError) -> BurstWork.Source
    ) throws(NightfuseError) {
        try stop.check()
        guard !isFinished else { throw .argument("the session is finished: a frame more makes a new burst") }
        if let first {
            try first.check(shape)
        } else {
            _ = try options.validated()
            try checkMemory(shape, name: name, bits: bits)
        }
        if let queue {
            try queue.put { [work] () throws(NightfuseError) in
                let frame = try frame()
                return { () throws(NightfuseError) in try work.add(frame, bits: bits) }
            }
        } else {
            try work.add(try frame(), bits: bits)
        }
        if first == nil {
            first = shape
            progress.expect(rows: shape.height)
        }
    }

    /// Judges what the burst will need by its first frame.
    private func checkMemory(_ shape: BurstShape, name: String, bits: Int) throws(NightfuseError) {
        var needed = MemoryEstimate.fusion(width: shape.width, height: shape.height)
        if options.memory == .scratch {
            needed = MemoryEstimate.scratch(width: shape.width, threads: workers.threads)
        }
        work.bytesOfLong = needed
        if !shape.isRaw, options.memory != .scratch {
            var burst = MemoryEstimate.Burst(
                width: shape.width, height: shape.height, bits: shape.keepsBytes ? bits : 16, ahead: max(waiting, 1),
                isLean: options.memory == .lean, threads: workers.threads)
            needed = burst.bytes
            burst.isLong = true
            work.bytesOfLong = burst.bytes
        }
        try MemoryEstimate.check(needed, name: name, limits: options.limits)
    }

    /// Numbers, among those added, of frames that the session forgot and wants once more, before any other and in this
    /// order: only where ``FusionOptions/memory`` is lean. Each is told once.
    package func takeOwed() -> [Int] { work.takeOwed() }

    /// Takes a frame once more that ``takeOwed()`` told of.
    package func addAgain(_ picture: Picture, number: Int) throws(NightfuseError) {
        try stop.check()
        try work.addAgain(FrameData(picture: picture), number)
    }

    /// Chooses the reference without waiting for more frames.
    package func begin() throws(NightfuseError) {
        try stop.check()
        try work.begin()
    }

    /// Width and height of the picture to come; nil before the first frame.
    public var pictureSize: (width: Int, height: Int)? { first.map { ($0.pictureWidth, $0.pictureHeight) } }

    /// Ends the burst and gives the picture, when the frames that wait are merged. The session takes no more frames.
    ///
    /// - Throws: `.argument` where no frame was added, or at the second call; `.cancelled`; what the work threw.
    public func finish() throws(NightfuseError) -> FusionResult { try finish(bits: nil) }

    /// As ``finish()``, with the picture written into the caller's buffer, in the layout that it has.
    ///
    /// The buffer may be one that a frame came in: frames were copied. 8-bit layouts are dithered as 8-bit files are.
    ///
    /// - Throws: `.argument` where the buffer makes no sense or is not as large as the picture (``pictureSize``), or
    ///   ``FusionOptions/bits`` asks for others than it holds: the session can then be finished into another. Else as
    ///   ``finish()``.
    public func finish(into buffer: MutablePixelBuffer) throws(NightfuseError) -> FusionResult {
        try buffer.check(name: "the output")
        if let size = pictureSize, size != (buffer.width, buffer.height) {
            throw .argument(
                "the output is \(buffer.width) x \(buffer.height), the picture is \(size.width) x \(size.height)")
        }
        if let bits = options.bits, bits != buffer.layout.bits {
            throw .argument("the output holds \(buffer.layout.bits) bits a sample, the options ask for \(bits)")
        }
        if options.mergedRaw { throw .argument("a merged raw frame does not go into a picture's buffer") }
        let result = try finish(bits: buffer.layout.bits)
        try buffer.write(result.picture, workers: workers)
        return result
    }

    private func finish(bits: Int?) throws(NightfuseError) -> FusionResult {
        try stop.check()
        guard !isFinished else { throw .argument("the session is finished already") }
        guard let first else { throw .argument("there is no frame to fuse") }
        isFinished = true
        try queue?.drain()
        // What the work's planes leave behind would wait for the next session, which may never come.
        defer { releasePlaneMemory() }
        return try work.finish(first, bits: bits)
    }

    /// Stops the work and waits until none is under way, a row band's time at most. Every later call throws `.cancelled`.
    public func cancel() {
        stop.cancel()
        progress.close()
        do throws(NightfuseError) {
            try queue?.drain()
        } catch {
            // What the work threw, `.cancelled` as a rule, is thrown by the next call.
        }
    }
}
