public import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// A separable interpolation kernel of eight taps, tabulated at 256 phases a sample.
///
/// Tap `t` of phase `p` weighs the sample at `floor(position) + t - 3`. Every phase sums to 1.
public struct InterpolationKernel: Sendable {
    /// Phases a sample; a position is rounded down to the nearest (error at most 1/512 sample on average).
    public static let phases = 256

    /// `phases` rows of eight weights.
    public let weights: [SIMD8<Float>]
    /// Mean over the phases of the weights' sum of squares: what is left of white noise along one axis.
    public let noiseGain: Float
    /// Whether the first or the last tap ever weighs anything.
    public let hasOuterTaps: Bool

    /// - Parameter profile: the kernel as a function of distance in samples, -4 to 4.
    public init(profile: (Double) -> Double) {
        var table = [SIMD8<Float>]()
        var power = 0.0
        for phase in 0..<Self.phases {
            let fraction = (Double(phase) + 0.5) / Double(Self.phases)
            let taps = (0..<8).map { profile(Double($0) - 3 - fraction) }
            let sum = taps.reduce(0, +)
            var row = SIMD8<Float>()
            for t in 0..<8 { row[t] = Float(taps[t] / sum) }
            power += taps.reduce(0) { $0 + $1 * $1 } / (sum * sum)
            table.append(row)
        }
        weights = table
        hasOuterTaps = table.contains { $0[0] != 0 || $0[7] != 0 }
        noiseGain = Float(power / Double(Self.phases))
    }

    /// Windowed sinc with `lobes` lobes (2 to 4): Duchon, "Lanczos filtering in one and two dimensions", 1979.
    public static func lanczos(lobes: Double) -> InterpolationKernel {
        InterpolationKernel(profile: lanczosProfile(lobes))
    }

    /// The windowed sinc as a function of distance in samples.
    static func lanczosProfile(_ lobes: Double) -> (Double) -> Double {
        func sinc(_ x: Double) -> Double { abs(x) < 1e-9 ? 1 : sin(.pi * x) / (.pi * x) }
        return { abs($0) < lobes ? sinc($0) * sinc($0 / lobes) : 0 }
    }

    /// The cardinal cubic spline, cut at four samples (it falls by 0.27 a sample): interpolates, and passes high
    /// frequencies better than windowed sincs of the same length. Unser, "Splines: a perfect fit for signal and
    /// image processing", 1999, section "cardinal splines".
    public static let cardinalCubic = InterpolationKernel { x in
        func bSpline(_ x: Double) -> Double {
            let a = abs(x)
            return a < 1 ? 2.0 / 3 - a * a + a * a * a / 2 : a < 2 ? pow(2 - a, 3) / 6 : 0
        }
        // The prefilter's impulse response: -6 z / (1 - z^2) z^|k|, z = sqrt(3) - 2.
        let z = 3.0.squareRoot() - 2
        var sum = 0.0
        for k in -8...8 { sum += -6 * z / (1 - z * z) * pow(z, Double(abs(k))) * bSpline(x - Double(k)) }
        return sum
    }

    /// Mean over the phases of |H|^2 and of Re H, the kernel's response at `frequency` (0 to 0.5 cycles a sample).
    public func response(frequency: Double) -> (power: Double, amplitude: Double) {
        var power = 0.0
        var amplitude = 0.0
        for (phase, row) in weights.enumerated() {
            let fraction = (Double(phase) + 0.5) / Double(Self.phases)
            var re = 0.0
            var im = 0.0
            for t in 0..<8 {
                let angle = 2 * Double.pi * frequency * (Double(t) - 3 - fraction)
                re += Double(row[t]) * cos(angle)
                im += Double(row[t]) * sin(angle)
            }
            power += re * re + im * im
            amplitude += re
        }
        return (power / Double(Self.phases), amplitude / Double(Self.phases))
    }
}

