import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Merge: a tile that jumped far")
struct FarTileTests {
    /// Noise that repeats after 300 rows: what lies 600 rows farther is the same.
    private func picture() throws -> Picture {
        var random = SeededRandom(seed: 4)
        let row = (0..<300 * 264).map { _ in UInt16(60 + random.next() % 40) }
        let plane = try Plane<UInt16>(width: 264, height: 900)
        for y in 0..<900 { for x in 0..<264 { plane[x, y] = row[y % 300 * 264 + x] } }
        return Picture(planes: [plane, plane, plane], maxCode: 255, bits: 8, name: "repeating")
    }

    @Test("Its samples are fetched from where they are, and no others are touched")
    func far() throws {
        let frame = FrameData(picture: try picture())
        let noise = [NoiseModel](repeating: NoiseModel(shot: 1e-4, read: 0.01), count: 3)
        let workers = Workers(threads: 2)
        let merge = try Merge(reference: frame, noise: noise, kernel: .lanczos(lobes: 3), workers: workers)
        var field = AlignmentField(homography: .identity, width: 264, height: 900)
        (field.columns, field.rows) = (4, 14)
        field.localX = [Float](repeating: 0, count: 56)
        field.localY = field.localX
        field.localY[5] = 600
        let item = Merge.Contribution(
            frame: frame, field: field, motion: nil, radianceScale: 1, noise: noise, trust: 1)
        _ = try merge.add(item, tuning: .init(), workers: workers)
        let own = Floats(264)
        var (untrusted, wrong) = (0, 0)
        for y in 0..<900 {
            frame.linearRow(channel: 1, y: y, from: 0, count: 264, into: own.base)
            for x in 0..<264 {
                let weight = merge.weight[x / 2, y / 2]
                // Pixels between nodes on either side of the tile's edge come from between the two, and find little trust.
                let isBeside = abs(x - 64) < 8 || abs(x - 128) < 8 || abs(y - 64) < 4 || abs(y - 128) < 4
                if !isBeside && abs(weight - 2) > 1e-3 { untrusted += 1 }
                let error = abs(merge.sums[1][x, y] / weight - own.base[x])
                if !(error < (isBeside ? 0.1 : 0.002)) { wrong += 1 }
            }
        }
        #expect((untrusted, wrong) == (0, 0))
    }
}
