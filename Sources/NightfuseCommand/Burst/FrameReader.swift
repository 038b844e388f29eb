private import Dispatch
internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfuseRaw

/// Memory for the bytes of one file, used for the next one again. None is kept until the reference is chosen, which is when
/// a fusion holds most. Unchecked: every access holds the lock.
final class FileBuffer: @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)
    private var bytes: [UInt8] = []
    private var keeps = false

    /// What is given is kept from now on.
    func keep() {
        lock.wait()
        keeps = true
        lock.signal()
    }

    /// The memory, or none where it is in use; to be given back.
    func take() -> [UInt8] {
        lock.wait()
        defer { lock.signal() }
        let taken = bytes
        bytes = []
        return taken
    }

    func give(_ used: consuming [UInt8]) {
        lock.wait()
        defer { lock.signal() }
        if keeps, used.capacity > bytes.capacity { bytes = used }
    }

    /// Returns the memory to the system.
    func clear() { _ = take() }
}

/// Reads one frame, by its content: a picture, or a raw frame where it is a DNG.
func readFrame(
    _ path: FilePath, limits: Limits, workers: Workers, buffer: FileBuffer? = nil
) throws(NightfuseError) -> Frame {
    do throws(NightfuseError) {
        return try decodeFrame(path, limits: limits, workers: workers, buffer: buffer)
    } catch .limit(let reason) where !reason.hasPrefix("\(path): ") {
        // Planes that the system has no memory for know nothing of files.
        throw .limit("\(path): \(reason)")
    }
}

private func decodeFrame(
    _ path: FilePath, limits: Limits, workers: Workers, buffer: FileBuffer?
) throws(NightfuseError) -> Frame {
    var bytes = buffer?.take() ?? []
    try FileAccess.read(path, limits: limits, into: &bytes)
    defer { buffer?.give(bytes) }
    if PictureFormat.sniff(bytes) == .dng {
        return .raw(try DNGReader.read(bytes, name: "\(path)", limits: limits, workers: workers))
    }
    return .picture(try decodePicture(bytes, name: "\(path)", limits: limits))
}

/// Bytes that most files' headers end within: preview and profile of a JPEG, the directories of a DNG.
private let headBytes = 256 << 10

/// The header of a frame; nil where it cannot be read, which its decoder will tell.
///
/// Files are tens of megabytes, and will be read once more to be decoded: the whole is looked at only where its start does
/// not tell. A PNG's EXIF may stand behind its pixels, which are skipped; so may a DNG's.
func readHeader(_ path: FilePath, limits: Limits, buffer: FileBuffer? = nil) -> FrameHeader? {
    do throws(NightfuseError) {
        let start = try FileAccess.readStart(path, count: headBytes)
        let format = PictureFormat.sniff(start)
        if format == .png { return header(try FileAccess.readPNGHead(path, limits: limits), of: path, limits: limits) }
        // Directories and values that lie behind the start make a DNG's header one that cannot be read.
        if format == .jpeg || format == .dng,
            let header = header(start, of: path, limits: limits, isStart: start.count == headBytes)
        {
            return header
        }
        var bytes = buffer?.take() ?? []
        try FileAccess.read(path, limits: limits, into: &bytes)
        defer { buffer?.give(bytes) }
        return header(bytes, of: path, limits: limits)
    } catch {
        return nil
    }
}

private func header(
    _ bytes: [UInt8], of path: FilePath, limits: Limits, isStart: Bool = false
) -> FrameHeader? {
    do throws(NightfuseError) {
        if PictureFormat.sniff(bytes) == .dng {
            let header = try DNGHeader(bytes, name: "\(path)", limits: limits, isStart: isStart)
            return FrameHeader(
                file: "\(path)", width: header.width, height: header.height, isRaw: true, colour: "raw",
                exposureProduct: header.info.exposureProduct)
        }
        let header = try PictureHeader(bytes, name: "\(path)", limits: limits)
        return FrameHeader(
            file: "\(path)", width: header.width, height: header.height, isRaw: false,
            isGrey: header.isGrey, bits: header.bits, colour: header.colour.name,
            colourSpace: header.colour, exposureProduct: header.info.exposureProduct)
    } catch {
        return nil
    }
}
