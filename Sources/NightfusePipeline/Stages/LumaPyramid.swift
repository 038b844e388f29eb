package import NightfuseCore
internal import NightfuseKernels

/// What alignment looks at: luma in noise units, at half sizes down to a few dozen samples.
///
/// `levels[0]` is pyramid level `base` of the picture (0 full size, 1 half). Luma is (R + 2 G + B) / 4 of linear
/// light on the reference's radiance scale, pooled to the base level, then stabilised so that one frame's noise has
/// standard deviation 1 at full size; every level is smoothed with (1 2 1) / 4 before its slope is taken.
package struct LumaPyramid: Sendable {
    package let base: Int
    package let levels: [Plane<Float>]
    package let smooth: [Plane<Float>]

    /// Pixels above which alignment starts at half size: at night a pixel's own noise outweighs what the finest
    /// level adds (position error falls with the root of pixels times SNR).
    package static let fullSizePixels = 1_500_000

    package static func baseLevel(width: Int, height: Int) -> Int { width * height > fullSizePixels ? 1 : 0 }

    /// - Parameter radianceScale: what the frame's linear light is divided by to stand on the reference's scale.
    package init(
        frame: FrameData, radianceScale: Float, stabiliser: Stabiliser, workers: Workers
    ) throws(NightfuseError) {
        let base = Self.baseLevel(width: frame.width, height: frame.height)
        let width = base == 0 ? frame.width : (frame.width + 1) / 2
        let height = base == 0 ? frame.height : (frame.height + 1) / 2
        let luma = try Plane<Float>(width: width, height: height, isZero: false)
        let factor = 0.25 / radianceScale
        let full = frame.width
        try workers.bands(height, grain: 32, scratch: { Floats(full + 2) }) { (work, _, rows) throws(NightfuseError) in
            let sum = work.base
            for y in rows {
                let out = luma.row(y)
                if base == 0 {
                    frame.lumaRow(y, into: sum)
                    for x in 0..<full { out[x] = sum[x] * factor }
                } else {
                    frame.lumaRow(2 * y, adding: min(2 * y + 1, frame.height - 1), into: sum)
                    sum[full] = sum[full - 1]
                    for x in 0..<width { out[x] = (sum[2 * x] + sum[2 * x + 1]) * (0.25 * factor) }
                }
                stabiliser.apply(out, count: width, into: out)
            }
        }
        var levels = [luma]
        while min(levels[levels.count - 1].width, levels[levels.count - 1].height) >= 48 {
            let last = levels[levels.count - 1]
            let next = try Plane<Float>(
                width: (last.width + 1) / 2, height: (last.height + 1) / 2, isZero: false)
            try downsampleBinomial(last, into: next, workers: workers)
            levels.append(next)
        }
        var smooth: [Plane<Float>] = []
        for level in levels {
            let plane = try Plane<Float>(width: level.width, height: level.height, isZero: false)
            try smoothBinomial(level, into: plane, workers: workers)
            smooth.append(plane)
        }
        self.base = base
        self.levels = levels
        self.smooth = smooth
    }
}
