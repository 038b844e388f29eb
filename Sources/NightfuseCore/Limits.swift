/// What a caller allows before anything is allocated. Every decoder takes one.
public struct Limits: Equatable, Sendable {
    /// Most pixels of one frame. Default 2^28 (268 megapixels).
    public var pixels: Int = 1 << 28
    /// Most bytes held at once. Default 4 GiB; the command sets half of the machine's memory.
    public var memoryBytes: Int = 4 << 30
    /// Whether large planes live in files (``ScratchPlanes``) and count for nothing in ``memoryBytes``.
    package var planesAreInFiles = false
    /// Most bytes of one metadata block (EXIF, ICC, XMP). Default 16 MiB.
    public var metadataBytes: Int = 16 << 20
    /// Most image file directories of one TIFF or DNG. Default 64.
    public var directories: Int = 64

    /// The defaults.
    public init() {}

    /// What planes of so many bytes count for in ``memoryBytes``.
    package func planeBytes(_ bytes: Int) -> Int { planesAreInFiles ? 0 : bytes }

    /// Throws `.limit`, saying what would do, unless a frame of this size, at `bytesPerPixel` bytes a pixel, is allowed.
    public func check(width: Int, height: Int, bytesPerPixel: Int, name: String) throws(NightfuseError) {
        guard width > 0, height > 0 else { throw .file(name, "size \(width) x \(height) makes no picture") }
        let (count, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, count <= pixels else {
            throw .limit("\(name): \(width) x \(height) is more than the \(pixels >> 20) Mi pixels allowed")
        }
        let (bytes, overflow2) = count.multipliedReportingOverflow(by: bytesPerPixel)
        guard !overflow2, planeBytes(bytes) <= memoryBytes else {
            let (needed, allowed) = (overflow2 ? Int.max >> 20 : bytes >> 20, memoryBytes >> 20)
            throw .limit(
                "\(name): \(width) x \(height) needs \(needed) MiB, and \(allowed) MiB are allowed; "
                    + "--max-memory \(needed + 1)M would do")
        }
    }
}
