import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Kernels along a row")
struct RowTests {
    private func values(_ count: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Float(random.uniform() * 2 - 1) }
    }

    @Test(arguments: InterestingSizes.all)
    func momentsAreTheSumsTheyAreNamedAfter(count: Int) {
        let (gx, gy, e) = (values(count, seed: 1), values(count, seed: 2), values(count, seed: 3))
        let (w, x) = (values(count, seed: 4).map { abs($0) }, values(count, seed: 5))
        let length = x.count
        let moments = (gx + gy + e + w + x).withRow {
            rowMoments(
                gx: $0, gy: $0 + length, error: $0 + 2 * length, weight: $0 + 3 * length, position: $0 + 4 * length,
                count: count)
        }
        var expected = [Double](repeating: 0, count: 21)
        for i in 0..<count {
            let (a, b, d, p) = (Double(gx[i]), Double(gy[i]), Double(e[i]), Double(x[i]))
            var power = Double(w[i])
            for k in 0..<5 {
                expected[k] += a * a * power
                expected[5 + k] += a * b * power
                expected[10 + k] += b * b * power
                if k < 3 {
                    expected[15 + k] += a * d * power
                    expected[18 + k] += b * d * power
                }
                power *= p
            }
        }
        #expect(moments.count == 21)
        for (a, b) in zip(moments, expected) { #expect(abs(a - b) < 1e-5) }
    }

    @Test(arguments: InterestingSizes.all + [3, 4, 5, 6], [3, 5])
    func boxSumsRepeatTheEdges(count: Int, width: Int) {
        let input = values(count, seed: 6) + [.nan]
        var out = [Float](repeating: PaintedPlane.mark, count: count + 1)
        input.withRow { input in
            out.withMutableRow { out in
                if width == 3 {
                    boxRow3(input, count: count, into: out)
                } else {
                    boxRow5(input, count: count, into: out)
                }
            }
        }
        for x in 0..<count {
            let near = (-width / 2...width / 2).map { Double(input[min(max(x + $0, 0), count - 1)]) }
            #expect(abs(near.reduce(0, +) - Double(out[x])) < 1e-5)
        }
        #expect(out[count] == PaintedPlane.mark)
    }

    @Test func differencesAndWeightedSumsAreTaken() {
        let (a, b, w) = (values(17, seed: 7), values(17, seed: 8), values(17, seed: 9))
        var (squared, mean, sums) = (a, a, b)
        a.withRow { a in
            b.withRow { b in
                squared.withMutableRow { squared in
                    mean.withMutableRow { differenceRow(a, b, count: 17, squared: squared, mean: $0) }
                }
            }
            w.withRow { w in
                sums.withMutableRow { accumulateRow(a, weight: w, count: 17, into: $0) }
            }
        }
        for x in 0..<17 {
            #expect(squared[x] == (a[x] - b[x]) * (a[x] - b[x]) && mean[x] == (a[x] + b[x]) * 0.5)
            #expect(abs(sums[x] - (b[x] + w[x] * a[x])) < 1e-6)
        }
    }

    @Test func aVarianceCurveIsItsTableAndThenALine() {
        let curve = VarianceCurve(table: [1, 2, 4], reach: 0.5, shot: 3, readSquared: 0.25)
        let means: [Float] = [-1, 0, 0.125, 0.25, 0.375, 0.5, 1, 2]
        var out = [Float](repeating: 0, count: means.count)
        means.withRow { input in
            out.withMutableRow { curve.apply(input, count: means.count, into: $0) }
        }
        let expected: [Float] = [1, 1, 1.5, 2, 3, 1.75, 3.25, 6.25]
        for (a, b) in zip(out, expected) { #expect(abs(a - b) < 1e-6) }
    }

    @Test func opponentColourIsATurn() {
        var random = SeededRandom(seed: 10)
        for _ in 0..<50 {
            let v = (0..<3).map { _ in Float(random.normal()) }
            let o = OpponentColour.forward(v[0], v[1], v[2])
            let back = OpponentColour.inverse(o.0, o.1, o.2)
            #expect(abs(back.0 - v[0]) < 1e-5 && abs(back.1 - v[1]) < 1e-5 && abs(back.2 - v[2]) < 1e-5)
            let (before, after) = (v.reduce(0) { $0 + $1 * $1 }, o.0 * o.0 + o.1 * o.1 + o.2 * o.2)
            #expect(abs(before - after) < 1e-4 * max(before, 1))
        }
        let grey = OpponentColour.forward(1, 1, 1)
        #expect(grey.1 == 0 && grey.2 == 0)
    }
}
