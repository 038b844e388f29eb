internal import NightfuseCore
internal import NightfusePipeline

/// `nightfuse compare PICTURE TRUTH`.
func compareVerb(_ run: VerbRun) throws(NightfuseError) {
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
