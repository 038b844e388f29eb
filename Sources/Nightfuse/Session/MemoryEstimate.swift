internal import NightfusePipeline

/// What a fusion needs, before anything is allocated.
public enum MemoryEstimate {
    /// Peak bytes of a fusion of frames of this size, whatever they are and whatever their number.
    ///
    /// A pixel needs 24 bytes for three frames of 16 bits and the one decoded ahead, 14 for the sums of the merge, 12 for
    /// pyramids (40 below 1.5 megapixels, where they begin at full size), and 20 more where long exposures are merged by
    /// frequency: 80. (Measured at 12 megapixels: 38 with frames of 8 bits, 47 with 16 or raw.)
    public static func fusion(width: Int, height: Int) -> Int { bytes(width, height, perPixel: 82) }

    /// What is known of a burst of pictures before it is fused.
    package struct Burst: Sendable {
        package var width: Int
        package var height: Int
        /// Bits of a sample: up to 8 are kept in bytes.
        package var bits: Int
        /// Whether exposures are so unlike that some are merged by frequency.
        package var isLong = false
        /// Frames that may be there before they are asked for.
        package var ahead: Int
        /// Whether frames are forgotten and given again; see ``MemoryUse/lean``.
        package var isLean: Bool
        package var threads: Int

        package init(width: Int, height: Int, bits: Int, ahead: Int, isLean: Bool, threads: Int) {
            (self.width, self.height, self.bits) = (width, height, bits)
            (self.ahead, self.isLean, self.threads) = (ahead, isLean, threads)
        }

        /// Peak bytes of its fusion, beside the frames' files.
        package var bytes: Int {
            let frame = bits > 8 ? 6 : 3
            // Three channels of floats and, for every four pixels, two weights.
            let sums = 14
            // Luma of two frames with its levels, slopes and what is brought onto the reference: floats at half size, each a
            // byte a pixel.
            let pyramids = width * height > LumaPyramid.fullSizePixels ? 9 : 40
            let held = FusionSession.mostHeld + ahead
            let choosing = frame * held + pyramids
            let merging = frame * (isLean ? 2 : held) + sums + pyramids + (isLong ? 20 : 0)
            // The picture at half and quarter size, before and after, and rows put by.
            let denoising = frame * (isLean ? 1 : 2) + sums + 12
            let planes = MemoryEstimate.bytes(width, height, perPixel: max(choosing, merging, denoising))
            let working = MemoryEstimate.working(width: width, threads: threads)
            return planes > Int.max - working ? Int.max : planes + working
        }
    }

    /// Peak bytes, beside the frames' files, of a fusion whose planes live in files: the threads' own bands and tiles, and
    /// as much again for the rows of planes that they are at. (Measured: 80 to 90 MiB at 12 megapixels, 95 at 48.)
    package static func scratch(width: Int, threads: Int) -> Int {
        let working = working(width: width, threads: threads)
        return working > (Int.max - fixed) / 2 ? Int.max : fixed + 2 * working
    }

    /// Threads' bands and tiles.
    package static func working(width: Int, threads: Int) -> Int {
        let (bytes, overflow) = (2400 * width + 8 << 20).multipliedReportingOverflow(by: threads)
        return overflow ? Int.max : bytes
    }

    private static func bytes(_ width: Int, _ height: Int, perPixel: Int) -> Int {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: perPixel)
        return overflow || overflow2 || bytes > Int.max - fixed ? Int.max : bytes + fixed
    }

    /// Tables and the program itself.
    private static let fixed = 40 << 20

    /// Throws `.limit` where a fusion that needs so much would need more than allowed; says what would do.
    package static func check(_ needed: Int, name: String, limits: Limits) throws(NightfuseError) {
        guard needed <= limits.memoryBytes else {
            throw .limit(
                "\(name): fusing frames of this size needs about \(needed >> 20) MiB, and "
                    + "\(limits.memoryBytes >> 20) MiB are allowed; --max-memory \((needed >> 20) + 1)M would do")
        }
        guard SystemMemory.canGive(needed) else {
            throw .limit(
                "\(name): fusing frames of this size needs about \(needed >> 20) MiB, and the system does not give that "
                    + "much")
        }
    }
}
