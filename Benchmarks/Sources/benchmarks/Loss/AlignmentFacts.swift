internal import NightfuseCore
internal import NightfuseKernels
internal import NightfusePipeline

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What was found of the motion, and what was merged, against what is known.
struct AlignmentFacts {
    /// Of one part of the picture.
    struct Part {
        /// Distances from the true positions, pixels: by the global model alone, and with the tiles.
        var global: [Double] = []
        var tiles: [Double] = []
        /// Sums of trust withheld where merging would have helped, and given where it harmed, with their pixels.
        fileprivate var rejected = (sum: 0.0, pixels: 0)
        fileprivate var merged = (sum: 0.0, pixels: 0)

        /// Of all samples that would have helped, the share that was not merged.
        var falselyRejected: Double { rejected.sum / Double(max(rejected.pixels, 1)) }
        /// Of all samples, those that would harm.
        var harmful: Double { Double(merged.pixels) / Double(max(merged.pixels + rejected.pixels, 1)) }
        /// Of those that would harm, the share that was merged.
        var falselyMerged: Double { merged.sum / Double(max(merged.pixels, 1)) }

        fileprivate mutating func note(_ helps: Bool, trust: Double) {
            if helps {
                rejected = (rejected.sum + 1 - trust, rejected.pixels + 1)
            } else {
                merged = (merged.sum + trust, merged.pixels + 1)
            }
        }

        mutating func add(_ other: Part) {
            global += other.global
            tiles += other.tiles
            rejected = (rejected.sum + other.rejected.sum, rejected.pixels + other.rejected.pixels)
            merged = (merged.sum + other.merged.sum, merged.pixels + other.merged.pixels)
        }
    }

    var still = Part()
    /// What moves by itself, its edge included where merging is judged.
    var mover = Part()

    mutating func add(_ other: AlignmentFacts) {
        still.add(other.still)
        mover.add(other.mover)
    }

    static func quantile(_ values: [Double], _ share: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]
    }

    /// Notes how far an alignment is from the truth, on every fourth pixel each way that the frame shows.
    mutating func note(_ burst: KnownBurst, frame: Int, field: AlignmentField) {
        var (xs, ys) = ([Float](repeating: 0, count: burst.width), [Float](repeating: 0, count: burst.width))
        for y in stride(from: 2, to: burst.height, by: 4) {
            field.positions(row: y, xs: &xs, ys: &ys)
            for x in stride(from: 2, to: burst.width, by: 4) where burst.isSeen(x, y, frame: frame) {
                let p = burst.position(x, y, frame: frame)
                let q = field.global(Double(x), Double(y))
                let tiles = hypot(Double(xs[x]) - p.x, Double(ys[x]) - p.y)
                switch burst.part(x, y) {
                case .still:
                    still.global.append(hypot(q.x - p.x, q.y - p.y))
                    still.tiles.append(tiles)
                case .mover:
                    mover.global.append(hypot(q.x - p.x, q.y - p.y))
                    mover.tiles.append(tiles)
                case .edge: break
                }
            }
        }
    }

    /// Notes what was merged of a frame: `before` and `after` are the merge's sums of weights, one a block of 2 x 2.
    ///
    /// Without noise, would the frame, resampled by the alignment found, differ from the first by less than the noise of
    /// one frame (rms over the colours)? Then merging it lowers the mean squared error, else it raises it: n frames of
    /// variance v and a last one that is off by d err by v / n without it and by v / (n + 1) + d^2 / (n + 1)^2 with it, which is
    /// less where d^2 < v (n + 1) / n.
    mutating func note(
        _ burst: KnownBurst, frame: Int, field: AlignmentField, before: Plane<Float>, after: Plane<Float>,
        level: NoiseLevel, kernel: InterpolationKernel
    ) throws(NightfuseError) {
        let w = burst.width
        let sources = try burst.clean[frame].map { (plane) throws(NightfuseError) in try PaddedPlane(plane) }
        var (xs, ys) = ([Float](repeating: 0, count: w), [Float](repeating: 0, count: w))
        var line = xs
        for y in 0..<burst.height {
            field.positions(row: y, xs: &xs, ys: &ys)
            var error = [Double](repeating: 0, count: w)
            for c in 0..<3 {
                line.withMutableRow {
                    sources[c].sample(xs, ys, kernel: kernel, into: $0)
                }
                for x in 0..<w {
                    let clean = Double(burst.clean[0][c].row(y)[x])
                    let d = (Double(line[x]) - clean) * level.white
                    error[x] += d * d / level.noise.variance(clean * level.white) / 3
                }
            }
            for x in 0..<w {
                let inside =
                    xs[x] >= 0 && ys[x] >= 0 && xs[x] <= Float(w - 1) && ys[x] <= Float(burst.height - 1)
                guard inside else { continue }
                let trust = Double(after.row(y / 2)[x / 2] - before.row(y / 2)[x / 2])
                if burst.part(x, y) == .still {
                    still.note(error[x] < 1, trust: trust)
                } else {
                    mover.note(error[x] < 1, trust: trust)
                }
            }
        }
    }
}

extension AlignmentField {
    /// Full-size positions of a whole row.
    func positions(row: Int, xs: inout [Float], ys: inout [Float]) {
        xs.withMutableRow { x in
            ys.withMutableRow { y in
                positions(
                    row: row, from: 0, count: width, level: 0, xs: x,
                    ys: y)
            }
        }
    }
}
