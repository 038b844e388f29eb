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

/// Collaborative filtering of groups of similar 8 x 8 patches (Dabov et al., "Image denoising by sparse 3-D
/// transform-domain collaborative filtering", 2007), for three decorrelated channels whose noise has a known strength
/// at every pixel and a known spectrum.
///
/// The first pass cuts small coefficients; the second, told a pilot, weighs each coefficient by pilot^2 / (pilot^2 +
/// noise). Groups are found on the first channel and shared by all three.
public struct CollaborativeFilter: Sendable {
    /// Distance between reference patches, 1 to 8 pixels.
    public var step = 4
    /// Search reach to every side, in pixels.
    public var radius = 7
    /// Patches in a group at most: a power of two up to 16.
    public var group = 8
    /// Cut of the first pass, in standard deviations; 2.7 in the paper.
    public var cut: Float = 2.7
    /// Patches farther than this many noise variances a pixel (beyond what noise alone gives) stay out of a group.
    public var similarity: Float = 1.5
    /// Relative noise power of every DCT coefficient, three channels of 64, white = 1.
    public var spectrum: [[Float]]

    public init(spectrum: [[Float]]) { self.spectrum = spectrum }

    /// What a pass reads and writes; planes of one size, at least 8 x 8.
    public struct Planes: Sendable {
        public var noisy: [Plane<Float>]
        /// Nil in the first pass.
        public var pilot: [Plane<Float>]?
        /// What patches are compared on: a smoothed first channel, or the pilot's.
        public var guide: Plane<Float>
        /// Noise variance of a pixel of `guide` left after smoothing, relative to `variance`.
        public var guideNoise: Float
        /// Noise variance at every pixel.
        public var variance: Plane<Float>
        /// Weighted sums, three planes, and weights: added to.
        public var sums: [Plane<Float>]
        public var weights: Plane<Float>

        public init(
            noisy: [Plane<Float>], pilot: [Plane<Float>]?, guide: Plane<Float>, guideNoise: Float,
            variance: Plane<Float>, sums: [Plane<Float>], weights: Plane<Float>
        ) {
            self.noisy = noisy
            self.pilot = pilot
            self.guide = guide
            self.guideNoise = guideNoise
            self.variance = variance
            self.sums = sums
            self.weights = weights
        }
    }

    /// Runs all reference patches.
    public func run(_ planes: Planes) {
        run(planes, rows: 0..<planes.guide.height, columns: 0..<planes.guide.width)
    }

    /// Runs the reference patches that start in `rows` and `columns`: at multiples of ``step``, and flush with the far
    /// edges. On one thread, in reading order.
    public func run(_ planes: Planes, rows: Range<Int>, columns: Range<Int>) {
        let all = planes.noisy + planes.sums + (planes.pilot ?? []) + [planes.variance, planes.weights]
        precondition(
            all.allSatisfy { $0.stride == planes.guide.stride && $0.height == planes.guide.height },
            "planes of one size")
        func three(_ planes: [Plane<Float>]) -> (Row<Float>, Row<Float>, Row<Float>) {
            (Row(planes[0].base), Row(planes[1].base), Row(planes[2].base))
        }
        // Patches are kept turned: a vector is a horizontal frequency, its lanes are vertical ones.
        let turned = spectrum.flatMap { table in
            (0..<8).map { i in SIMD8<Float>((0..<8).map { table[$0 * 8 + i] }) }
        }
        turned.withRow { turned in
            kaiser.withRow { window in
                let arguments = PatchArguments(
                    width: planes.guide.width, height: planes.guide.height, stride: planes.guide.stride,
                    noisy: three(planes.noisy), pilot: planes.pilot.map(three), guide: Row(planes.guide.base),
                    variance: Row(planes.variance.base), guideNoise: planes.guideNoise,
                    sums: (planes.sums[0].base, planes.sums[1].base, planes.sums[2].base),
                    weights: planes.weights.base, rows: rows, columns: columns, step: step, radius: radius,
                    group: group, cut: cut, similarity: similarity, spectrum: turned, window: window)
                #if arch(x86_64)
                    if KernelLevel.isV3 { return NightfuseLoopsV3.filterPatches(arguments) }
                #endif
                NightfuseLoops.filterPatches(arguments)
            }
        }
    }
}

/// Kaiser window of parameter 2, as in the paper, so that patch borders do not show.
private let kaiser: [SIMD8<Float>] = {
    func bessel(_ x: Double) -> Double {
        var sum = 1.0
        var term = 1.0
        for k in 1..<20 {
            term *= (x / 2 / Double(k)) * (x / 2 / Double(k))
            sum += term
        }
        return sum
    }
    let w = (0..<8).map { n -> Float in
        let t = 2 * Double(n) / 7 - 1
        return Float(bessel(2 * (1 - t * t).squareRoot()) / bessel(2))
    }
    return (0..<8).map { r in SIMD8<Float>((0..<8).map { w[$0] * w[r] }) }
}()
