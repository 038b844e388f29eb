internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfuseRaw

/// Reads one frame, by its content: a picture, or a raw frame where it is a DNG.
func readFrame(_ path: FilePath, limits: Limits, workers: Workers) throws(NightfuseError) -> Frame {
    do throws(NightfuseError) {
        return try decodeFrame(path, limits: limits, workers: workers)
    } catch .limit(let reason) where !reason.hasPrefix("\(path): ") {
        // Planes that the system has no memory for know nothing of files.
        throw .limit("\(path): \(reason)")
    }
}

private func decodeFrame(_ path: FilePath, limits: Limits, workers: Workers) throws(NightfuseError) -> Frame {
    if PictureFormat.sniff(try FileAccess.readStart(path, count: headBytes)) == .dng {
        return try FileAccess.readBlock(path, limits: limits).withUnsafeBytes { (bytes) throws(NightfuseError) in
            .raw(try DNGReader.read(bytes, name: "\(path)", limits: limits, workers: workers))
        }
    }
    let bytes = try FileAccess.read(path, limits: limits)
    // A DNG whose directory stands further in.
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
/// not tell. A PNG's EXIF may stand behind its pixels, and so may a DNG's.
func readHeader(_ path: FilePath, limits: Limits) -> FrameHeader? {
    do throws(NightfuseError) {
        let start = try FileAccess.readStart(path, count: headBytes)
        let format = PictureFormat.sniff(start)
        if format == .jpeg || format == .dng, let header = header(start, of: path, limits: limits),
            format == .jpeg || header.exposureProduct != nil
        {
            return header
        }
        if format == .dng {
            return try FileAccess.readBlock(path, limits: limits).withUnsafeBytes { (bytes) throws(NightfuseError) in
                FrameHeader(try DNGHeader(bytes, name: "\(path)", limits: limits), of: path)
            }
        }
        return header(try FileAccess.read(path, limits: limits), of: path, limits: limits)
    } catch {
        return nil
    }
}

private func header(_ bytes: [UInt8], of path: FilePath, limits: Limits) -> FrameHeader? {
    do throws(NightfuseError) {
        if PictureFormat.sniff(bytes) == .dng {
            return FrameHeader(try DNGHeader(bytes, name: "\(path)", limits: limits), of: path)
        }
        let header = try PictureHeader(bytes, name: "\(path)", limits: limits)
        return FrameHeader(
            file: "\(path)", width: header.width, height: header.height, isRaw: false,
            isGrey: header.isGrey, colour: header.colour.name,
            colourSpace: header.colour, exposureProduct: header.info.exposureProduct)
    } catch {
        return nil
    }
}

extension FrameHeader {
    fileprivate init(_ header: DNGHeader, of path: FilePath) {
        self.init(
            file: "\(path)", width: header.width, height: header.height, isRaw: true, colour: "raw",
            exposureProduct: header.info.exposureProduct)
    }
}
