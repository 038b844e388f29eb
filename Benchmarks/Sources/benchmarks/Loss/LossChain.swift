internal import NightfuseCore
internal import NightfuseKernels
internal import NightfusePipeline

/// One burst at one noise level, fused again and again with one stage after the other taken from its limit to what it is:
/// the difference of two neighbours is what that stage loses.
struct LossChain {
    let burst: KnownBurst
    let level: NoiseLevel
    let workers: Workers
    private let frames: [FrameData]
    private let noise: NoiseEstimation
    private let kernel: WarpKernel

    init(_ burst: KnownBurst, _ level: NoiseLevel, seed: UInt64, workers: Workers) throws(NightfuseError) {
        (self.burst, self.level, self.workers) = (burst, level, workers)
        var frames: [FrameData] = []
        for (i, clean) in burst.clean.enumerated() {
            frames.append(try level.frame(clean, seed: seed &* 64 &+ UInt64(i), workers: workers))
        }
        self.frames = frames
        noise = level.estimation(like: frames[0])
        kernel = Fusion.kernel(frames[0])
    }

    /// The chain's scores, each with one more stage as it is.
    struct Scores {
        /// Every frame without motion and in place, all of it used, and each patch's coefficients weighed by the clean
        /// picture's own: no filter of patches can do better.
        var limit: LossScore
        /// The same, denoised by the pipeline's filter.
        var denoised: LossScore
        /// Frames that moved, resampled by the true motion, merged where the same thing is seen.
        var resampled: LossScore
        /// Merged by the pipeline's own judgement, aligned by the true motion.
        var merged: LossScore
        /// The alignment found, the noise known.
        var aligned: LossScore
        /// All found and measured: what a burst of files gets.
        var whole: LossScore
    }

    func scores(seed: UInt64) throws(NightfuseError) -> (scores: Scores, facts: AlignmentFacts) {
        let still = try inPlace(seed: seed)
        let limit = try score(still.oracle(clean: burst.clean[0], level: level, workers: workers))
        let denoised = try score(still.restored(workers: workers))
        let resampled = try score(warped().restored(workers: workers))
        let trueWay = try Fusion(reference: frames[0], partners: [], known: noise, workers: workers)
        for i in 1..<frames.count { _ = try trueWay.add(frames[i], alignment: burst.field(frame: i)) }
        let merged = try score(trueWay.finish(strength: 1, mode: .fast).image)
        let found = try Fusion(reference: frames[0], partners: [], known: noise, workers: workers)
        var facts = AlignmentFacts()
        for i in 1..<frames.count {
            let before = try found.merged.weight.copy()
            let outcome = try found.add(frames[i])
            facts.note(burst, frame: i, field: outcome.field)
            try facts.note(
                burst, frame: i, field: outcome.field, before: before, after: found.merged.weight, level: level,
                kernel: kernel.kernel)
        }
        let aligned = try score(found.finish(strength: 1, mode: .fast).image)
        let blind = try Fusion(
            reference: frames[0], partners: Array(frames[1..<min(3, frames.count)]), workers: workers)
        for i in 1..<frames.count { _ = try blind.add(frames[i]) }
        let whole = try score(blind.finish(strength: 1, mode: .fast).image)
        return (
            Scores(
                limit: limit, denoised: denoised, resampled: resampled, merged: merged, aligned: aligned, whole: whole),
            facts
        )
    }

    private func score(_ image: LinearImage) throws(NightfuseError) -> LossScore {
        LossScore(image.planes, white: level.white, burst: burst)
    }

    /// Frames that did not move, each with noise of its own, merged wherever the moved ones would show the same.
    private func inPlace(seed: UInt64) throws(NightfuseError) -> PlainMerge {
        let merge = try PlainMerge(frames[0], noise: noise, kernel: kernel, frames: frames.count, workers: workers)
        var line = [Float](repeating: 0, count: burst.width)
        for i in 1..<frames.count {
            let frame = try level.frame(burst.clean[0], seed: seed &* 64 &+ UInt64(32 + i), workers: workers)
            for y in 0..<burst.height {
                let seen = (0..<burst.width).map { burst.isSeen($0, y, frame: i) }
                for c in 0..<3 {
                    line.withMutableRow {
                        frame.linearRow(
                            channel: c, y: y, from: 0, count: burst.width, into: $0)
                    }
                    merge.add(line, seen, channel: c, y: y)
                }
            }
        }
        return merge
    }

    /// The frames resampled by the true motion, merged wherever they show the same.
    private func warped() throws(NightfuseError) -> PlainMerge {
        let merge = try PlainMerge(frames[0], noise: noise, kernel: kernel, frames: frames.count, workers: workers)
        var line = [Float](repeating: 0, count: burst.width)
        for i in 1..<frames.count {
            let sources = try frames[i].paddedPlanes()
            for y in 0..<burst.height {
                let places = (0..<burst.width).map { burst.position($0, y, frame: i) }
                let seen = (0..<burst.width).map { burst.isSeen($0, y, frame: i) }
                let (xs, ys) = (places.map { Float($0.x) }, places.map { Float($0.y) })
                for c in 0..<3 {
                    line.withMutableRow {
                        sources[c].sample(xs, ys, kernel: kernel.kernel, into: $0)
                    }
                    merge.add(line, seen, channel: c, y: y)
                }
            }
        }
        return merge
    }
}

extension FrameData {
    /// Linear light, to be sampled anywhere.
    fileprivate func paddedPlanes() throws(NightfuseError) -> [PaddedPlane] {
        var planes: [PaddedPlane] = []
        for c in 0..<3 {
            let plane = try Plane<Float>(width: width, height: height)
            for y in 0..<height { linearRow(channel: c, y: y, from: 0, count: width, into: plane.mutableRow(y)) }
            planes.append(try PaddedPlane(plane))
        }
        return planes
    }
}
