package import NightfuseCore
internal import NightfuseKernels

/// What alignment looks at: luma in noise units, at half sizes down to a few dozen samples.
///
/// `smooth[0]` is pyramid level `base` of the picture (0 full size, 1 half). Luma is (R + 2 G + B) / 4 of linear
/// light on the reference's radiance scale, pooled to the base level, then stabilised so that one frame's noise has
/// standard deviation 1 at full size; every level is smoothed with (1 2 1) / 4 before its slope is taken.
package struct LumaPyramid: Sendable {
    package let base: Int
    package let smooth: [Plane<Float>]

    /// Pixels above which alignment starts at half size: at night a pixel's own noise outweighs what the finest
    /// level adds (position error falls with the root of pixels times SNR).
    package static let fullSizePixels = 1_500_000

    package static func baseLevel(width: Int, height: Int) -> Int { width * height > fullSizePixels ? 1 : 0 }

    /// - Parameter radianceScale: what the frame's linear light is divided by to stand on the reference's scale.
    package init(
        frame: FrameData, radianceScale: Float, stabiliser: Stabiliser, workers: Workers
    ) throws(NightfuseError) {
        try self.init(
            usingUp: FrameLight(frame, workers: workers), radianceScale: radianceScale, stabiliser: stabiliser,
            workers: workers)
    }

    /// The same from light that is there already; its luma is overwritten.
    package init(
        usingUp light: FrameLight, radianceScale: Float, stabiliser: Stabiliser, workers: Workers
    ) throws(NightfuseError) {
        base = light.base
        var level = light.luma
        let (luma, scale) = (light.luma, 1 / radianceScale)
        try workers.bands(luma.height, grain: 32) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let row = luma.mutableRow(y)
                stabiliser.apply(Row(row), times: scale, count: luma.width, into: row)
            }
        }
        var smooth: [Plane<Float>] = []
        while true {
            let plane = try Plane<Float>(width: level.width, height: level.height, isZero: false)
            try smoothBinomial(level, into: plane, workers: workers)
            smooth.append(plane)
            guard min(level.width, level.height) >= 48 else { break }
            let next = try Plane<Float>(
                width: (level.width + 1) / 2, height: (level.height + 1) / 2, isZero: false)
            try downsampleBinomial(level, into: next, workers: workers)
            level = next
        }
        self.smooth = smooth
    }
}
