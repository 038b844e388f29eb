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
        table.withUnsafeBufferPointer {
            guard let start = $0.baseAddress else { return }
            stabiliseRow(
                StabiliserArguments(
                    table: start, last: 31, floor: 0.25, ceiling: 2, scale: 1 / step, slopeBelow: 3, slopeAbove: 5),
                input, scale: scale, count: count, into: &out)
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
        frameLevels(frames.map { 1 / $0 }, last: 2, size: 16, count: count, offsets: &offsets, rises: &rises)
        tables.withUnsafeBufferPointer {
            guard let start = $0.baseAddress else { return }
            unbiasRow(start, size: 16, top: 6, offsets: offsets, rises: rises, count: count, row: &out)
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

    @Test(arguments: InterestingSizes.all, [Float(0), 10])
    func aWeightedRowIsAddedOnce(count: Int, ramp: Float) {
        let samples = (0..<3).map { values(count, seed: UInt64(6 + $0), from: 0, to: 1) }
        let (trust, ratio) = (values(count, seed: 9, from: 0, to: 1), values(count, seed: 10, from: 0.5, to: 3))
        let inside = values(count, seed: 11, from: 0, to: 1).map { $0 < 0.2 ? Float(0) : 1 }
        let before = values(count, seed: 12, from: 0, to: 2) + [PaintedPlane.mark]
        var (red, green, blue, weight, weight2, other) = (before, before, before, before, before, before)
        var total: Float = 0
        samples[0].withUnsafeBufferPointer { r in
            samples[1].withUnsafeBufferPointer { g in
                samples[2].withUnsafeBufferPointer { b in
                    total = added(
                        [r, g, b], trust, ratio, inside, ramp, count, &red, &green, &blue, &weight, &weight2, &other)
                }
            }
        }
        var expectedTotal: Float = 0
        for x in 0..<count {
            let brightest = max(samples[0][x], samples[1][x], samples[2][x])
            let u = trust[x] * inside[x] * (ramp == 0 ? 1 : min(max((0.9 - brightest) * ramp, 0), 1))
            let a = ratio[x] * u
            expectedTotal += u
            #expect(abs(weight[x] - (before[x] + a)) < 1e-5 && other[x] == weight[x])
            #expect(abs(weight2[x] - (before[x] + a * u)) < 1e-5)
            for (sum, channel) in [(red, 0), (green, 1), (blue, 2)] {
                #expect(abs(sum[x] - (before[x] + a * samples[channel][x])) < 1e-5)
            }
        }
        #expect(abs(total - expectedTotal) < 1e-5 * Float(count + 1))
        #expect([red, green, blue, weight, weight2, other].allSatisfy { $0[count] == PaintedPlane.mark })
    }

    private func added(
        _ samples: [UnsafeBufferPointer<Float>], _ trust: UnsafePointer<Float>, _ ratio: UnsafePointer<Float>,
        _ inside: UnsafePointer<Float>, _ ramp: Float, _ count: Int, _ red: UnsafeMutablePointer<Float>,
        _ green: UnsafeMutablePointer<Float>, _ blue: UnsafeMutablePointer<Float>,
        _ weight: UnsafeMutablePointer<Float>, _ weight2: UnsafeMutablePointer<Float>,
        _ other: UnsafeMutablePointer<Float>
    ) -> Float {
        guard let r = samples[0].baseAddress, let g = samples[1].baseAddress, let b = samples[2].baseAddress else {
            return 0
        }
        return addWeightedRow(
            WeightedRowArguments(
                samples: (r, g, b), trust: trust, ratio: ratio, inside: inside, clip: 0.9, ramp: ramp,
                sums: (red, green, blue), weight: weight, weight2: weight2, other: other, count: count))
    }
}
