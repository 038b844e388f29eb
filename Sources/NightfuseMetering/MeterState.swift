internal import NightfuseCore

/// What a meter remembers, all of it allocated at the first frame.
final class MeterState {
    let width: Int
    let height: Int
    let intake: PreviewIntake
    private(set) var time = -Double.infinity
    private(set) var trajectory = Trajectory()
    private(set) var noise = NoiseCurve()
    let field: MotionField
    let ring: FrameRing
    let radiance: RadianceMeter
    let flicker: FlickerMeter
    /// Whether it is dark, as last decided.
    private(set) var isNight: Bool?
    /// Whether the camera stood still when that was last asked.
    var isSteady = false
    /// Mean squared slope of the coded picture (full scale 1, a sample), noise taken out: at level 0 and at level 1.
    private(set) var slopes = (fine: 0.0, coarse: 0.0)
    private var slopeFrames = 0.0

    private let aligner: FrameAligner
    private let raw: WorkPyramid
    private let rough: WorkPyramid
    /// The running mean of the aligned frames, and one more to move it with.
    private var reference: WorkPyramid
    private var spare: WorkPyramid
    private var referenceFrames: Float = 0
    /// Where the reference's (0, 0) lies, in samples of the view that it began with; multiples of ``originStep``.
    private var originX = 0
    private var originY = 0
    /// The camera's motion before that view.
    private var baseX = 0.0
    private var baseY = 0.0
    private var baseRoll = 0.0
    /// The last frame's motion against the reference.
    private var motion = RigidMotion()

    private let grid: TileGrid
    /// Brightness of the reference's tiles.
    private let codes: Tiles<Float>
    private let seenCodes: Tiles<Float>
    private let seenSquares: Tiles<Float>
    private let scratch: Tiles<Float>

    /// Frames that the reference averages at most.
    private static let referenceMost: Float = 12
    /// The reference follows the camera in steps of so many samples: a whole number of tiles at every level.
    private static let originStep = 32
    /// Shift at which it does; above half a step, so that it does not go to and fro.
    private static let originReach: Float = 20
    /// Turn (radians) and share of the view left at which a new reference is begun: tiles only shift, and turn by so
    /// little that their corners stay within a third of a sample.
    private static let mostRoll: Float = 0.03
    private static let leastShare: Float = 0.4

    init(width: Int, height: Int) throws(NightfuseError) {
        (self.width, self.height) = (width, height)
        intake = try PreviewIntake(width: width, height: height)
        let (w, h) = (intake.workWidth, intake.workHeight)
        raw = try WorkPyramid(width: w, height: h)
        rough = try WorkPyramid(width: w, height: h)
        reference = try WorkPyramid(width: w, height: h)
        spare = try WorkPyramid(width: w, height: h)
        aligner = try FrameAligner(width: w, height: h)
        field = MotionField(width: w, height: h)
        ring = try FrameRing(width: w, height: h)
        radiance = RadianceMeter(workWidth: w, workHeight: h)
        flicker = FlickerMeter(workHeight: h)
        grid = TileGrid(width: w, height: h, level: 0)
        codes = Tiles(grid.count, 0)
        seenCodes = Tiles(grid.count, 0)
        seenSquares = Tiles(grid.count, 0)
        scratch = Tiles(grid.count, 0)
    }

    func add(_ buffer: PreviewBuffer, _ tags: PreviewTags) {
        let elapsed = tags.timeSeconds - time
        time = tags.timeSeconds
        intake.reduce(buffer, into: rough[0])
        raw[0].smooth(rough[0])
        raw.build(through: rough)
        if elapsed > Trajectory.memory {
            trajectory.removeAll()
            isSteady = false
            field.reset()
            radiance.reset()
            flicker.reset()
            (baseX, baseY, baseRoll) = (0, 0, 0)
            begin(FramePose(sigma: 0.02, rollSigma: 1e-4))
        } else {
            follow(elapsed: elapsed)
        }
        let product = Float(tags.exposureSeconds * tags.iso / 100)
        radiance.add(buffer, intake: intake, product: product, elapsed: elapsed)
        decideNight()
        flicker.add(raw[0], time: time, exposure: tags.exposureSeconds, product: product, shift: Float(totalY))
    }

    /// Makes the frame just taken in the reference; its place is known as well as `pose` says.
    private func begin(_ pose: FramePose) {
        reference.copy(from: raw)
        referenceFrames = 1
        motion = RigidMotion()
        (originX, originY) = (0, 0)
        ring.removeAll()
        let frame = ring.next
        _ = frame.warp(raw[0], by: motion, outside: reference[0])
        frame.rest = RigidMotion()
        frame.picture.build(through: rough)
        record(frame, pose)
    }

