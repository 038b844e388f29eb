#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

public import NightfuseCore

extension FileAccess {
    /// A PNG without its pixels: all that ``PictureHeader`` looks at, in the order of the file, with one empty chunk where
    /// the pixels were.
    ///
    /// What says how a PNG was taken may stand behind its pixels, and reading those to reach it cost a tenth of a fusion.
    /// Chunks of more than `limits.metadataBytes`, which count as not there, are left out too. What is no PNG, or is cut
    /// off, comes as far as it goes.
    ///
    /// - Throws: as ``read(_:limits:)``.
    public static func readPNGHead(_ path: FilePath, limits: Limits) throws(NightfuseError) -> [UInt8] {
        let (descriptor, size) = try open(path)
        defer { close(descriptor) }
        var head = try readPart(descriptor, 0..<min(signatureBytes, size), of: path)
        var at = signatureBytes
        var hasPixels = false
        while at + frameBytes <= size {
            let start = try readPart(descriptor, at..<at + 8, of: path)
            guard start.count == 8 else { break }
            let length = start[..<4].reduce(0) { $0 << 8 | Int($1) }
            let end = at + frameBytes + length
            guard end <= size else { break }
            let type = String(decoding: start[4...], as: UTF8.self)
            if type == "IDAT" {
                if !hasPixels { head += emptyPixels }
                hasPixels = true
            } else if length <= limits.metadataBytes {
                head += try readPart(descriptor, at..<end, of: path)
            }
            if type == "IEND" { break }
            at = end
        }
        return head
    }

    private static let signatureBytes = 8
    /// Length, type and checksum of a chunk.
    private static let frameBytes = 12
    /// A chunk IDAT of no bytes, with its checksum.
    private static let emptyPixels: [UInt8] = [0, 0, 0, 0] + Array("IDAT".utf8) + [0x35, 0xAF, 0x06, 0x1E]

    /// Bytes of a file from a place on; fewer where it ends before.
    private static func readPart(
        _ descriptor: Int32, _ range: Range<Int>, of path: FilePath
    ) throws(NightfuseError) -> [UInt8] {
        guard lseek(descriptor, off_t(range.lowerBound), SEEK_SET) >= 0 else { throw failure(path) }
        return try read(descriptor, count: range.count, of: path)
    }
}
