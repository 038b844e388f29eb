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

/// A complex Fourier transform of one tile of 32 x 32 samples, in place; two real tiles fit in one.
///
/// Decimation in frequency forwards and in time backwards, so that nothing is ever brought into order: the spectrum
/// stands transposed and bit-reversed, and whoever multiplies it asks ``frequencies`` for what stands where. Not for use
/// by several threads at once.
public final class TileFourier {
    public static let size = 32
    public static let count = size * size
    /// Rows of 32 real and imaginary parts.
    public let re: MutableRow<Float>
    public let im: MutableRow<Float>
    private let memory: Floats

    public init() {
        memory = Floats(2 * Self.count)
        (re, im) = (memory.base, memory.base + Self.count)
        re.update(repeating: 0, count: 2 * Self.count)
    }

    /// To the spectrum; unscaled.
    public func forward() {
        Self.down(re, im)
        Self.transpose(re)
        Self.transpose(im)
        Self.down(re, im)
    }

    /// Back from the spectrum, scaled so that it undoes ``forward()``.
    public func inverse() {
        Self.up(re, im)
        Self.transpose(re)
        Self.transpose(im)
        Self.up(re, im)
        let scale = 1 / Float(Self.count)
        for i in 0..<Self.count {
            re[i] *= scale
            im[i] *= scale
        }
    }

    /// Cycles a sample, -1/2 up to 1/2, along x and y, of every place of the spectrum.
    public static let frequencies: [(x: Double, y: Double)] = (0..<count).map { i in
        func signed(_ k: Int) -> Double { Double(k < size / 2 ? k : k - size) / Double(size) }
        return (signed(reversed(i / size)), signed(reversed(i % size)))
    }

    /// Where the opposite frequency of every place stands.
    public static let opposite: [Int] = (0..<count).map { i in
        func mirrored(_ k: Int) -> Int { reversed((size - reversed(k)) % size) }
        return mirrored(i / size) * size + mirrored(i % size)
    }

    private static func reversed(_ k: Int) -> Int {
        var (value, out) = (k, 0)
        for _ in 0..<5 {
            out = out << 1 | value & 1
            value >>= 1
        }
        return out
    }

    // exp(-2 pi i k / 32), k = 0 ..< 16.
    private static let cosines = (0..<16).map { Float(cos(2 * Double.pi * Double($0) / 32)) }
    private static let sines = (0..<16).map { Float(-sin(2 * Double.pi * Double($0) / 32)) }

    private typealias V = SIMD8<Float>

    /// Down the columns, natural order in, reversed order out.
    private static func down(_ re: MutableRow<Float>, _ im: MutableRow<Float>) {
        var half = 16
        while half >= 1 {
            for k in 0..<half {
                let (c, s) = (cosines[k * (16 / half)], sines[k * (16 / half)])
                var p = k
                while p < size {
                    let (a, b) = (p * size, (p + half) * size)
                    for x in stride(from: 0, to: size, by: 8) {
                        let (ur, ui) = (load(re + a + x), load(im + a + x))
                        let (vr, vi) = (load(re + b + x), load(im + b + x))
                        store(ur + vr, re + a + x)
                        store(ui + vi, im + a + x)
                        let (dr, di) = (ur - vr, ui - vi)
                        store(dr * c - di * s, re + b + x)
                        store(dr * s + di * c, im + b + x)
                    }
                    p += 2 * half
                }
            }
            half /= 2
        }
    }

    /// Undoes ``down`` up to a factor of 32.
    private static func up(_ re: MutableRow<Float>, _ im: MutableRow<Float>) {
        var half = 1
        while half < size {
            for k in 0..<half {
                let (c, s) = (cosines[k * (16 / half)], -sines[k * (16 / half)])
                var p = k
                while p < size {
                    let (a, b) = (p * size, (p + half) * size)
                    for x in stride(from: 0, to: size, by: 8) {
                        let (ur, ui) = (load(re + a + x), load(im + a + x))
                        let (vr, vi) = (load(re + b + x), load(im + b + x))
                        let (tr, ti) = (vr * c - vi * s, vr * s + vi * c)
                        store(ur + tr, re + a + x)
                        store(ui + ti, im + a + x)
                        store(ur - tr, re + b + x)
                        store(ui - ti, im + b + x)
                    }
                    p += 2 * half
                }
            }
            half *= 2
        }
    }

    private static func transpose(_ p: MutableRow<Float>) {
        for y in 1..<size {
            for x in 0..<y { (p[y * size + x], p[x * size + y]) = (p[x * size + y], p[y * size + x]) }
        }
    }
}