    private func follow(elapsed: Double) {
        let v = trajectory.lastVelocity
        let guess = RigidMotion(
            x: motion.x + Float(v.x * elapsed), y: motion.y + Float(v.y * elapsed), roll: motion.roll)
        let frame = ring.next
        let coarse = aligner.align(raw, to: reference, guess: guess, noise: noise, referenceShare: 1 / referenceFrames)
        var used = coarse.motion
        var share = frame.warp(raw[0], by: used, outside: reference[0])
        var pose = refine(frame, at: used)
        if abs(pose.motion.x - used.x) + abs(pose.motion.y - used.y) > 0.25, pose.sigma < coarse.sigma {
            used = pose.motion
            share = frame.warp(raw[0], by: used, outside: reference[0])
            pose = refine(frame, at: used)
        }
        if pose.sigma > coarse.sigma { pose = coarse }
        motion = pose.motion
        frame.rest = RigidMotion(x: motion.x - used.x, y: motion.y - used.y, roll: motion.roll - used.roll)
        guard share > Self.leastShare, abs(motion.roll) < Self.mostRoll else {
            (baseX, baseY, baseRoll) = (totalX, totalY, baseRoll + Double(motion.roll))
            begin(pose)
            return
        }
        frame.picture.build(through: rough)
        (frame.time, frame.originX, frame.originY) = (time, originX, originY)
        learnNoise(frame)
        learnSlopes()
        field.add(frame, ring: ring, noise: noise, codes: codes, elapsed: elapsed)
        referenceFrames = min(referenceFrames + 1, Self.referenceMost)
        reference.approach(frame.picture, share: 1 / referenceFrames)
        record(frame, pose)
        if max(abs(motion.x), abs(motion.y)) > Self.originReach { moveReference() }
    }

    /// Between the two thresholds it stays as it was.
    private func decideNight() {
        let light = Double(radiance.meanLight)
        let middle = (PreviewMeter.nightOnLuminance * PreviewMeter.nightOffLuminance).squareRoot()
        switch isNight {
        case nil: isNight = light < middle
        case true?: isNight = light <= PreviewMeter.nightOffLuminance
        case false?: isNight = light < PreviewMeter.nightOnLuminance
        }
    }

    /// Takes in the slopes that the aligner has just measured.
    private func learnSlopes() {
        let fine = aligner.meanSlope(level: 0)
        let coarse = aligner.coarseSlope
        guard fine > 0, coarse > 0 else { return }
        slopeFrames = min(slopeFrames + 1, 12)
        slopes.fine += (fine - slopes.fine) / slopeFrames
        slopes.coarse += (coarse - slopes.coarse) / slopeFrames
    }

    private var totalX: Double { baseX + Double(motion.x) - Double(originX) }
    private var totalY: Double { baseY + Double(motion.y) - Double(originY) }

    private func refine(_ frame: AlignedFrame, at motion: RigidMotion) -> FramePose {
        aligner.step(
            frame.picture, reference, level: 0, at: motion, noise: noise, share: 1 + 1 / referenceFrames,
            withRoll: true,
            warpedValid: frame.valid)
    }

    private func record(_ frame: AlignedFrame, _ pose: FramePose) {
        (frame.time, frame.originX, frame.originY) = (time, originX, originY)
        if ring.count == 0 || time - ring[ring.count - 1].time >= FrameRing.shortestStep {
            ring.keep(age: Trajectory.memory)
        }
        trajectory.add(
            Trajectory.Sample(
                time: time, x: totalX, y: totalY, roll: baseRoll + Double(motion.roll), sigma: Double(pose.sigma),
                rollSigma: Double(pose.rollSigma)))
    }

    /// Brings the reference's place nearer to the camera's by a step; what comes into view is taken from the last frame.
    private func moveReference() {
        let step = Float(Self.originStep)
        let sx = abs(motion.x) > Self.originReach ? (motion.x > 0 ? -step : step) : 0
        let sy = abs(motion.y) > Self.originReach ? (motion.y > 0 ? -step : step) : 0
        motion.x += sx
        motion.y += sy
        originX += Int(sx)
        originY += Int(sy)
        let fresh = ring.next
        _ = fresh.warp(raw[0], by: motion, outside: reference[0])
        fresh.picture.build(through: rough)
        spare.copy(from: fresh.picture)
        for level in 0..<WorkPyramid.levels {
            spare[level].take(reference[level], shiftX: Int(sx) >> level, shiftY: Int(sy) >> level)
        }
        swap(&spare, &reference)
        field.shift(byX: Int(sx), y: Int(sy))
    }

    private func learnNoise(_ frame: AlignedFrame) {
        let coarse = reference[2]
        let side = grid.side / 4
        for row in 0..<grid.rows {
            for column in 0..<grid.columns {
                var sum: Float = 0
                for y in 0..<side { for x in 0..<side { sum += coarse.row(row * side + y)[column * side + x] } }
                codes[row * grid.columns + column] = sum / Float(side * side)
            }
        }
        var n = 0
        for i in 0..<grid.count where frame.valid[i] {
            seenCodes[n] = codes[i]
            seenSquares[n] = aligner.sums[i].dd / aligner.sums[i].n / (1 + 1 / referenceFrames)
            n += 1
        }
        noise.learn(code: seenCodes, square: seenSquares, count: n, scratch: scratch)
    }
}
