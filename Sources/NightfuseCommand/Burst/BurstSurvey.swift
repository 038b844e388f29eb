internal import NightfuseCodecs
package import NightfuseCore

/// What a frame's header says, before any pixel is decoded.
package struct FrameHeader: Equatable, Sendable {
    package var file: String
    /// Upright.
    package var width: Int
    package var height: Int
    package var isRaw: Bool
    package var isGrey: Bool
    /// Of a sample; 16 for raw frames.
    package var bits: Int
    /// The colour space's name; "raw" for raw frames.
    package var colour: String
    /// What its numbers mean; nil for raw frames.
    package var colourSpace: ColourSpace?
    package var exposureProduct: Double?

    package init(
        file: String, width: Int, height: Int, isRaw: Bool, isGrey: Bool = false, bits: Int = 16, colour: String,
        colourSpace: ColourSpace? = nil,
        exposureProduct: Double? = nil
    ) {
        self.file = file
        self.width = width
        self.height = height
        self.isRaw = isRaw
        self.isGrey = isGrey
        self.bits = bits
        self.colour = colour
        self.colourSpace = colourSpace
        self.exposureProduct = exposureProduct
    }
}

/// What the headers of a burst say together. Frames whose header cannot be read take no part.
package struct BurstSurvey: Sendable {
    package let headers: [FrameHeader]

    package init(_ headers: [FrameHeader]) { self.headers = headers }

    package var isRaw: Bool { headers.contains(where: \.isRaw) }

    /// Exposure time x ISO of the base frames: what most frames have, to 2 %, the shorter on a tie; nil where none says
    /// it.
    package var baseExposureProduct: Double? {
        let products = headers.compactMap(\.exposureProduct).sorted()
        var best: (product: Double, count: Int)?
        for product in products {
            let count = products.count { abs($0 - product) <= 0.02 * product }
            if count > best?.count ?? 0 { best = (product, count) }
        }
        return best?.product
    }

    /// Refuses a burst whose frames are not of one kind, size and colour space, naming the one that most others
    /// differ from.
    package func check() throws(NightfuseError) {
        try oneOf("kind") { $0.isRaw ? "raw" : $0.isGrey ? "grey" : "in colour" }
        try oneOf("size") { "\($0.width) x \($0.height)" }
        try oneOf("colour space") { header in
            // Two profiles may have one meaning and two names.
            guard let space = header.colourSpace else { return header.colour }
            return headers.first { $0.colourSpace?.agrees(with: space) ?? false }?.colour ?? header.colour
        }
    }

    private func oneOf(_ property: String, _ value: (FrameHeader) -> String) throws(NightfuseError) {
        let values = headers.map(value)
        let counts = Dictionary(values.map { ($0, 1) }, uniquingKeysWith: +)
        guard counts.count > 1, let first = values.first else { return }
        // On a tie the first frame is right.
        let usual =
            counts.max { ($0.value, $0.key == first ? 1 : 0) < ($1.value, $1.key == first ? 1 : 0) }?.key ?? first
        guard let odd = values.firstIndex(where: { $0 != usual }) else { return }
        throw .file(
            headers[odd].file, "is \(values[odd]), the other frames are \(usual); a burst needs one \(property)")
    }
}
