internal import NightfuseCore
internal import NightfusePipeline

/// Bytes a pixel that a comparison holds at most, the two pictures among them: 39 were measured at 12 megapixels.
private let bytesPerPixel = 40

/// `nightfuse compare PICTURE TRUTH`.
func compareVerb(_ run: VerbRun) throws(NightfuseError) {
    for path in run.arguments.operands {
        // What cannot be read is told by its decoder; raw pictures have their fusion's own check.
        guard let header = readHeader(path, limits: run.limits), !header.isRaw else { continue }
        try run.limits.check(
            width: header.width, height: header.height, bytesPerPixel: bytesPerPixel, name: "\(path)")
    }
    let pictures = try run.arguments.operands.map { (path) throws(NightfuseError) in try readDeveloped(path, run) }
    let figures = try PictureComparison(pictures[0], truth: pictures[1], workers: run.workers)
    try run.report(
        .object([
            "psnr": .number(figures.psnr), "ssim": .number(figures.ssim), "sharpness": .optional(figures.sharpness),
        ]),
        text: """
            PSNR       \(fixed(figures.psnr, 2)) dB
            SSIM       \(fixed(figures.ssim, 4))
            Sharpness  \(figures.sharpness.map { fixed($0, 3) } ?? "not known: the truth has no edge")

            """)
}
