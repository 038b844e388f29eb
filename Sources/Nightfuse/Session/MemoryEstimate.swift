/// What a fusion needs, before anything is allocated.
public enum MemoryEstimate {
    /// Peak bytes of a fusion of frames of this size, whatever their number.
    ///
    /// A pixel needs 18 bytes for the frames held until the reference is chosen, 12 for a frame under way and the one
    /// decoded ahead, 20 for the sums of the merge, and up to 40 for pyramids, denoising and finishing, not all at
    /// once: 86 (measured: 80 to 84 at 12 megapixels). Raw frames need no more.
    public static func fusion(width: Int, height: Int) -> Int {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: 86)
        return overflow || overflow2 || bytes > Int.max - fixed ? Int.max : bytes + fixed
    }

    /// Tables, thread stacks and the program itself.
    private static let fixed = 32 << 20

    /// Throws `.limit` where the fusion would need more than allowed; says what would do.
    static func check(width: Int, height: Int, name: String, limits: Limits) throws(NightfuseError) {
        let needed = fusion(width: width, height: height)
        guard needed <= limits.memoryBytes else {
            throw .limit(
                "\(name): fusing frames of \(width) x \(height) needs about \(needed >> 20) MiB, and "
                    + "\(limits.memoryBytes >> 20) MiB are allowed; --max-memory \((needed >> 20) + 1)M would do")
        }
        guard SystemMemory.canGive(needed) else {
            throw .limit(
                "\(name): fusing frames of \(width) x \(height) needs about \(needed >> 20) MiB, and the system does not "
                    + "give that much")
        }
    }
}
