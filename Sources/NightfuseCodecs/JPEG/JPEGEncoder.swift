internal import CCodecShims
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
    var problem = nfk_problem()
    let writer = nfk_jpeg_create(
        Int32(picture.width), Int32(picture.height), Int32(picture.channels), Int32(quality),
        quality < fullColourQuality ? 1 : 0, picture.exif, picture.exif.count, profile, profile.count, &problem)
    guard let writer else { throw problem.error("JPEG") }
    defer { nfk_jpeg_destroy(writer) }
    func drain() throws(NightfuseError) {
        let made = nfk_jpeg_take(writer)
        try sink.write(UnsafeRawBufferPointer(start: made.bytes, count: made.count))
    }
    try picture.rows { (rows, stride, count) throws(NightfuseError) in
        guard nfk_jpeg_write(writer, rows, stride, Int32(count), Int32(picture.maxCode), &problem) == NFK_OK else {
            throw problem.error("JPEG")
        }
        try drain()
    }
    guard nfk_jpeg_end(writer, &problem) == NFK_OK else { throw problem.error("JPEG") }
    try drain()
}
