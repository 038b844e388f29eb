internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfusePipeline

/// Sizes of pictures in a report, in pixels of the longer side: large enough to judge by, small enough that a report of
/// any burst stays under 4 MB.
enum ReportSize {
    static let picture = 1600
    static let map = 800
    static let frame = 160
}

extension EmbeddedImage {
    /// A JPEG of the picture, made smaller where it is larger than `longSide`; its colour profile goes with it.
    init(_ picture: Picture, longSide: Int, quality: Int) throws(NightfuseError) {
        let small = try picture.thumbnail(longSide: longSide)
        let sink = MemorySink()
        try encodeJPEG(EncodedPicture(planes: small.planes, maxCode: 255, icc: small.icc), quality: quality, to: sink)
        self.init(bytes: sink.bytes, type: "image/jpeg", width: small.width, height: small.height)
    }

    /// A small map of 0 to 255 in colours of a ramp.
    init(_ small: Plane<UInt16>, ramp: ColourRamp) throws(NightfuseError) {
        let planes = [
            try Plane<UInt16>(width: small.width, height: small.height),
            try Plane<UInt16>(width: small.width, height: small.height),
            try Plane<UInt16>(width: small.width, height: small.height),
        ]
        let table = (0...255).map { ramp.colour(Double($0) / 255) }
        for y in 0..<small.height {
            let from = small.row(y)
            for c in 0..<3 {
                let to = planes[c].mutableRow(y)
                for x in 0..<small.width { to[x] = UInt16(table[Int(from[x])][c]) }
            }
        }
        let sink = MemorySink()
        try encodeJPEG(EncodedPicture(planes: planes, maxCode: 255), quality: 80, to: sink)
        self.init(bytes: sink.bytes, type: "image/jpeg", width: small.width, height: small.height)
    }
}

/// Colours from nothing to full, growing lighter all the way, so that they can be told apart without seeing colours.
struct ColourRamp {
    /// sRGB, evenly spaced.
    let stops: [[Int]]

    static let frames = ColourRamp(stops: [
        [24, 16, 56], [36, 64, 120], [32, 122, 128], [112, 176, 96], [246, 226, 122],
    ])
    static let motion = ColourRamp(stops: [
        [16, 14, 18], [92, 28, 60], [176, 60, 40], [238, 148, 40], [255, 236, 170],
    ])

    /// The colour at a share, 0 to 1.
    func colour(_ share: Double) -> [Int] {
        let place = min(max(share, 0), 1) * Double(stops.count - 1)
        let low = min(Int(place), stops.count - 2)
        let part = place - Double(low)
        return (0..<3).map { Int(Double(stops[low][$0]) + Double(stops[low + 1][$0] - stops[low][$0]) * part + 0.5) }
    }

    /// The stops of an SVG gradient.
    var gradientStops: String {
        stops.enumerated().map { index, colour in
            let offset = index * 100 / (stops.count - 1)
            return "<stop offset=\"\(offset)%\" stop-color=\"rgb(\(colour.map(String.init).joined(separator: ",")))\"/>"
        }.joined()
    }
}
