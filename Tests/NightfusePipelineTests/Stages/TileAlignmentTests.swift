import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Tile alignment")
struct TileAlignmentTests {
    private static let noise = NoiseModel(shot: 1e-3, read: 5e-3)

    /// A burst of a still scene with a box of 72 x 64 before it.
    private func burst(level: Double) -> (TestBurst, TestBurst.Mover) {
        let (w, h) = (224, 160)
        return (
            TestBurst(
                width: w, height: h, scene: TestScene(seed: 8, level: level, width: w, height: h), noise: Self.noise),
            TestBurst.Mover(
                scene: TestScene(seed: 31, level: level * 1.5, width: 72, height: 64), x: 60, y: 50, width: 72,
                height: 64)
        )
    }

    /// Median distance from the truth, pixels, inside the box where it stood first and outside of where it was and went.
    private func errors(
        _ field: AlignmentField, _ mover: TestBurst.Mover, by x: Double, _ y: Double
    ) -> (mover: Double, still: Double) {
        var (inside, outside): ([Double], [Double]) = ([], [])
        var (xs, ys) = ([Float](repeating: 0, count: field.width), [Float](repeating: 0, count: field.width))
        for row in stride(from: 4, to: field.height, by: 8) {
            xs.withMutableRow { xs in
                ys.withMutableRow { ys in
                    field.positions(row: row, from: 0, count: field.width, level: 0, xs: xs, ys: ys)
                }
            }
            for column in stride(from: 4, to: field.width, by: 8) {
                let (u, v) = (Double(column), Double(row))
                let isInside =
                    u > mover.x && v > mover.y && u < mover.x + mover.width && v < mover.y + mover.height
                let isFar =
                    u < mover.x - 8 || v < mover.y - 8 || u > mover.x + mover.width + 8 + x
                    || v > mover.y + mover.height + 8 + y
                let (dx, dy) = (
                    Double(xs[column]) - u - (isInside ? x : 0), Double(ys[column]) - v - (isInside ? y : 0)
                )
                let error = (dx * dx + dy * dy).squareRoot()
                if isInside { inside.append(error) } else if isFar { outside.append(error) }
            }
        }
        return (inside.sorted()[inside.count / 2], outside.sorted()[outside.count / 2])
    }

    /// Positions of every fourth sample, which are worked out cell by cell, against those of every sample.
    @Test(arguments: [4, 8, 16, 64], [0, 1])
    func positionsDoNotHangOnTheStep(spacing: Int, level: Int) {
        var field = AlignmentField(
            homography: Homography([1.001, 0.002, 0.003, -0.002, 0.999, 0.001, 1e-4, -2e-4, 1]), width: 331, height: 70)
        field.spacing = spacing
        (field.columns, field.rows) = ((331 + spacing - 1) / spacing, (70 + spacing - 1) / spacing)
        var random = SeededRandom(seed: 5)
        for _ in 0..<field.columns * field.rows {
            // Some cells are split, most are not.
            field.localX.append(Float(random.normal() * 0.4))
            field.localY.append(Float(random.normal() * 0.4))
        }
        let (count, coarse) = (331 >> level, (331 >> level) / 4)
        for row in [0, 3, 31, (70 >> level) - 1] {
            var (xs, ys) = ([Float](repeating: 0, count: count), [Float](repeating: 0, count: count))
            var (us, vs) = ([Float](repeating: 0, count: coarse), [Float](repeating: 0, count: coarse))
            xs.withMutableRow { xs in
                ys.withMutableRow { field.positions(row: row, from: 0, count: count, level: level, xs: xs, ys: $0) }
            }
            us.withMutableRow { us in
                vs.withMutableRow {
                    field.positions(row: row, from: 0, step: 4, count: coarse, level: level, xs: us, ys: $0)
                }
            }
            for k in 0..<coarse {
                #expect(abs(us[k] - xs[4 * k]) < 1e-3 && abs(vs[k] - ys[4 * k]) < 1e-3, "\(k) of row \(row)")
            }
        }
    }

    /// The field of each of `count` frames, in which the box goes on by (x, y) from frame to frame; the last frame has
    /// `exposure` times the reference's.
    private func fields(
        _ x: Double, _ y: Double, count: Int, level: Double, exposure: Double = 1
    ) throws -> [AlignmentField] {
        let (burst, mover) = burst(level: level)
        func frame(_ index: Int) throws -> FrameData {
            var shot = TestBurst.Shot()
            shot.mover = mover
            shot.mover?.x += x * Double(index)
            shot.mover?.y += y * Double(index)
            if index == count { shot.exposure = exposure }
            let frame = FrameData(picture: try burst.frame(shot, seed: UInt64(index + 1)))
            // Raw: a picture's long exposure is merged by frequency, and follows what it can.
            return FrameData(
                samples: frame.samples, linear: frame.linear, name: frame.name, info: frame.info,
                whiteClip: frame.whiteClip, clippedAtBlack: true, blackGains: exposure == 1 ? [] : [1, 1, 1])
        }
        let reference = try frame(0)
        var noise = NoiseEstimation(frame: reference)
        noise.channels = [burst.noise, burst.noise, burst.noise]
        let fusion = try Fusion(reference: reference, partners: [], known: noise, workers: Workers(threads: 2))
        return try (1...count).map { try fusion.add(frame($0)).field }
    }

    @Test(arguments: [(3.0, -2.0), (5.5, 1.5), (-4.0, 4.0)])
    func whatMovesHasVectorsOfItsOwn(x: Double, y: Double) throws {
        let (_, mover) = burst(level: 0.08)
        let field = try fields(x, y, count: 1, level: 0.08)[0]
        let error = errors(field, mover, by: x, y)
        #expect(error.mover < 0.3 && error.still < 0.1, "\(error)")
    }

    @Test func whatGoesOnIsFollowedFartherThanItIsSearchedFor() throws {
        let (x, y) = (9.0, 4.0)
        let (_, mover) = burst(level: 0.08)
        let fields = try fields(x, y, count: 5, level: 0.08)
        for (index, field) in fields.enumerated() {
            let error = errors(field, mover, by: x * Double(index + 1), y * Double(index + 1))
            #expect(error.mover < 0.5, "frame \(index + 1): \(error)")
        }
    }

    @Test func aLongExposureIsNotAlignedToWhatItSmears() throws {
        // Twelve pixels in three frames, of which the last is four times as long: five pixels of smear or more.
        let (x, y) = (4.0, 0.0)
        let (_, mover) = burst(level: 0.04)
        let field = try fields(x, y, count: 3, level: 0.04, exposure: 4)[2]
        #expect(errors(field, mover, by: 0, 0).mover < 0.1, "\(errors(field, mover, by: 0, 0))")
        // What drifts slowly is hardly smeared, and followed.
        let slow = try fields(0.4, 0, count: 3, level: 0.04, exposure: 4)[2]
        #expect(errors(slow, mover, by: 1.2, 0).mover < 0.4, "\(errors(slow, mover, by: 1.2, 0))")
    }

    @Test func noiseAloneMovesNoTile() throws {
        // So dark that a pixel's signal is a fifth of its noise, and nothing moves.
        for field in try fields(0, 0, count: 3, level: 0.001) {
            let moved = zip(field.localX, field.localY).filter { $0 != 0 || $1 != 0 }.count
            #expect(moved * 20 <= field.localX.count, "\(moved) of \(field.localX.count) nodes")
        }
    }
}
