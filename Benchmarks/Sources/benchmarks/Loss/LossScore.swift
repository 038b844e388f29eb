internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How close a picture comes to the clean first frame, seen as a person would see it: white at 1, sRGB's curve.
struct LossScore {
    /// Peak signal to noise, dB, over the still part and over the mover.
    var still = 0.0
    var mover = 0.0
    /// Share of the clean picture's fine texture that is there, over the 60 % of it with least contrast: 1 is all. Smearing
    /// lowers it, noise does not raise it.
    var detail = 0.0

    /// Pixels at the border that are not looked at.
    private static let border = 8

    /// - Parameters:
    ///   - picture: linear light, `white` of which is the clean one's 1.
    init(_ picture: [Plane<Float>], white: Double, burst: KnownBurst) {
        let (w, h) = (burst.width, burst.height)
        let curve = TransferFunction.sRGB
        let table = (0...4096).map { curve.coded(Double($0) * Double($0) / (4096 * 4096)) }
        func coded(_ v: Double) -> Double {
            let p = min(max(v, 0), 1).squareRoot() * 4096
            let i = min(Int(p), 4095)
            return table[i] + (table[i + 1] - table[i]) * (p - Double(i))
        }
        var (grey, truth) = (Grey(width: w, height: h), Grey(width: w, height: h))
        var (sums, counts) = ([0.0, 0.0], [0, 0])
        for y in 0..<h {
            for x in 0..<w {
                var error = 0.0
                for c in 0..<3 {
                    let a = coded(Double(picture[c].row(y)[x]) / white)
                    let b = coded(Double(burst.clean[0][c].row(y)[x]))
                    error += (a - b) * (a - b) / 3
                    grey.values[y * w + x] += a / 3
                    truth.values[y * w + x] += b / 3
                }
                let b = Self.border
                guard x >= b, y >= b, x < w - b, y < h - b else { continue }
                switch burst.part(x, y) {
                case .still: (sums[0], counts[0]) = (sums[0] + error, counts[0] + 1)
                case .mover: (sums[1], counts[1]) = (sums[1] + error, counts[1] + 1)
                case .edge: break
                }
            }
        }
        func decibels(_ k: Int) -> Double { -10 * log10(max(sums[k] / Double(max(counts[k], 1)), 1e-12)) }
        (still, mover) = (decibels(0), decibels(1))
        detail = Self.detail(grey, truth)
    }

    private static func detail(_ grey: Grey, _ truth: Grey) -> Double {
        // Between Gaussians of 0.6 and 2 pixels lies what a person calls texture.
        let (a, b) = (grey.band(0.6, 2), truth.band(0.6, 2))
        var squares = b
        for i in squares.values.indices { squares.values[i] *= squares.values[i] }
        let contrast = squares.blurred(3)
        let inside = (0..<grey.values.count).filter { i in
            let (x, y) = (i % grey.width, i / grey.width)
            return x >= border && y >= border && x < grey.width - border && y < grey.height - border
        }
        let limit = inside.map { contrast.values[$0] }.sorted()[inside.count * 6 / 10]
        var (both, own) = (0.0, 1e-12)
        for i in inside where contrast.values[i] < limit {
            both += a.values[i] * b.values[i]
            own += squares.values[i]
        }
        return both / own
    }
}

/// A grey picture that can be blurred.
private struct Grey {
    let width: Int
    let height: Int
    var values: [Double]

    init(width: Int, height: Int) {
        (self.width, self.height) = (width, height)
        values = [Double](repeating: 0, count: width * height)
    }

    func band(_ fine: Double, _ coarse: Double) -> Grey {
        var (a, b) = (blurred(fine), blurred(coarse))
        for i in a.values.indices { a.values[i] -= b.values[i] }
        b.values = []
        return a
    }

    /// A Gaussian, cut at four standard deviations; edges repeat.
    func blurred(_ sigma: Double) -> Grey {
        let reach = Int((4 * sigma).rounded(.up))
        var kernel = (-reach...reach).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
        let total = kernel.reduce(0, +)
        kernel = kernel.map { $0 / total }
        var (across, out) = (self, self)
        for y in 0..<height {
            for x in 0..<width {
                var sum = 0.0
                for k in -reach...reach { sum += kernel[k + reach] * values[y * width + min(max(x + k, 0), width - 1)] }
                across.values[y * width + x] = sum
            }
        }
        for y in 0..<height {
            for x in 0..<width {
                var sum = 0.0
                for k in -reach...reach {
                    sum += kernel[k + reach] * across.values[min(max(y + k, 0), height - 1) * width + x]
                }
                out.values[y * width + x] = sum
            }
        }
        return out
    }
}
