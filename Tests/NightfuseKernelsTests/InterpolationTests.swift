import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Interpolation")
struct InterpolationTests {
    static let kernels: [InterpolationKernel] = [
        .lanczos(lobes: 2), .lanczos(lobes: 3), .lanczos(lobes: 4), .cardinalCubic,
    ]

    @Test(arguments: kernels)
    func everyPhaseSumsToOne(kernel: InterpolationKernel) {
        #expect(kernel.weights.count == InterpolationKernel.phases)
        for row in kernel.weights { #expect(abs(row.sum() - 1) < 1e-6) }
    }

    /// The first phase stands half a phase, 1/512 of a sample, past the sample.
    @Test(arguments: kernels)
    func onASampleAllWeightIsThatSample(kernel: InterpolationKernel) {
        let row = kernel.weights[0]
        #expect(row[3] > 0.999)
        for t in 0..<8 where t != 3 { #expect(abs(row[t]) < 0.004) }
    }

    @Test(arguments: kernels)
    func noiseGainIsTheMeanSumOfSquares(kernel: InterpolationKernel) {
        let power = kernel.weights.map { ($0 * $0).sum() }.reduce(0, +) / Float(InterpolationKernel.phases)
        #expect(abs(kernel.noiseGain - power) < 1e-5)
        #expect(kernel.noiseGain > 0.5 && kernel.noiseGain < 1)
        // Parseval: the mean of |H|^2 over all frequencies.
        let response = (0..<64).map { kernel.response(frequency: (Double($0) + 0.5) / 128).power }.reduce(0, +) / 64
        #expect(abs(response - Double(power)) < 1e-4)
        #expect(abs(kernel.response(frequency: 0).amplitude - 1) < 1e-6)
    }

    @Test func onlyThreeLobesOrFewerLeaveTheOuterTapsAlone() {
        #expect(Self.kernels.map(\.hasOuterTaps) == [false, false, true, true])
    }

    @Test(arguments: kernels, [1, 7, 8, 9, 33])
    func resamplingIsTheDoubleSum(kernel: InterpolationKernel, count: Int) throws {
        let planes = [try PaintedPlane.random(48, 20, seed: 1), try PaintedPlane.random(48, 20, seed: 2)]
        var random = SeededRandom(seed: UInt64(count))
        let xs = (0..<count).map { _ in Float(3 + random.uniform() * 40) }
        let ys = (0..<count).map { _ in Float(3 + random.uniform() * 12) }
        var (first, second) = (
            [Float](repeating: PaintedPlane.mark, count: count + 1), [Float](repeating: 0, count: count)
        )
        xs.withRow { xs in
            ys.withRow { ys in
                first.withMutableRow { a in
                    second.withMutableRow { b in
                        resampleRow(
                            planes.map { Row($0.base) }, stride: planes[0].stride, xs: xs, ys: ys, count: count,
                            kernel: kernel, outputs: [a, b])
                    }
                }
            }
        }
        #expect(first[count] == PaintedPlane.mark)
        for (plane, out) in zip(planes, [first, second]) {
            for i in 0..<count {
                let (fx, fy) = (Int(xs[i]), Int(ys[i]))
                let wx = kernel.weights[Int((xs[i] - Float(fx)) * 256)]
                let wy = kernel.weights[Int((ys[i] - Float(fy)) * 256)]
                var sum = 0.0
                for t in 0..<8 where kernel.hasOuterTaps || (t > 0 && t < 7) {
                    for s in 0..<8 where wx[s] != 0 {
                        sum += Double(wy[t]) * Double(wx[s]) * Double(plane[fx + s - 3, fy + t - 3])
                    }
                }
                #expect(abs(sum - Double(out[i])) < 1e-5)
            }
        }
    }

    /// A cosine of eight samples is resampled to a small part of its height.
    @Test(arguments: kernels)
    func aSlowWaveStaysWhereItIs(kernel: InterpolationKernel) throws {
        let plane = try Plane<Float>(width: 64, height: 16)
        for y in 0..<16 { for x in 0..<64 { plane[x, y] = Float(cos(2 * .pi * Double(x) / 8)) } }
        let xs = (0..<40).map { Float(8 + Double($0) * 1.137) }
        let ys = [Float](repeating: 7.3, count: 40)
        var out = [Float](repeating: 0, count: 40)
        xs.withRow { xs in
            ys.withRow { ys in
                out.withMutableRow { out in
                    resampleRow(
                        [Row(plane.base)], stride: plane.stride, xs: xs, ys: ys, count: 40, kernel: kernel,
                        outputs: [out])
                }
            }
        }
        for i in 0..<40 { #expect(abs(Double(out[i]) - cos(2 * .pi * Double(xs[i]) / 8)) < 0.02) }
    }

    @Test(arguments: InterestingSizes.pairs)
    func bilinearSamplesClampToThePlane(width: Int, height: Int) throws {
        let plane = try PaintedPlane.random(width, height, seed: UInt64(width * 40 + height))
        // One-sample axes read their neighbour with weight 0; that memory is there, but must hold a number.
        if width == 1 || height == 1 {
            for y in 0..<height { for x in width..<plane.stride { plane.mutableRow(y)[x] = 0 } }
        }
        var random = SeededRandom(seed: 3)
        var xs = (0..<40).map { _ in Float((random.uniform() * 1.4 - 0.2) * Double(width)) }
        var ys = (0..<40).map { _ in Float((random.uniform() * 1.4 - 0.2) * Double(height)) }
        xs += [-1e6, 1e6, 0, Float(width - 1)]
        ys += [1e6, -1e6, Float(height - 1), 0]
        let count = xs.count
        var out = [Float](repeating: PaintedPlane.mark, count: count + 1)
        xs.withRow { xs in
            ys.withRow { ys in
                out.withMutableRow { out in
                    sampleBilinear(plane, xs: xs, ys: ys, count: count, into: out)
                }
            }
        }
        for i in xs.indices {
            let x = min(max(Double(xs[i]), 0), Double(width - 1))
            let y = min(max(Double(ys[i]), 0), Double(height - 1))
            let (x0, y0) = (Int(x), Int(y))
            let (x1, y1) = (min(x0 + 1, width - 1), min(y0 + 1, height - 1))
            let (fx, fy) = (x - Double(x0), y - Double(y0))
            let top = Double(plane[x0, y0]) * (1 - fx) + Double(plane[x1, y0]) * fx
            let bottom = Double(plane[x0, y1]) * (1 - fx) + Double(plane[x1, y1]) * fx
            #expect(abs(top * (1 - fy) + bottom * fy - Double(out[i])) < 1e-4)
        }
        #expect(out[xs.count] == PaintedPlane.mark)
    }

    @Test func floorsGoDownBelowZero() {
        #expect([-2.5, -2, -0.1, 0, 0.9, 7].map { floorInt(Float($0)) } == [-3, -2, -1, 0, 0, 7])
    }
}
