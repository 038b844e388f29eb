package import NightfuseCore
internal import NightfuseKernels

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// Whole-sample shifts between two planes, best first, by phase correlation whose whitening stops at the noise.
///
/// The cross power spectrum is divided by |F| |G| + noise power, so that frequencies with nothing but noise do not
/// outvote those with signal (plain phase correlation fails below an SNR of 1). Hann window, Fourier transforms of at
/// most 256 x 256.
package struct PhaseCorrelation {
    private let rows: FourierTransform
    private let columns: FourierTransform
    private let re: [Float]
    private let im: [Float]
    private let width: Int
    private let height: Int
    private let window: (x: [Float], y: [Float])
    /// Samples about a peak, each way, that are no peak of their own: a mover's is broad.
    private static let apart = 3

    /// - Parameter reference: a plane of at most 256 x 256 samples is used whole, a larger one by its middle.
    package init(reference: Plane<Float>) {
        func power(_ n: Int) -> Int {
            var p = 16
            while p < n && p < 256 { p *= 2 }
            return p
        }
        width = min(reference.width, 256)
        height = min(reference.height, 256)
        rows = FourierTransform(length: power(reference.width))
        columns = FourierTransform(length: power(reference.height))
        func hann(_ n: Int) -> [Float] {
            (0..<n).map { Float(0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(n))) }
        }
        window = (hann(width), hann(height))
        (re, im) = Self.spectrum(reference, width, height, window, rows, columns)
    }

    private static func spectrum(
        _ plane: Plane<Float>, _ width: Int, _ height: Int, _ window: (x: [Float], y: [Float]),
        _ rows: FourierTransform,
        _ columns: FourierTransform
    ) -> ([Float], [Float]) {
        let left = (plane.width - width) / 2
        let top = (plane.height - height) / 2
        var mean: Float = 0
        for y in 0..<height {
            let row = plane.row(top + y) + left
            var sum: Float = 0
            for x in 0..<width { sum += row[x] }
            mean += sum / Float(width)
        }
        mean /= Float(height)
        var re = [Float](repeating: 0, count: rows.length * columns.length)
        var im = re
        for y in 0..<height {
            let row = plane.row(top + y) + left
            for x in 0..<width { re[y * rows.length + x] = (row[x] - mean) * window.x[x] * window.y[y] }
        }
        re.withMutableRow { r in
            im.withMutableRow { i in
                FourierTransform.run2D(r, i, rowTransform: rows, columnTransform: columns, inverse: false)
            }
        }
        return (re, im)
    }

    /// Up to `count` shifts (x, y), in samples: content at p of the reference stands at p + shift in `other`.
    ///
    /// - Parameter noiseVariance: of one sample of each plane.
    package func shifts(to other: Plane<Float>, noiseVariance: Float, count: Int) -> [(x: Double, y: Double)] {
        var (gr, gi) = Self.spectrum(other, width, height, window, rows, columns)
        // Noise power of a windowed transform: variance times the window's energy (3/8 an axis).
        let floor = noiseVariance * Float(width * height) * (9.0 / 64) + 1e-12
        for k in 0..<gr.count {
            let cr = gr[k] * re[k] + gi[k] * im[k]
            let ci = gi[k] * re[k] - gr[k] * im[k]
            let weight = 1 / ((cr * cr + ci * ci).squareRoot() + floor)
            gr[k] = cr * weight
            gi[k] = ci * weight
        }
        gr.withMutableRow { r in
            gi.withMutableRow { i in
                FourierTransform.run2D(r, i, rowTransform: rows, columnTransform: columns, inverse: true)
            }
        }
        let (w, h) = (rows.length, columns.length)
        var found: [(x: Double, y: Double)] = []
        var taken = [Bool](repeating: false, count: gr.count)
        for _ in 0..<count {
            var best = -Float.infinity
            var at = 0
            for k in 0..<gr.count where !taken[k] && gr[k] > best { (best, at) = (gr[k], k) }
            let (px, py) = (at % w, at / w)
            for dy in -Self.apart...Self.apart {
                for dx in -Self.apart...Self.apart { taken[((py + dy + h) % h) * w + (px + dx + w) % w] = true }
            }
            found.append((Double(px > w / 2 ? px - w : px), Double(py > h / 2 ? py - h : py)))
        }
        return found
    }
}
