public import NightfuseCore

/// Most bytes of an EXIF block in a JPEG: one segment, less its length and name.
public let mostJPEGExifBytes = 65533 - 6
/// Most bytes of a profile: 255 segments.
private let mostJPEGProfileBytes = 255 * (65533 - 14)
/// From this quality on colour is kept at full size; below, a saving of a fifth is worth more than its edges.
private let fullColourQuality = 90

/// Writes a baseline JPEG: colour at full size (4:4:4) from quality 90 on, else at half (4:2:0).
///
/// - Parameter quality: 1 to 100.
/// - Throws: what the sink throws; `.limit` where a side is over 65500 pixels, or metadata is larger than JPEG can hold,
///   or there is no memory.
public func encodeJPEG(_ picture: EncodedPicture, quality: Int, to sink: any ByteSink) throws(NightfuseError) {
    guard picture.width <= 65500, picture.height <= 65500 else {
        throw .limit("a JPEG cannot hold \(picture.width) x \(picture.height) pixels (at most 65500); write a PNG")
    }
    let profile = picture.fittingProfile
    guard picture.exif.count <= mostJPEGExifBytes, profile.count <= mostJPEGProfileBytes else {
        throw .limit("a JPEG cannot hold metadata of \(picture.exif.count + profile.count) bytes; write a PNG")
    }
    let writer = try JPEGWriter(
        picture, profile: profile, quality: quality, isSubsampled: quality < fullColourQuality)
    try picture.rows { (rows) throws(NightfuseError) in
        try writer.write(rows)
        try writer.drain(to: sink)
    }
    try writer.end()
    try writer.drain(to: sink)
}
