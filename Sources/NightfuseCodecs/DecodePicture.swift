public import NightfuseCore

/// Reads a PNG or a JPEG, by its content: samples as stored, upright, with what the file says of exposure and colour.
///
/// Any lost or corrupt pixel is an error; what is odd but harmless is in the picture's notes. DNG is not read here.
/// Cost: one pass over the bytes; memory is judged by the header before it is asked for.
///
/// - Parameters:
///   - bytes: the whole file.
///   - name: what errors call it.
/// - Throws: `.file` for what is broken, with the place; `.unsupported` for kinds that are not read, with what to do;
///   `.limit` for what is larger than allowed.
public func decodePicture(_ bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) -> Picture {
    switch PictureFormat.sniff(bytes) {
    case .png: return try decodePNGPicture(bytes, name: name, limits: limits)
    case .jpeg: return try decodeJPEGPicture(bytes, name: name, limits: limits)
    case .dng: throw .unsupported(name, "is a DNG, which is read as a raw frame, not as a picture")
    case .refused(let kind, let advice): throw .unsupported(name, "\(kind) is not read; \(advice)")
    case .unknown where bytes.isEmpty: throw .file(name, "is empty")
    case .unknown: throw .file(name, "is not a picture of a known kind (PNG, JPEG and DNG are read)")
    }
}

private func decodePNGPicture(_ bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) -> Picture {
    let chunks = PNGChunks(bytes, metadataLimit: limits.metadataBytes)
    let png = try bytes.withUnsafeBufferPointer { (buffer) throws(NightfuseError) in
        try decodePNG(buffer, orientation: 1, name: name, limits: limits)
    }
    return Picture(
        planes: png.planes, maxCode: png.maxCode, bits: png.bits, name: name, exif: chunks.exif, icc: png.icc,
        format: "PNG", notes: png.note.map { [$0] } ?? [])
}

private func decodeJPEGPicture(_ bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) -> Picture {
    let segments = JPEGSegments(bytes, metadataLimit: limits.metadataBytes)
    let jpeg = try bytes.withUnsafeBufferPointer { (buffer) throws(NightfuseError) in
        try decodeJPEG(buffer, orientation: 1, name: name, limits: limits)
    }
    return Picture(
        planes: jpeg.planes, maxCode: 255, bits: 8, name: name, exif: segments.exif, icc: segments.icc,
        format: "JPEG", notes: segments.notes + (jpeg.note.map { [$0] } ?? []))
}
