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
    let bytes = try FileAccess.read(path, limits: limits)
    if PictureFormat.sniff(bytes) == .dng {
        return .raw(try DNGReader.read(bytes, name: "\(path)", limits: limits, workers: workers))
    }
    return .picture(try decodePicture(bytes, name: "\(path)", limits: limits))
}

/// The header of a frame; nil where it cannot be read, which its decoder will tell.
func readHeader(_ path: FilePath, limits: Limits) -> FrameHeader? {
    do throws(NightfuseError) {
        let bytes = try FileAccess.read(path, limits: limits)
        if PictureFormat.sniff(bytes) == .dng {
            let header = try DNGHeader(bytes, name: "\(path)", limits: limits)
            return FrameHeader(
                file: "\(path)", width: header.width, height: header.height, isRaw: true, colour: "raw",
                exposureProduct: header.info.exposureProduct)
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
