internal import Nightfuse
internal import NightfuseCodecs

/// Files through a session, one frame at a time.
struct BurstFusion {
    /// What to do with a frame that can be read and does not belong to the burst.
    enum Misfit { case endsTheRun, isNoted }

    /// A frame, and a small picture of it where one is wanted.
    private struct Decoded: Sendable {
        let frame: Frame
        let thumbnail: EmbeddedImage?
    }

    struct Outcome {
        /// Nil where no frame could be fused.
        var result: FusionResult?
        /// One a file, in the order given.
        var frames: [FrameEntry]
        /// Number of the reference among the files.
        var reference: Int
        /// Seconds that decoding took, beside the session's work.
        var decodeSeconds: Double
    }

    let files: [FilePath]
    /// Of each file; nil where it cannot be read.
    let headers: [FrameHeader?]
    let run: VerbRun
    let options: FusionOptions
    let misfit: Misfit
    let progress: ProgressBar?
    /// Whether small pictures of the frames are kept, for a report.
    var keepsThumbnails = false
    /// The file that the result goes to, if to any.
    var output: FilePath?

    func fuse() throws(NightfuseError) -> Outcome {
        let memory = try BurstMemory(headers.compactMap(\.self), files, output: output, run: run)
        memory.begin()
        defer { memory.end() }
        let limits = memory.limits
        let isAhead = memory.use == .whole
        var sessionOptions = options
        (sessionOptions.memory, sessionOptions.limits) = (memory.use, limits)
        var order = Array(files.indices)
        if let wanted = try chosenReference(ahead: isAhead, limits: limits) {
            // The chosen reference goes in first: then no frame has to wait for it, and what cannot be read before it
            // does not shift its number. Those after it follow, then those before it, so that neighbours stay such.
            order = Array(files.indices[wanted...]) + files.indices[..<wanted].reversed()
            sessionOptions.reference = .index(0)
            let base = headers[wanted]?.exposureProduct ?? options.baseExposureProduct
            order = [wanted] + pairFirst(longerLast(Array(order.dropFirst()), base), base)
        } else {
            order = longerLast(order, options.baseExposureProduct)
        }
        let session = FusionSession(options: sessionOptions, workers: run.workers, waiting: 0) {
            [progress] stage, share in
            progress?.show(stage, share)
        }
        let workers = run.workers
        let paths = order.map { files[$0] }
        let keepsThumbnails = keepsThumbnails
        let buffer = FileBuffer()
        let stream = FrameStream(
            count: paths.count, ahead: isAhead, helps: workers.threads > 1
        ) { (index) throws(NightfuseError) in
            let frame = try readFrame(paths[index], limits: limits, workers: workers, buffer: buffer)
            return Decoded(frame: frame, thumbnail: keepsThumbnails ? try frame.thumbnail() : nil)
        }
        defer { stream.stop() }
        var outcome = Outcome(
            result: nil, frames: files.map { FrameEntry(FrameReport(name: "\($0)"), isMeasured: false) },
            reference: order[0], decodeSeconds: 0)
        var added: [Int] = []
        while try addNext(stream, order, to: session, &added, &outcome) {
            if isAhead, added.count == FusionSession.mostHeld { buffer.keep() }
            try giveAgain(to: session, added, limits: limits)
        }
        if !added.isEmpty { try session.begin() }
        try giveAgain(to: session, added, limits: limits)
        outcome.decodeSeconds = stream.decodeSeconds
        buffer.clear()
        if !added.isEmpty { try finish(session, added, &outcome) }
        return outcome
    }

    /// Gives the next frame to the session, and holds on to it no longer; false after the last.
    private func addNext(
        _ stream: FrameStream<Decoded>, _ order: [Int], to session: FusionSession, _ added: inout [Int],
        _ outcome: inout Outcome
    ) throws(NightfuseError) -> Bool {
        guard let (place, decoded) = stream.next() else { return false }
        progress?.begin(frame: place)
        let index = order[place]
        if let reason = try add(decoded, index, to: session, &outcome) {
            outcome.frames[index].report.reason = reason
            if options.reference == .index(index) {
                throw .file("\(files[index])", "is to be the reference, but \(reason)")
            }
        } else {
            added.append(index)
        }
        return true
    }

