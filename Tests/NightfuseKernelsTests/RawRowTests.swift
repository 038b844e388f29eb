import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

/// Rows of raw frames against their formulas.
@Suite("Kernels along rows of raw frames")
struct RawRowTests {
    private let curve = LightCurve(step: 0.004, first: -10, read: 0.01, bend: 0.0005)

    private func codes(_ count: Int, seed: UInt64) -> [UInt16] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in UInt16(random.uniform() * 65535) }
    }

    private func values(_ count: Int, seed: UInt64, _ range: ClosedRange<Double>) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in
            Float(range.lowerBound + random.uniform() * (range.upperBound - range.lowerBound))
        }
    }

    private func light(_ code: UInt16) -> Double {
        let u = Double(code) * Double(curve.step) + Double(curve.first)
        return Double(curve.read) * u + Double(curve.bend) * max(u, 0) * max(u, 0)
    }

    @Test(arguments: InterestingSizes.all)
    func codesAreTheLightThatTheCurveSays(count: Int) {
        let (r, g, b) = (codes(count, seed: 1), codes(count, seed: 2), codes(count, seed: 3))
        var out = [Float](repeating: PaintedPlane.mark, count: count + 1)
        lightRow(r, curve, black: 0.25, count: count, into: &out)
        for x in 0..<count { #expect(abs(Double(out[x]) - (light(r[x]) - 0.25)) < 1e-5) }
        #expect(out[count] == PaintedPlane.mark)
        var luma = [Float](repeating: 3, count: count + 1)
        for (adds, before) in [(true, 3.0), (false, 0.0)] {
            let start = luma
            r.withUnsafeBufferPointer { r in
                g.withUnsafeBufferPointer { g in
                    b.withUnsafeBufferPointer { b in
                        guard let r = r.baseAddress, let g = g.baseAddress, let b = b.baseAddress else { return }
                        lumaRow((r, g, b), curve, black: 0.5, adds: adds, count: count, into: &luma)
                    }
                }
            }
            for x in 0..<count {
                let expected = light(r[x]) + 2 * light(g[x]) + light(b[x]) - 0.5 + (adds ? before : 0)
                #expect(abs(Double(luma[x]) - expected) < 1e-4)
            }
            #expect(luma[count] == start[count])
        }
    }

    @Test(arguments: InterestingSizes.all)
    func stabilisedLightComesBack(count: Int) {
        let before = values(count, seed: 4, -0.05...2)
        var row = before + [PaintedPlane.mark]
        stabiliseRow(&row, curve, count: count)
        for x in 0..<count {
            let u = Double(row[x])
            let back = Double(curve.read) * u + Double(curve.bend) * max(u, 0) * max(u, 0)
            #expect(abs(back - Double(before[x])) < 1e-5)
        }
        #expect(row[count] == PaintedPlane.mark)
    }

    @Test(arguments: InterestingSizes.all)
    func sensorSamplesBecomeLight(count: Int) {
        let samples = codes(count, seed: 5)
        let (black, factor) = (values(count, seed: 6, 0...900), values(count, seed: 7, 1e-5...3e-5))
        var out = [Float](repeating: PaintedPlane.mark, count: count + 1)
        sensorLightRow(samples, black: black, factor: factor, ceiling: 1, count: count, into: &out)
        for x in 0..<count {
            #expect(abs(out[x] - min((Float(samples[x]) - black[x]) * factor[x], 1)) < 1e-6)
        }
        #expect(out[count] == PaintedPlane.mark)
    }

    @Test(arguments: InterestingSizes.all)
    func offsetsAreTakenOffWhatIsNotSaturated(count: Int) {
        let before = values(count, seed: 8, 0...1)
        var row = before + [PaintedPlane.mark]
        lowerRow(&row, by: (0.25, 0.5), below: 0.75, count: count)
        for x in 0..<count {
            #expect(row[x] == (before[x] < 0.75 ? before[x] - (x & 1 == 0 ? 0.25 : 0.5) : before[x]))
        }
        #expect(row[count] == PaintedPlane.mark)
    }

    @Test(arguments: InterestingSizes.all)
    func peaksAreTheLargerCodes(count: Int) {
        let (a, b) = (codes(count, seed: 9), codes(count, seed: 10))
        var peaks = a + [7]
        raisePeaks(b, count: count, in: &peaks)
        #expect(peaks == zip(a, b).map { max($0, $1) } + [7])
    }

    @Test(arguments: [0, 1], [0, 32, 64])
    func aStretchIsHeldAgainstTheRowsAroundIt(green: Int, start: Int) {
        let width = 96
        let rows = (0..<5).map { k in [Float.nan] + values(width, seed: 20 + UInt64(k), -0.05...1) + [.nan] }
        let (shot, read, gain): ((Float, Float), (Float, Float), (Float, Float)) = (
            (0.01, 0.02), (1e-4, 3e-4), (0.5, 1)
        )
        let isGreen: (Float, Float) = green == 0 ? (1, 0) : (0, 1)
        let sums = rows[0].withUnsafeBufferPointer { a in
            rows[1].withUnsafeBufferPointer { b in
                rows[2].withUnsafeBufferPointer { c in
                    rows[3].withUnsafeBufferPointer { d in
                        rows[4].withUnsafeBufferPointer { e in
                            let p = [a, b, c, d, e].compactMap { $0.baseAddress.map { $0 + 1 } }
                            var arguments = RowStretchArguments(
                                rows: (p[0], p[1], p[2], p[3], p[4]), width: width, shot: shot, read: read, gain: gain,
                                isGreen: isGreen, clip: 0.8)
                            arguments.start = start
                            return rowStretch(arguments)
                        }
                    }
                }
            }
        }
        func value(_ k: Int, _ x: Int) -> Double { Double(rows[k][x + 1]) }
        var expected = [0.0, 0.0, 0.0, 0.0]
        for x in start..<start + 32 {
            let even = x & 1 == 0
            let (s, r, g) = (even ? shot.0 : shot.1, even ? read.0 : read.1, even ? gain.0 : gain.1)
            func add(_ base: Double, _ spread: Double, _ at: Int) {
                let v = spread * (Double(s) * max(base, 0) + Double(r))
                let limit = 3 * v.squareRoot()
                let d = min(max(value(2, x) - base, -limit), limit) * Double(g)
                guard max(value(2, x), base) < 0.8 else { return }
                expected[at] += d / (v * Double(g) * Double(g))
                expected[at + 1] += 1 / (v * Double(g) * Double(g))
            }
            add((value(0, x) + value(4, x)) / 2, 1.5, 0)
            if even == (green == 0), x > 0, x < width - 1 {
                add((value(1, x - 1) + value(1, x + 1) + value(3, x - 1) + value(3, x + 1)) / 4, 1.25, 2)
            }
        }
        for (a, b) in zip([sums.same, sums.sameTotal, sums.beside, sums.besideTotal], expected) {
            #expect(abs(Double(a) - b) < 1e-4 * (1 + abs(b)))
        }
    }
}
