internal import Nightfuse
internal import NightfuseCodecs

/// Writes the picture, and the maps where they were asked for. OUT stands last: where it is, all is there.
func writeResult(_ result: FusionResult, of outcome: BurstFusion.Outcome, _ request: FuseRequest) throws(NightfuseError)
{
    let picture = result.picture
    let exif = picture.exif
    let encoded = EncodedPicture(planes: picture.planes, maxCode: picture.maxCode, exif: exif, icc: picture.icc)
    switch request.format {
    case .png: try encodePNG(encoded, bits: picture.maxCode > 255 ? 16 : 8, to: request.output)
    case .jpeg: try encodeJPEG(encoded, quality: request.quality, to: request.output)
    case .dng: throw .argument("raw")
    }
    try request.maps?.write(result)
    try request.output.commit()
}
