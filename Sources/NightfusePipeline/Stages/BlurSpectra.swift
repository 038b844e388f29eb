internal import NightfuseCore

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

/// Spectra of many blocks of a frame against the same blocks of the merge.
struct BlurSpectra {
    /// Sums of conj(merge) frame, and of |merge|^2 without and with its noise.
    private var crossRe = [Double](repeating: 0, count: TileFourier.count)
    private var crossIm = [Double](repeating: 0, count: TileFourier.count)
    private var power = [Double](repeating: 0, count: TileFourier.count)
    private var noise = 0.0
    private var frameNoise = 0.0
    private(set) var blocks = 0

    /// Adds a block: `tile` holds the merge's windowed luma as its real part and the frame's as its imaginary one.
    mutating func add(_ tile: TileFourier, mergeNoise: Double, frameNoise other: Double) {
        tile.forward()
        var energy = 0.0
        var x = [(Double, Double)](repeating: (0, 0), count: TileFourier.count)
        var y = x
        for i in 0..<TileFourier.count {
            // Two real pictures in one transform: the even part is the first's spectrum, the odd part i times the second's.
            let j = TileFourier.opposite[i]
            let (ar, ai, br, bi) = (Double(tile.re[i]), Double(tile.im[i]), Double(tile.re[j]), Double(tile.im[j]))
            x[i] = ((ar + br) / 2, (ai - bi) / 2)
            y[i] = ((ai + bi) / 2, (br - ar) / 2)
            energy += x[i].0 * x[i].0 + x[i].1 * x[i].1
        }
        // Every block counts alike, however strong its contrast.
        let weight = 1 / max(energy, 1e-20)
        for i in 0..<TileFourier.count {
            crossRe[i] += weight * (x[i].0 * y[i].0 + x[i].1 * y[i].1)
            crossIm[i] += weight * (x[i].0 * y[i].1 - x[i].1 * y[i].0)
            power[i] += weight * (x[i].0 * x[i].0 + x[i].1 * x[i].1)
        }
        noise += weight * mergeNoise
        frameNoise += weight * other
        blocks += 1
    }

    /// The frame's remaining shift against the merge, and its blur.
    func fit() -> (shiftX: Double, shiftY: Double, blur: ShakeBlur) {
        let places = TileFourier.frequencies.indices.filter { i in
            let f = TileFourier.frequencies[i]
            let r = f.x * f.x + f.y * f.y
            return f.x >= 0 && r > 0 && r < 0.4 * 0.4
        }
        let signal = power.map { max($0 - noise, 0) }
        // Variance of the cross term: noise of both, and one part in twenty that no such model tells.
        let weights = places.map { i in
            1 / (power[i] * (frameNoise + noise) + 0.0025 * signal[i] * signal[i] + 1e-12)
        }
        var (sx, sy, best) = (0.0, 0.0, -Double.infinity)
        var step = 0.5
        for round in 0..<4 {
            let (cx, cy, reach) = (sx, sy, round == 0 ? 4 : 2)
            for i in -reach...reach {
                for j in -reach...reach {
                    let (dx, dy) = (cx + step * Double(i), cy + step * Double(j))
                    var sum = 0.0
                    for k in places {
                        let f = TileFourier.frequencies[k]
                        let turn = 2 * Double.pi * (f.x * dx + f.y * dy)
                        sum += crossRe[k] * cos(turn) - crossIm[k] * sin(turn)
                    }
                    if sum > best { (sx, sy, best) = (dx, dy, sum) }
                }
            }
            step /= 2
        }
        let cross = places.map { k -> Double in
            let f = TileFourier.frequencies[k]
            let turn = 2 * Double.pi * (f.x * sx + f.y * sy)
            return crossRe[k] * cos(turn) - crossIm[k] * sin(turn)
        }
        func misfit(_ blur: ShakeBlur) -> Double {
            var sum = 0.0
            for (n, k) in places.enumerated() {
                let f = TileFourier.frequencies[k]
                let error = cross[n] - blur.response(f.x, f.y) * signal[k]
                sum += weights[n] * error * error
            }
            return sum
        }
        var blur = ShakeBlur()
        var least = misfit(blur)
        func take(_ candidate: ShakeBlur) {
            guard candidate.x * candidate.x + candidate.y * candidate.y <= ShakeBlur.longest * ShakeBlur.longest
            else { return }
            let cost = misfit(candidate)
            if cost < least { (blur, least) = (candidate, cost) }
        }
        for spread in [0, 0.5, 1.0] {
            for i in 0...12 {
                for j in -12...12 { take(ShakeBlur(x: Double(i), y: Double(j), spread: spread)) }
            }
        }
        step = 0.5
        for _ in 0..<4 {
            let centre = blur
            for i in -1...1 {
                for j in -1...1 {
                    for k in -1...1 {
                        take(
                            ShakeBlur(
                                x: centre.x + step * Double(i), y: centre.y + step * Double(j),
                                spread: max(centre.spread + step / 2 * Double(k), 0)))
                    }
                }
            }
            step /= 2
        }
        return (sx, sy, blur)
    }
}
