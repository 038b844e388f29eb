/// What a fusion needs, before anything is allocated.
public enum MemoryEstimate {
    /// Peak bytes of a fusion of frames of this size, whatever their number.
    ///
    /// A pixel needs 24 bytes for three frames of 16 bits and the one decoded ahead, 14 for the sums of the merge, 12 for
    /// pyramids (40 below 1.5 megapixels, where they begin at full size), and 20 more where long exposures are merged by
    /// frequency: 80 (measured at 12 megapixels: 38 with frames of 8 bits, 47 with 16 or raw).
    public static func fusion(width: Int, height: Int) -> Int {
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        let (bytes, overflow2) = pixels.multipliedReportingOverflow(by: 80)
        return overflow || overflow2 || bytes > Int.max - fixed ? Int.max : bytes + fixed
    }

    /// Tables, thread stacks and the program itself.
    private static let fixed = 64 << 20

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
