import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Rows through tables")
struct CurveRowTests {
    private func values(_ count: Int, seed: UInt64, from low: Float, to high: Float) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in low + (high - low) * Float(random.uniform()) }
    }

    /// A table entered at `position`, straight between entries.
    private func entry(_ table: ArraySlice<Float>, _ position: Float) -> Float {
        let k = min(Int(position), table.count - 2)
        let (a, b) = (table[table.startIndex + k], table[table.startIndex + k + 1])
        return a + (b - a) * (position - Float(k))
    }

    @Test(arguments: InterestingSizes.all, [Float(1), 0.5])
    func aStabilisedRowIsTheTableOfTheRootAndStraightBeyond(count: Int, scale: Float) {
        let table = values(33, seed: 1, from: 0, to: 9)
        let input = values(count, seed: 2, from: -1, to: 4)
        // Means from 0.25 to 2 are in the table.
        let step = (2 - Float(0.25)).squareRoot() / 32
        var out = [Float](repeating: PaintedPlane.mark, count: count + 1)
        table.withRow { table in
            let curve = StabiliserArguments(
                table: table, last: 31, floor: 0.25, ceiling: 2, scale: 1 / step, slopeBelow: 3, slopeAbove: 5)
            input.withRow { input in
                out.withMutableRow { stabiliseRow(curve, input, scale: scale, count: count, into: $0) }
            }
        }
        for x in 0..<count {
            let value = input[x] * scale
            let held = min(max(value, 0.25), 2)
            let beyond = (value - held) * (value < held ? 3 : 5)
            let expected = entry(table[...], min((held - 0.25).squareRoot() / step, 32)) + beyond
            // The table rises by up to 9 an entry, and a root may differ by a rounding.
            #expect(abs(out[x] - expected) < 2e-4)
        }
        #expect(out[count] == PaintedPlane.mark)
    }

    @Test(arguments: InterestingSizes.all)
    func anUnbiasedRowStandsBetweenTheTablesOfItsFrames(count: Int) {
        // Tables for 1, 2 and 4 frames, the last once more.
        var tables = values(3 * 16, seed: 3, from: 0, to: 1)
        tables += Array(tables.suffix(16))
        let row = values(count, seed: 4, from: -1, to: 7)
        let frames = values(count, seed: 5, from: 0.5, to: 9)
        var (offsets, rises, out) = ([Int32](repeating: 0, count: count), row, row + [PaintedPlane.mark])
        let variances = frames.map { 1 / $0 }
        variances.withRow { variances in
            offsets.withMutableRow { offsets in
                rises.withMutableRow { rises in
                    frameLevels(variances, last: 2, size: 16, count: count, offsets: offsets, rises: rises)
                }
            }
        }
        tables.withRow { tables in
            offsets.withRow { offsets in
                rises.withRow { rises in
                    out.withMutableRow { out in
                        unbiasRow(tables, size: 16, top: 6, offsets: offsets, rises: rises, count: count, row: out)
                    }
                }
            }
        }
        for x in 0..<count {
            let position = min(max(row[x], 0), 6) * 15 / 6
            let number = min(max(frames[x], 1), 4)
            let level = number >= 4 ? 2 : number >= 2 ? 1 : 0
            let rise = level == 2 ? 0 : number / Float(1 << level) - 1
            let low = entry(tables[(level * 16)..<(level * 16 + 16)], position)
            let high = entry(tables[(level * 16 + 16)..<(level * 16 + 32)], position)
            #expect(abs(out[x] - (low + (high - low) * rise)) < 1e-5)
        }
        #expect(out[count] == PaintedPlane.mark)
    }

    @Test(arguments: InterestingSizes.all)
    func weightsOfBlocksAreAddedOnceWhereAllPixelsAreInside(width: Int) {
        let count = (width + 1) / 2
        let (trust, ratio) = (values(count, seed: 9, from: 0, to: 1), values(count, seed: 10, from: 0.5, to: 3))
        let inside = (0..<2).map { row in
            values(width, seed: UInt64(11 + row), from: 0, to: 1).map { $0 < 0.2 ? Float(0) : 1 }
        }
        let before = values(count, seed: 13, from: 0, to: 2) + [PaintedPlane.mark]
        var (weight, weight2, other) = (before, before, before)
        var (u, a) = (trust + [PaintedPlane.mark], ratio + [PaintedPlane.mark])
        let total = u.withMutableRow { u in
            a.withMutableRow { a in
                weight.withMutableRow { weight in
                    weight2.withMutableRow { weight2 in
                        other.withMutableRow { added(u, a, inside, weight, weight2, $0, width) }
                    }
                }
            }
        }
        var expectedTotal: Float = 0
        for x in 0..<count {
            let pixels = [2 * x, min(2 * x + 1, width - 1)]
            let isInside = inside.allSatisfy { row in pixels.allSatisfy { row[$0] == 1 } }
            let expected = isInside ? trust[x] : 0
            expectedTotal += expected
            #expect(u[x] == expected && abs(a[x] - ratio[x] * expected) < 1e-6)
            #expect(abs(weight[x] - (before[x] + a[x])) < 1e-6 && other[x] == weight[x])
            #expect(abs(weight2[x] - (before[x] + a[x] * u[x])) < 1e-6)
        }
        #expect(abs(total - expectedTotal) < 1e-5 * Float(count + 1))
        #expect([weight, weight2, other, u, a].allSatisfy { $0[count] == PaintedPlane.mark })
    }

    private func added(
        _ trust: MutableRow<Float>, _ ratio: MutableRow<Float>, _ inside: [[Float]], _ weight: MutableRow<Float>,
        _ weight2: MutableRow<Float>, _ other: MutableRow<Float>, _ width: Int
    ) -> Float {
        inside[0].withRow { first in
            inside[1].withRow { second in
                addBlockWeights(
                    BlockWeightArguments(
                        trust: trust, ratio: ratio, inside: (first, second), weight: weight, weight2: weight2,
                        other: other, width: width))
            }
        }
    }
}
