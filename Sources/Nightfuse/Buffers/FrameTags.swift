/// What the camera knows of a frame beside its samples.
public struct FrameTags: Equatable, Sendable {
    /// What messages and reports call the frame. Default "frame".
    public var name: String
    /// Exposure time in seconds, above 0; nil: unknown.
    public var exposureSeconds: Double?
    /// ISO speed, above 0; nil: unknown.
    public var iso: Double?
    /// What the numbers of a picture mean; raw frames have their matrices instead. Default sRGB.
    public var colour: ColourSpace

    /// Tags of a frame; all may be left out, but exposure and ISO make brackets safe.
    public init(
        name: String = "frame", exposureSeconds: Double? = nil, iso: Double? = nil, colour: ColourSpace = .sRGB
    ) {
        (self.name, self.exposureSeconds, self.iso, self.colour) = (name, exposureSeconds, iso, colour)
    }

    func check() throws(NightfuseError) {
        for (what, value) in [("exposure time", exposureSeconds), ("ISO", iso)] {
            guard let value else { continue }
            guard value.isFinite, value > 0 else { throw .argument("\(name): \(what) is \(value); it must be above 0") }
        }
    }

    var info: CaptureInfo {
        var info = CaptureInfo()
        (info.exposureSeconds, info.iso) = (exposureSeconds, iso)
        return info
    }
}
