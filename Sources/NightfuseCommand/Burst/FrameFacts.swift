internal import NightfuseCore
package import NightfusePipeline

/// One file of a burst: what became of it, and what is known of it.
package struct FrameEntry: Sendable {
    package var report: FrameReport
    /// Nil where the file could not be read.
    var facts: FrameFacts?
    /// Whether the session looked at it, so that shift, sharpness and weight mean something.
    package var isMeasured = false
    /// A small picture of it, where a report wants one.
    var thumbnail: EmbeddedImage?

    package init(_ report: FrameReport, isMeasured: Bool) {
        self.report = report
        self.isMeasured = isMeasured
    }
}

/// What a decoded frame says of itself, kept when its pixels are gone.
struct FrameFacts: Sendable {
    /// What only a raw file has.
    struct Raw: Sendable {
        var pattern: String
        var black: [Double]
        var white: [Double]
        var compression: String
        var noise: [NoiseModel]
    }

    /// Size of the picture, upright; for raw frames that of the crop.
    var width: Int
    var height: Int
    var bits: Int
    var format: String
    var colour: String
    var info: CaptureInfo
    var raw: Raw?
    /// Things skipped or assumed, a sentence each.
    var notes: [String]

    init(_ frame: Frame) {
        switch frame {
        case .picture(let picture):
            (width, height, bits) = (picture.width, picture.height, picture.bits)
            (format, colour, info) = (picture.format, picture.colour.name, picture.info)
            notes = picture.notes
        case .raw(let frame):
            let turned = frame.info.orientation >= 5
            (width, height) = turned ? (frame.crop.height, frame.crop.width) : (frame.crop.width, frame.crop.height)
            (bits, format, colour, info) = (frame.bits, "DNG", "raw", frame.info)
            raw = Raw(
                pattern: frame.patternName, black: frame.black, white: frame.white, compression: frame.compression,
                noise: frame.noise)
            notes = frame.notes
        }
    }
}

extension RawFrame {
    /// "RGGB" and its kin, row by row; "linear" where each pixel has all colours.
    fileprivate var patternName: String {
        switch layout {
        case .linear: "linear"
        case .mosaic(let colours): String(colours.map { ["R", "G", "B"][Int(min($0, 2))] as Character })
        }
    }
}
