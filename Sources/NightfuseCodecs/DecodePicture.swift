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
    let exif = EXIFBlock(chunks.exif)
    var info = exif?.captureInfo ?? CaptureInfo()
    let png = try decodePNG(bytes, orientation: info.orientation, name: name, limits: limits)
    info.orientation = 1
    let colour = try chunks.colour(icc: png.icc, channels: png.samples.count, exif: exif, name: name)
    let notes = chunks.notes + colour.notes + brokenNote(chunks.exif, exif) + (png.note.map { [$0] } ?? [])
    return Picture(
        samples: png.samples, maxCode: png.maxCode, bits: png.bits, name: name, colour: colour.space, info: info,
        exif: exif == nil ? [] : chunks.exif, icc: colour.icc, format: "PNG", notes: notes)
}

private func decodeJPEGPicture(_ bytes: [UInt8], name: String, limits: Limits) throws(NightfuseError) -> Picture {
    let segments = JPEGSegments(bytes, metadataLimit: limits.metadataBytes)
    let exif = EXIFBlock(segments.exif)
    var info = exif?.captureInfo ?? CaptureInfo()
    let jpeg = try decodeJPEG(bytes, orientation: info.orientation, name: name, limits: limits)
    info.orientation = 1
    let colour = segments.colour(channels: jpeg.planes.count, exif: exif)
    var notes = segments.notes + colour.notes + brokenNote(segments.exif, exif)
    if jpeg.isCMYK { notes.append("CMYK is turned into RGB without a profile; colours are approximate") }
    if let note = jpeg.note { notes.append(note) }
    return Picture(
        samples: .bytes(jpeg.planes), maxCode: 255, bits: 8, name: name, colour: colour.space, info: info,
        exif: exif == nil ? [] : segments.exif, icc: colour.icc, format: "JPEG", notes: notes)
}

private func brokenNote(_ bytes: [UInt8], _ block: EXIFBlock?) -> [String] {
    bytes.isEmpty || block != nil ? [] : ["the EXIF block is broken and is left out"]
}
