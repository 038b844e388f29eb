internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfuseRaw

/// Reads one frame, by its content: a picture, or a raw frame where it is a DNG.
func readFrame(_ path: FilePath, limits: Limits) throws(NightfuseError) -> Frame {
    let bytes = try FileAccess.read(path, limits: limits)
    guard PictureFormat.sniff(bytes) == .dng else {
        return .picture(try decodePicture(bytes, name: "\(path)", limits: limits))
    }
    throw .unsupported("\(path)", "raw")
}

/// The header of a frame; nil where it cannot be read.
func readHeader(_ path: FilePath, limits: Limits) -> FrameHeader? { nil }
