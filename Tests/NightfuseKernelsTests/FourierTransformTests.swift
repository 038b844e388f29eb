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

@Suite("Fourier transform")
struct FourierTransformTests {
    private func values(_ count: Int, seed: UInt64) -> [Float] {
        var random = SeededRandom(seed: seed)
        return (0..<count).map { _ in Float(random.normal()) }
    }

    @Test(arguments: [2, 4, 8, 16, 64, 256], [false, true])
    func agreesWithTheDefinition(length: Int, inverse: Bool) {
        let (re, im) = (values(length, seed: 1), values(length, seed: 2))
        var (outRe, outIm) = (re, im)
        outRe.withMutableRow { outRe in
            outIm.withMutableRow { outIm in
                FourierTransform(length: length).run(outRe, outIm, step: 1, inverse: inverse)
            }
        }
        for k in 0..<length {
            var sum = (re: 0.0, im: 0.0)
            for n in 0..<length {
                let angle = (inverse ? 2 : -2) * Double.pi * Double(k * n % length) / Double(length)
                sum.re += Double(re[n]) * cos(angle) - Double(im[n]) * sin(angle)
                sum.im += Double(re[n]) * sin(angle) + Double(im[n]) * cos(angle)
            }
            #expect(abs(sum.re - Double(outRe[k])) < 1e-4 && abs(sum.im - Double(outIm[k])) < 1e-4)
        }
    }

    @Test func thereAndBackIsLengthTimesTheInput() {
        let (re, im) = (values(32 * 16, seed: 3), values(32 * 16, seed: 4))
        var (outRe, outIm) = (re, im)
        let (rows, columns) = (FourierTransform(length: 32), FourierTransform(length: 16))
        for inverse in [false, true] {
            outRe.withMutableRow { outRe in
                outIm.withMutableRow { outIm in
                    FourierTransform.run2D(outRe, outIm, rowTransform: rows, columnTransform: columns, inverse: inverse)
                }
            }
        }
        for k in re.indices {
            #expect(abs(outRe[k] / 512 - re[k]) < 1e-5 && abs(outIm[k] / 512 - im[k]) < 1e-5)
        }
    }

    @Test func stepsLeaveTheSamplesBetweenAlone() {
        let start = values(3 * 8, seed: 5)
        var (re, im) = (start, start)
        re.withMutableRow { re in
            im.withMutableRow { im in
                FourierTransform(length: 8).run(re, im, step: 3, inverse: false)
            }
        }
        var every = (0..<8).map { start[3 * $0] }
        var everyIm = every
        every.withMutableRow { every in
            everyIm.withMutableRow { everyIm in
                FourierTransform(length: 8).run(every, everyIm, step: 1, inverse: false)
            }
        }
        for k in start.indices { #expect(re[k] == (k % 3 == 0 ? every[k / 3] : start[k])) }
    }
}