    /// Reads the frames once more that the session forgot to save memory.
    private func giveAgain(
        to session: FusionSession, _ added: [Int], limits: Limits
    ) throws(NightfuseError) {
        for number in session.takeOwed() {
            let file = files[added[number]]
            let frame = try readFrame(file, limits: limits, workers: run.workers)
            guard case .picture(let picture) = frame else { throw .file("\(file)", "is no picture any more") }
            try session.addAgain(picture, number: number)
        }
    }

    /// The same files, those whose headers tell of a longer exposure than the base's at the end: the merge holds long
    /// frames against what the others made. A twentieth is within what tags are rounded by.
    private func longerLast(_ order: [Int], _ base: Double?) -> [Int] {
        guard let base else { return order }
        let long = Set(order.filter { (headers[$0]?.exposureProduct ?? base) > 1.05 * base })
        return order.filter { !long.contains($0) } + order.filter { long.contains($0) }
    }

    /// The same files, with one of the reference's exposure among the first two, which are there when noise is measured.
    private func pairFirst(_ order: [Int], _ exposure: Double?) -> [Int] {
        guard let exposure,
            let pair = order.firstIndex(where: { abs((headers[$0]?.exposureProduct ?? 0) / exposure - 1) < 0.05 }),
            pair > 1
        else { return order }
        return [order[pair]] + order[..<pair] + order[(pair + 1)...]
    }

    /// The reference where it is known before the fusion: as asked, or with `best` the sharpest of all frames, which are
    /// then read twice. Raw frames keep to the first three: telling them apart wants them developed.
    private func chosenReference(ahead: Bool, limits: Limits) throws(NightfuseError) -> Int? {
        if case .index(let wanted) = options.reference { return wanted }
        guard options.qualityMode == .best, files.count > FusionSession.mostHeld else { return nil }
        let chooser = ReferenceChooser(baseExposureProduct: options.baseExposureProduct, workers: run.workers)
        let workers = run.workers
        let paths = files
        let buffer = FileBuffer()
        buffer.keep()
        let stream = FrameStream(
            count: paths.count, ahead: ahead, helps: workers.threads > 1
        ) { (index) throws(NightfuseError) in
            try readFrame(paths[index], limits: limits, workers: workers, buffer: buffer)
        }
        defer { stream.stop() }
        while let (index, frame) = stream.next() {
            // What cannot be read is told, or ends the run, when it is fused.
            if case .success(.picture(let picture)) = frame { try chooser.consider(picture, index: index) }
        }
        return chooser.choice
    }

    /// Gives the frame to the session; the reason where that could not be, and the run goes on.
    private func add(
        _ decoded: Result<Decoded, NightfuseError>, _ index: Int, to session: FusionSession, _ outcome: inout Outcome
    ) throws(NightfuseError) -> String? {
        let frame: Frame
        do throws(NightfuseError) {
            let read = try decoded.get()
            frame = read.frame
            outcome.frames[index].thumbnail = read.thumbnail
        } catch {
            // Alone, or under --strict, it is the run's own error.
            if run.strict || files.count == 1 { throw error }
            progress?.clear()
            run.warn("\(error); left out")
            return "cannot be read: " + error.reasonOnly
        }
        let facts = FrameFacts(frame)
        outcome.frames[index].facts = facts
        outcome.frames[index].report.exposureSeconds = facts.info.exposureSeconds
        outcome.frames[index].report.iso = facts.info.iso
        do throws(NightfuseError) {
            switch frame {
            case .picture(let picture): try session.add(picture)
            case .raw(let raw): try session.add(raw)
            }
            return nil
        } catch {
            if misfit == .endsTheRun { throw error }
            return error.reasonOnly
        }
    }

    private func finish(_ session: FusionSession, _ added: [Int], _ outcome: inout Outcome) throws(NightfuseError) {
        let result = try session.finish()
        for (index, report) in zip(added, result.frames) {
            outcome.frames[index].report = report
            outcome.frames[index].report.name = "\(files[index])"
            outcome.frames[index].isMeasured = true
        }
        outcome.reference = added[result.reference]
        outcome.result = result
    }
}

extension Frame {
    /// A small picture for a table; none of raw frames, which would have to be developed.
    fileprivate func thumbnail() throws(NightfuseError) -> EmbeddedImage? {
        guard case .picture(let picture) = self else { return nil }
        return try EmbeddedImage(picture, longSide: ReportSize.frame, quality: 80)
    }
}
