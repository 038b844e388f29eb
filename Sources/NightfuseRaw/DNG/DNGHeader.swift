public import NightfuseCore

/// What a raw file says of itself, without its samples.
public struct DNGHeader: Sendable {
    /// Size of the picture: DefaultCrop, upright.
    public let width: Int
    /// Height in pixels, upright.
    public let height: Int
    /// What the file says of how it was taken.
    public let info: CaptureInfo

    /// Reads the directories only; nothing that grows with the picture is allocated.
    ///
    /// - Parameter isStart: whether `bytes` are only the first of the file: where all directories lie in them they are enough.
    /// - Throws: as ``DNGReader/read(_:name:limits:workers:)``.
    public init(
        _ bytes: [UInt8], name: String, limits: Limits, isStart: Bool = false
    ) throws(NightfuseError) {
        let (crop, info) = try FileBytes.read(bytes) { (file) throws(NightfuseError) in
            let tags = try DNGTags(try TIFFFile(file, name: name, limits: limits, isStart: isStart))
            let area = try DNGReader.activeArea(tags.raw, try RasterLayout(tags.raw, limits: limits))
            return (try DNGReader.crop(tags, area), try CaptureInfo(tags))
        }
        let turned = info.orientation >= 5
        width = turned ? crop.height : crop.width
        height = turned ? crop.width : crop.height
        self.info = info
    }
}
