public import NightfuseCore

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// A complex discrete Fourier transform of a power-of-two length, radix 2, in place, unscaled both ways.
///
/// For the coarse level of alignment only (at most 256 x 256), where a plain transform is fast enough.
public struct FourierTransform: Sendable {
    public let length: Int
    private let cosines: [Float]
    private let sines: [Float]

    /// - Parameter length: a power of two, at least 2.
    public init(length: Int) {
        precondition(length >= 2 && length & (length - 1) == 0)
        self.length = length
        cosines = (0..<length / 2).map { Float(cos(2 * Double.pi * Double($0) / Double(length))) }
        sines = (0..<length / 2).map { Float(sin(2 * Double.pi * Double($0) / Double(length))) }
    }

    /// Transforms `length` values that lie `step` apart. `inverse` turns the sign of the exponent.
    public func run(
        _ re: MutableRow<Float>, _ im: MutableRow<Float>, step: Int, inverse: Bool
    ) {
        var j = 0
        for i in 0..<length - 1 {
            if i < j {
                (re[i * step], re[j * step]) = (re[j * step], re[i * step])
                (im[i * step], im[j * step]) = (im[j * step], im[i * step])
            }
            var bit = length >> 1
            while j & bit != 0 {
                j ^= bit
                bit >>= 1
            }
            j |= bit
        }
        let sign: Float = inverse ? 1 : -1
        var half = 1
        while half < length {
            let stride = length / (2 * half)
            for k in 0..<half {
                let c = cosines[k * stride]
                let s = sign * sines[k * stride]
                var i = k
                while i < length {
                    let p = i * step
                    let q = (i + half) * step
                    let tr = re[q] * c - im[q] * s
                    let ti = re[q] * s + im[q] * c
                    re[q] = re[p] - tr
                    im[q] = im[p] - ti
                    re[p] += tr
                    im[p] += ti
                    i += 2 * half
                }
            }
            half *= 2
        }
    }

    /// Transforms a `length` x `rows.length` array (row by row, this transform along rows, the other along columns).
    public static func run2D(
        _ re: MutableRow<Float>, _ im: MutableRow<Float>, rowTransform: FourierTransform,
        columnTransform: FourierTransform, inverse: Bool
    ) {
        let width = rowTransform.length
        for y in 0..<columnTransform.length {
            rowTransform.run(re + y * width, im + y * width, step: 1, inverse: inverse)
        }
        for x in 0..<width { columnTransform.run(re + x, im + x, step: width, inverse: inverse) }
    }
}
