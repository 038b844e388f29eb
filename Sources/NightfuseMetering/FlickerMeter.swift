internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Looks for the mains in the light: bands between rows (a rolling shutter exposes them one after the other) and changes
/// between frames that beat with 100 or 120 hertz.
///
/// The scene's own rows, moved along with the camera and averaged over all frames, are taken out of each frame's; what is
/// left is compared with cos(2 pi f (t + readout y / height)) for several readout times. How large it is for frequencies
/// that no mains has says what chance can do. A frequency that stands still from frame to frame (120 hertz at 30 frames a
/// second) goes with the scene's rows, and one that the exposure time averages out is not there: neither can be seen.
final class FlickerMeter {
    private static let capacity = 32
    private static let fewest = 6
    private static let mains = [100, 120]
    /// Frequencies that no mains has, and that no usual frame rate folds onto one that it has.
    private static let others = [83.0, 92.5, 96.3, 105.1, 109.7, 113.9, 127.3]
    /// Times between the first row's and the last row's exposure that are tried: 0 to 40 ms.
    private static let readouts = 11
    private static let readoutStep = 0.004
    /// Rows are averaged into so many bands before they are compared.
    private static let bands = 60

    private let height: Int
    /// Logarithms of the rows' light, frame by frame.
    private let profiles: Tiles<Float>
    private var frames: [Frame] = []
    private var nextSlot = 0

    private struct Frame {
        var time: Double
        var exposure: Double
        var shift: Float
        var slot: Int
    }

    init(workHeight: Int) {
        height = workHeight
        profiles = Tiles(workHeight * Self.capacity, 0)
        frames.reserveCapacity(Self.capacity)
    }

    func reset() { frames.removeAll(keepingCapacity: true) }

    /// Takes in a frame of coded luma (0 to 255); `shift` is how far the scene lies below where it was at first, in
    /// samples. About 0.02 ms.
    func add(_ plane: WorkPlane, time: Double, exposure: Double, product: Float, shift: Float) {
        while let oldest = frames.first, frames.count == Self.capacity || oldest.time < time - Trajectory.memory {
            frames.removeFirst()
        }
        frames.append(Frame(time: time, exposure: exposure, shift: shift, slot: nextSlot))
        let profile = profiles.base + nextSlot * height
        nextSlot = (nextSlot + 1) % Self.capacity
        let offset = logf(product)
        for y in 0..<height {
            let mean = rowSum(plane.row(y), count: plane.width) / (Float(plane.width) * 255)
            // Codes rise as about the 1 / 2.2th power of light.
            profile[y] = 2.2 * logf(mean + 0.02) - offset
        }
    }

    private func rowSum(_ row: Row<Float>, count: Int) -> Float {
        var a: Float = 0
        var b: Float = 0
        var c: Float = 0
        var d: Float = 0
        var x = 0
        while x + 4 <= count {
            a += row[x]
            b += row[x + 1]
            c += row[x + 2]
            d += row[x + 3]
            x += 4
        }
        return (a + c) + (b + d)
    }

    /// 100, 120, 0 for none, nil where it cannot be known. Reading time only; allocates.
    func frequency() -> Int? {
        guard frames.count >= Self.fewest, let last = frames.last else { return nil }
        let rate = Double(frames.count - 1) / (last.time - frames[0].time)
        let rest = residuals()
        let chance = Self.others.filter { other in Self.mains.allSatisfy { Self.apart(other, Double($0), rate) > 2.5 } }
            .map { amplitude(rest, hertz: $0) }
        guard let chance = chance.max() else { return nil }
        let seen = Self.mains.map { amplitude(rest, hertz: Double($0)) }
        let least = max(2.5 * chance, Self.leastAmplitude)
        if let best = seen.max(), best > least { return seen[0] >= seen[1] ? Self.mains[0] : Self.mains[1] }
        let visible = Self.mains.allSatisfy { hertz in
            let f = Double(hertz)
            let standing = Self.apart(f, 0, rate) * (last.time - frames[0].time) < 0.7
            return !standing && Self.weakLamp * passed(f) > least
        }
        return visible ? 0 : nil
    }

    /// Half of the light's change, as a fraction: less than half a per cent is no lamp.
    private static let leastAmplitude = 0.004
    /// Lamps on the mains change by this fraction at least (LED and fluorescent tubes by 0.1 to 0.6).
    private static let weakLamp = 0.1

    /// How far two frequencies lie apart once frames at `rate` a second have folded them.
    private static func apart(_ a: Double, _ b: Double, _ rate: Double) -> Double {
        let d = abs(a - b).truncatingRemainder(dividingBy: rate)
        return min(d, rate - d)
    }

    /// What the exposure time leaves of a light's change at a frequency.
    private func passed(_ hertz: Double) -> Double {
        let mean = frames.reduce(0) { $0 + $1.exposure } / Double(frames.count)
        let phase = Double.pi * hertz * mean
        return phase < 1e-6 ? 1 : abs(sin(phase)) / phase
    }

    /// Each frame's bands, less the scene's own.
    private func residuals() -> [[Double]] {
        // The scene's rows: the mean over frames, each brought to the first one's place.
        var scene = [Float](repeating: 0, count: height)
        var count = scene
        for frame in frames {
            let profile = profiles.base + frame.slot * height
            for y in 0..<height {
                guard let v = Self.sample(Row(profile), at: Float(y) + frame.shift, count: height) else { continue }
                scene[y] += v
                count[y] += 1
            }
        }
        for y in 0..<height where count[y] > 0 { scene[y] /= count[y] }
        let known = count.map { $0 >= Float(frames.count) / 2 }
        return frames.map { frame in
            let profile = profiles.base + frame.slot * height
            var sums = [Double](repeating: 0, count: Self.bands)
            var counts = sums
            for y in 0..<height {
                let at = Float(y) - frame.shift
                guard let own = scene.withRow({ Self.sample($0, at: at, count: height) }),
                    known[min(max(Int(at), 0), height - 1)]
                else { continue }
                sums[y * Self.bands / height] += Double(profile[y] - own)
                counts[y * Self.bands / height] += 1
            }
            return (0..<Self.bands).map { counts[$0] > 0 ? sums[$0] / counts[$0] : 0 }
        }
    }

    private static func sample(_ values: Row<Float>, at y: Float, count: Int) -> Float? {
        guard y >= 0, y <= Float(count - 1) else { return nil }
        let i = min(Int(y), count - 2)
        return values[i] + (values[i + 1] - values[i]) * (y - Float(i))
    }

    /// Amplitude of cos(2 pi hertz (t + readout y)) in the residuals, for the readout time at which it is largest.
    private func amplitude(_ rest: [[Double]], hertz: Double) -> Double {
        var best = 0.0
        for readout in 0..<Self.readouts {
            let perBand = 2 * Double.pi * hertz * Double(readout) * Self.readoutStep / Double(Self.bands)
            let (stepCos, stepSin) = (cos(perBand), sin(perBand))
            var re = 0.0
            var im = 0.0
            for (frame, bands) in zip(frames, rest) {
                let start = 2 * Double.pi * hertz * (frame.time - frames[0].time)
                var (c, s) = (cos(start), sin(start))
                for value in bands {
                    re += value * c
                    im += value * s
                    (c, s) = (c * stepCos - s * stepSin, s * stepCos + c * stepSin)
                }
            }
            best = max(best, re * re + im * im)
        }
        return 2 * best.squareRoot() / Double(frames.count * Self.bands)
    }
}
