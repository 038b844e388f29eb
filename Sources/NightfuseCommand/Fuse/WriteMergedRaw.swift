internal import Nightfuse
internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfuseRaw

/// Quality of the preview: artefacts of a JPEG of 90 are below what an overview shows.
private let previewQuality = 90

/// Writes the merged raw frame as DNG, with a preview and the frames it was made of.
func writeMergedRaw(
    _ result: FusionResult, of outcome: BurstFusion.Outcome, _ request: FuseRequest
) throws(NightfuseError) {
    guard let raw = result.mergedRaw else {
        throw .argument("\(request.output.path): a DNG needs raw frames; name it .png or .jpg")
    }
    let preview = MemorySink()
    try encodeJPEG(
        EncodedPicture(planes: result.picture.planes, maxCode: result.picture.maxCode), quality: previewQuality,
        to: preview)
    var writer = DNGWriter()
    writer.preview = DNGWriter.Preview(jpeg: preview.bytes)
    let record = compositeRecord(of: outcome)
    writer.composite = DNGWriter.Composite(
        sourceCount: record.sources.count, usedCount: record.sources.filter(\.used).count,
        exposureTimes: record.exposureTimes(!raw.carried.bigEndian) ?? [])
    let output = request.output
    try writer.write(
        request.stripLocation ? raw.withoutLocation() : raw, workers: request.run.workers
    ) { (piece) throws(NightfuseError) in
        try output.write(piece)
    }
}
