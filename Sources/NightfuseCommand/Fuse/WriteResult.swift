internal import Nightfuse
internal import NightfuseCodecs

/// Writes the picture, and the maps where they were asked for. OUT comes last: where it is, all is there.
func writeResult(
    _ result: FusionResult, of outcome: BurstFusion.Outcome, _ request: FuseRequest
) throws(NightfuseError) {
    switch request.format {
    case .png, .jpeg: try writePicture(result.picture, of: outcome, request)
    case .dng: try writeMergedRaw(result, of: outcome, request)
    }
    try request.maps?.write(result)
    try request.output.commit()
}

private func writePicture(
    _ picture: Picture, of outcome: BurstFusion.Outcome, _ request: FuseRequest
) throws(NightfuseError) {
    let exif = resultEXIF(picture, of: outcome, stripLocation: request.stripLocation)
    for note in exif.notes { request.run.warn("\(request.output.path): \(note)") }
    let encoded = EncodedPicture(planes: picture.planes, maxCode: picture.maxCode, exif: exif.bytes, icc: picture.icc)
    if request.format == .jpeg {
        try encodeJPEG(encoded, quality: request.quality, to: request.output)
    } else {
        try encodePNG(encoded, bits: picture.maxCode > 255 ? 16 : 8, to: request.output)
    }
}

/// The reference frame's EXIF with what fusion changed, and the frames it was made of.
private func resultEXIF(
    _ picture: Picture, of outcome: BurstFusion.Outcome, stripLocation: Bool
) -> (bytes: [UInt8], notes: [String]) {
    var edit = EXIFEdit(width: picture.width, height: picture.height)
    edit.block = picture.exif
    edit.info = outcome.frames[outcome.reference].facts?.info ?? picture.info
    edit.isSRGB = picture.icc.isEmpty
    edit.stripLocation = stripLocation
    edit.composite = compositeRecord(of: outcome)
    return edit.make()
}

/// The frames that a result was made of.
func compositeRecord(of outcome: BurstFusion.Outcome) -> CompositeRecord {
    let read = outcome.frames.filter { $0.facts != nil }
    return CompositeRecord(
        sources: read.map {
            CompositeRecord.Source(exposureSeconds: $0.report.exposureSeconds, used: $0.report.used)
        }, periodSeconds: shootingTime(read))
}

/// From the first frame's start to the last one's end, in seconds; nil where a frame's time is unknown.
private func shootingTime(_ frames: [FrameEntry]) -> Double? {
    var (first, last) = (Double.infinity, -Double.infinity)
    for frame in frames {
        guard let start = frame.facts?.info.timeSeconds else { return nil }
        first = min(first, start)
        last = max(last, start + (frame.report.exposureSeconds ?? 0))
    }
    return first < last ? last - first : nil
}
