internal import Nightfuse

/// Exposure, ISO and time of preview frames: from EXIF, and from flags where EXIF does not say.
struct PreviewTagReader {
    private let exposure: Double?
    private let iso: Double?
    private let framesPerSecond: Double?
    private let previewCount: Int
    /// Whether times are counted by --fps; the first frame decides, since clocks must not be mixed.
    private var counts: Bool?
    private var last: Double?

    init(_ arguments: Arguments, previewCount: Int) {
        exposure = arguments.number("--exposure")
        iso = arguments.number("--iso")
        framesPerSecond = arguments.number("--fps")
        self.previewCount = previewCount
    }

    /// - Throws: `.file` naming the flags that would say what the file does not.
    mutating func read(_ info: CaptureInfo, index: Int, name: String) throws(NightfuseError) -> PreviewTags {
        let exposure = info.exposureSeconds ?? exposure
        let iso = info.iso ?? iso
        let time = time(info, index: index)
        if time == nil, counts == false {
            throw .file(name, "its EXIF has no time with parts of a second, which those before it have")
        }
        var missing: [String] = []
        if exposure == nil { missing.append("exposure time (--exposure S)") }
        if iso == nil { missing.append("ISO (--iso N)") }
        if time == nil { missing.append("time with parts of a second (--fps F)") }
        guard let exposure, let iso, let time else {
            throw .file(name, "its EXIF has no \(missing.joined(separator: ", no ")); give the flag")
        }
        if let last, time <= last, counts == false {
            throw .file(name, "its time is not after that of the preview before it; put them in order")
        }
        last = time
        return PreviewTags(exposureSeconds: exposure, iso: iso, timeSeconds: time, name: name)
    }

    private mutating func time(_ info: CaptureInfo, index: Int) -> Double? {
        // Whole seconds are too coarse for previews, thirty of which fall into one.
        let isFine = info.date?.contains(".") ?? true
        let exact = isFine ? info.timeSeconds : nil
        if counts == nil { counts = exact == nil }
        if counts == false { return exact }
        if let framesPerSecond { return Double(index) / framesPerSecond }
        // One frame needs no pace.
        return previewCount == 1 ? 0 : nil
    }
}
