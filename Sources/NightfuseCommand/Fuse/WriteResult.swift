internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseRaw

/// Writes the picture, and the maps where they were asked for. OUT comes last: where it is, all is there.
func writeResult(
    _ result: FusionResult, of outcome: BurstFusion.Outcome, _ target: OutputTarget, _ run: VerbRun
) throws(NightfuseError) {
    switch target.format {
    case .png, .jpeg: try writePicture(result.picture, of: outcome, target, run)
    case .dng: try writeRaw(result, of: outcome, target, run)
    }
    try target.maps?.write(result)
    try target.output.commit()
}

private func writePicture(
    _ picture: Picture, of outcome: BurstFusion.Outcome, _ target: OutputTarget, _ run: VerbRun
) throws(NightfuseError) {
    let exif = resultEXIF(picture, of: outcome, stripLocation: target.stripLocation)
    for note in exif.notes { run.warn("\(target.output.path): \(note)") }
    let encoded = EncodedPicture(
        samples: picture.samples, maxCode: picture.maxCode, exif: exif.bytes, icc: picture.icc)
    if target.format == .jpeg {
        try encodeJPEG(encoded, quality: target.quality, to: target.output)
    } else {
        try encodePNG(encoded, bits: picture.maxCode > 255 ? 16 : 8, to: target.output)
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
    edit.composite = composite(outcome)
    return edit.make()
}

/// The frames that could be read, as EXIF tells them.
private func composite(_ outcome: BurstFusion.Outcome) -> CompositeRecord {
    let read = outcome.frames.filter { $0.facts != nil }
    return CompositeRecord(
        sources: read.map {
            CompositeRecord.Source(exposureSeconds: $0.report.exposureSeconds, used: $0.report.used)
        }, periodSeconds: shootingTime(read))
}

/// Longer side of the picture inside a DNG, in pixels: what viewers show before they develop.
private let previewSide = 1024

private func writeRaw(
    _ result: FusionResult, of outcome: BurstFusion.Outcome, _ target: OutputTarget, _ run: VerbRun
) throws(NightfuseError) {
    guard let raw = result.mergedRaw else { throw .argument("the frames gave no merged raw") }
    let frames = composite(outcome)
    var writer = DNGWriter()
    writer.composite = DNGWriter.Composite(
        sourceCount: frames.sources.count, usedCount: frames.sources.count(where: \.used),
        exposureTimes: frames.exposureTimes(!raw.carried.bigEndian) ?? [])
    // Viewers turn it together with the samples.
    let preview = try result.picture.thumbnail(longSide: previewSide).unturned(raw.info.orientation)
    let jpeg = MemorySink()
    try encodeJPEG(EncodedPicture(planes: preview.planes, maxCode: 255), quality: 85, to: jpeg)
    writer.preview = DNGWriter.Preview(jpeg: jpeg.bytes)
    let output = target.output
    let merged = target.stripLocation ? raw.withoutLocation : raw
    // A piece is there until it is written.
    try unsafe writer.write(merged, workers: run.workers) { (piece) throws(NightfuseError) in
        try unsafe output.write(piece)
    }
}

extension RawFrame {
    fileprivate var withoutLocation: RawFrame {
        var tags = carried
        tags.removeLocation()
        return RawFrame(
            planes: planes, layout: layout, black: black, blackRows: blackRows, blackColumns: blackColumns,
            white: white, neutral: neutral, calibrations: calibrations, baselineExposure: baselineExposure,
            noise: noise, gainMaps: gainMaps, badPixels: badPixels, crop: crop, info: info, name: name, bits: bits,
            compression: compression, notes: notes, carried: tags)
    }
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
