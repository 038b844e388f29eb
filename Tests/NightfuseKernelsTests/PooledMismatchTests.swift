import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Mismatch over blocks")
struct PooledMismatchTests {
    @Test(arguments: InterestingSizes.all)
    func blocksSumTwoByTwoPixelsAndRepeatAnOddLastColumn(width: Int) throws {
        let (a, b) = (try PaintedPlane.random(width, 2, seed: 1), try PaintedPlane.random(width, 2, seed: 2))
        let half = (width + 1) / 2
        var line = [Float](repeating: 0, count: 2 * width + 2)
        var (squares, means, sums) = (
            [Float](repeating: PaintedPlane.mark, count: half + 1),
            [Float](repeating: PaintedPlane.mark, count: half + 1),
            [Float](repeating: PaintedPlane.mark, count: half + 1)
        )
        line.withMutableRow { line in
            squares.withMutableRow { squares in
                means.withMutableRow { means in
                    poolMismatch(
                        (a.row(0), a.row(1)), (b.row(0), b.row(1)), width: width, line: line, squares: squares,
                        means: means)
                }
            }
        }
        line.withMutableRow { line in
            sums.withMutableRow { sums in
                poolRow((a.row(0), a.row(1)), width: width, line: line, into: sums)
            }
        }
        for j in 0..<half {
            var (square, mean, sum) = (Float(0), Float(0), Float(0))
            for y in 0..<2 {
                for x in [2 * j, min(2 * j + 1, width - 1)] {
                    let d = a[x, y] - b[x, y]
                    square += d * d
                    mean += (a[x, y] + b[x, y]) / 2
                    sum += a[x, y]
                }
            }
            #expect(abs(squares[j] - square) < 1e-4)
            #expect(abs(means[j] - mean) < 1e-5)
            #expect(abs(sums[j] - sum) < 1e-5)
        }
        #expect(
            squares[half] == PaintedPlane.mark && means[half] == PaintedPlane.mark && sums[half] == PaintedPlane.mark)
    }

    @Test(arguments: InterestingSizes.all)
    func misfitIsTheMeanSquareOverWhatIsExpected(count: Int) throws {
        let squares = try PaintedPlane.random(count, 3, seed: 3)
        let means = try PaintedPlane.random(count, 3, seed: 4)
        for y in 0..<3 { for x in 0..<count { squares[x, y] = abs(squares[x, y]) } }
        let curve = VarianceCurve(table: [0.01, 0.02, 0.05], reach: 0.2, shot: 0.2, readSquared: 0.01)
        let model = MismatchModel(own: curve, other: curve, gain: 0.8, slack2: 0.3)
        var line = [Float](repeating: 0, count: 6 * (count + 2))
        var out = [Float](repeating: 0.5, count: count + 1)
        var bare = [Float](repeating: 0.5, count: count + 1)
        func rows(_ p: Plane<Float>) -> BlockRows { .init(above: p.row(0), here: p.row(1), below: p.row(2)) }
        line.withMutableRow { line in
            out.withMutableRow { out in
                bare.withMutableRow { bare in
                    addMisfitRow(
                        squares: rows(squares), means: rows(means), count: count, model: model, share: 0.25, line: line,
                        into: (out, bare))
                }
            }
        }
        func at(_ p: Plane<Float>, _ x: Int, _ y: Int) -> Float { p[min(max(x, 0), count - 1), y] }
        for x in 0..<count {
            var (square, mean) = (Float(0), Float(0))
            for y in 0..<3 {
                for d in -1...1 { (square, mean) = (square + at(squares, x + d, y), mean + at(means, x + d, y)) }
            }
            let gx = (0..<3).reduce(Float(0)) { $0 + at(means, x + 1, $1) - at(means, x - 1, $1) } / 48
            let gy = (-1...1).reduce(Float(0)) { $0 + at(means, x + $1, 2) - at(means, x + $1, 0) } / 48
            var variance = Float(0)
            [mean / 36].withRow { mean in
                withRoom(of: Float.self, count: 1) { out in
                    curve.apply(mean, count: 1, into: out)
                    variance = out[0]
                }
            }
            let truth = 0.5 + 0.25 * (square / 36) / (variance * 1.8 + 0.3 * (gx * gx + gy * gy))
            // Edges repeat the sum of three rows, so their slope along the row is against themselves.
            #expect(abs(out[x] - truth) < 2e-3 * max(truth, 1), "block \(x)")
            let noiseOnly = 0.5 + 0.25 * (square / 36) / (variance * 1.8)
            #expect(abs(bare[x] - noiseOnly) < 2e-3 * max(noiseOnly, 1), "block \(x)")
        }
        #expect(out[count] == 0.5 && bare[count] == 0.5)
    }

    @Test(arguments: InterestingSizes.all)
    func aDoubledRowRepeatsEveryValue(count: Int) {
        let input = (0..<(count + 1) / 2).map { Float($0) }
        var out = [Float](repeating: PaintedPlane.mark, count: count + 1)
        input.withRow { input in
            out.withMutableRow { out in
                doubleRow(input, count: count, into: out)
            }
        }
        for x in 0..<count { #expect(out[x] == Float(x / 2)) }
        #expect(out[count] == PaintedPlane.mark)
    }

    @Test(arguments: [1, 2, 3, 10, 1000], [0, 1, 2])
    func aSelectedRankIsTheSortedOne(count: Int, kind: Int) {
        var random = SeededRandom(seed: UInt64(count))
        // Scattered, all alike, rising.
        let values = (0..<count).map { kind == 0 ? Float(random.uniform()) : kind == 1 ? 7 : Float($0) }
        let sorted = values.sorted()
        for rank in Set([0, count / 3, count / 2, count - 1]) {
            var copy = values
            #expect(select(rank, of: &copy) == sorted[rank])
        }
        var copy = values
        #expect(median(&copy) == sorted[count / 2])
    }
}