/// Resamples `count` positions out of `planes` planes of the same shape with `kernel`.
///
/// - Parameters:
///   - sources: for each plane, its sample (0, 0); rows lie `stride` apart. For every position
///     `floor(y) - 3 ... floor(y) + 4` must be rows that can be read, the same for columns (the caller pads).
///   - xs, ys: positions in samples.
///   - outputs: `count` values for each plane.
///
/// Linear in the samples, any range. 64 multiplications a position and plane. The sum is taken row by row, then
/// over eight lanes in a fixed order.
public func resampleRow(
    _ sources: [Row<Float>], stride: Int, xs: Row<Float>, ys: Row<Float>, count: Int,
    kernel: InterpolationKernel, outputs: [MutableRow<Float>]
) {
    kernel.weights.withRow { weights in
        // Kernels of six taps leave the first and the last row alone.
        let outer = kernel.hasOuterTaps
        for (plane, source) in sources.enumerated() {
            let output = outputs[plane]
            for i in 0..<count {
                let floorX = floorInt(xs[i])
                let floorY = floorInt(ys[i])
                let phaseX = Int((xs[i] - Float(floorX)) * Float(InterpolationKernel.phases))
                let phaseY = Int((ys[i] - Float(floorY)) * Float(InterpolationKernel.phases))
                let wx = weights[min(phaseX, InterpolationKernel.phases - 1)]
                let wy = weights[min(phaseY, InterpolationKernel.phases - 1)]
                let p = source + (floorY - 2) * stride + floorX - 3
                var sum = load(p) * wy[1]
                sum += load(p + stride) * wy[2]
                sum += load(p + 2 * stride) * wy[3]
                sum += load(p + 3 * stride) * wy[4]
                sum += load(p + 4 * stride) * wy[5]
                sum += load(p + 5 * stride) * wy[6]
                if outer {
                    sum += load(p - stride) * wy[0]
                    sum += load(p + 6 * stride) * wy[7]
                }
                let products = sum * wx
                let quads = products.lowHalf + products.highHalf
                output[i] = (quads[0] + quads[2]) + (quads[1] + quads[3])
            }
        }
    }
}

/// Bilinear samples of one plane; positions are clamped to the plane.
public func sampleBilinear(
    _ plane: Plane<Float>, xs: Row<Float>, ys: Row<Float>, count: Int,
    into output: MutableRow<Float>
) {
    let maxX = Float(plane.width - 1)
    let maxY = Float(plane.height - 1)
    let stride = plane.stride
    let stepX = plane.width > 1 ? 1 : 0
    let stepY = plane.height > 1 ? stride : 0
    let lastX = max(plane.width - 2, 0)
    let lastY = max(plane.height - 2, 0)
    for i in 0..<count {
        let x = min(max(xs[i], 0), maxX)
        let y = min(max(ys[i], 0), maxY)
        let ix = min(Int(x), lastX)
        let iy = min(Int(y), lastY)
        let fx = x - Float(ix)
        let fy = y - Float(iy)
        let p = Row(plane.base) + iy * stride + ix
        let top = p[0] + (p[stepX] - p[0]) * fx
        let bottom = p[stepY] + (p[stepY + stepX] - p[stepY]) * fx
        output[i] = top + (bottom - top) * fy
    }
}

/// Bilinear samples of one plane along a row whose positions are all but evenly spaced, eight at a time.
///
/// - Parameter nodes: positions at columns 0, 4, 8, ... of the row; `count / 4 + 3` of them. In between they are taken
///   on the line; where they turn or spread by more than an eighth of a sample in eight, and at the plane's edges, every
///   sample is taken for itself, clamped to the plane.
public func sampleBilinear(
    _ plane: Plane<Float>, nodes: (x: Row<Float>, y: Row<Float>), count: Int,
    into output: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.sampleBilinear(
                Row(plane.base), width: plane.width, height: plane.height, stride: plane.stride, nodesX: nodes.x,
                nodesY: nodes.y, count: count, into: output)
        }
    #endif
    NightfuseLoops.sampleBilinear(
        Row(plane.base), width: plane.width, height: plane.height, stride: plane.stride, nodesX: nodes.x,
        nodesY: nodes.y,
        count: count, into: output)
}

/// The largest integer not above `x`, for |x| below 2^30.
@inlinable @inline(__always)
public func floorInt(_ x: Float) -> Int {
    let truncated = Int(Int32(x))
    return Float(truncated) > x ? truncated - 1 : truncated
}
