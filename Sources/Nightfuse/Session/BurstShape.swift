/// What all frames of a burst must share.
struct BurstShape {
    let width: Int
    let height: Int
    let isGrey: Bool
    let isRaw: Bool
    let colour: ColourSpace
    let name: String
    let format: String
    /// Of raw frames.
    let layout: RawFrame.Layout?
    /// Size of the finished picture.
    let pictureWidth: Int
    let pictureHeight: Int

    init(_ picture: Picture) {
        (width, height, isGrey, isRaw) = (picture.width, picture.height, picture.isGrey, false)
        (colour, name, format, layout) = (picture.colour, picture.name, picture.format, nil)
        (pictureWidth, pictureHeight) = (width, height)
    }

    /// The size is that of the active area, which a merge of the samples needs to be one.
    init(_ raw: RawFrame) {
        (width, height, isGrey, isRaw) = (raw.width, raw.height, false, true)
        (colour, name, format, layout) = (.sRGB, raw.name, "DNG", raw.layout)
        let isTurned = raw.info.orientation >= 5
        pictureWidth = isTurned ? raw.crop.height : raw.crop.width
        pictureHeight = isTurned ? raw.crop.width : raw.crop.height
    }

    init(_ buffer: PixelBuffer, _ tags: FrameTags) {
        (width, height, isGrey, isRaw) = (buffer.width, buffer.height, false, false)
        (colour, name, format, layout) = (tags.colour, tags.name, "buffer", nil)
        (pictureWidth, pictureHeight) = (width, height)
    }

    init(_ mosaic: MosaicBuffer, _ tags: FrameTags) {
        (width, height, isGrey, isRaw) = (mosaic.width, mosaic.height, false, true)
        (colour, name, format, layout) = (.sRGB, tags.name, "buffer", .mosaic(mosaic.sensor.pattern.cell))
        (pictureWidth, pictureHeight) = (width, height)
    }

    /// Whether samples of 8 bits are kept in bytes: those out of a camera's buffers are kept in words.
    var keepsBytes: Bool { format != "buffer" }

    /// A frame of this burst as the picture it was; nil where it was none.
    func picture(_ frame: FrameData) -> Picture? {
        guard frame.maxCode > 0 else { return nil }
        return Picture(
            samples: frame.samples, maxCode: frame.maxCode, bits: frame.maxCode > 255 ? 16 : 8, name: frame.name,
            colour: colour, info: frame.info, exif: frame.exif, icc: frame.icc, format: format)
    }

    /// Throws where the samples are laid out as no camera does it that is known here.
    func checkMosaic() throws(NightfuseError) {
        guard case .mosaic(let cell) = layout else { return }
        guard cell.count == 4, cell.sorted() == [0, 1, 1, 2], cell[0] == cell[3] || cell[1] == cell[2] else {
            throw .unsupported(name, "its mosaic \(cell) is not one of red, two greens on a diagonal, and blue")
        }
    }

    /// Throws, naming the odd one, where `other` cannot belong to this burst.
    func check(_ other: BurstShape) throws(NightfuseError) {
        if other.isRaw != isRaw {
            throw .file(
                other.name, "is \(other.isRaw ? "raw" : "not raw"), unlike \(name): a burst is all raw or all pictures")
        }
        if (other.width, other.height) != (width, height) {
            throw .file(other.name, "is \(other.width) x \(other.height), but \(name) is \(width) x \(height)")
        }
        if other.layout != layout {
            throw .file(other.name, "has another mosaic than \(name)")
        }
        if other.isGrey != isGrey {
            throw .file(other.name, "is \(other.isGrey ? "grey" : "in colour"), unlike \(name)")
        }
        if !other.colour.matches(colour) {
            throw .file(other.name, "is in \(other.colour.name), but \(name) is in \(colour.name)")
        }
    }
}

extension ColourSpace {
    /// The same numbers mean the same colours, to a part in a thousand (profiles are rounded differently).
    fileprivate func matches(_ other: ColourSpace) -> Bool {
        guard zip(toXYZ.m, other.toXYZ.m).allSatisfy({ abs($0 - $1) < 1e-3 }) else { return false }
        return stride(from: 0.0, through: 1.0, by: 1.0 / 16).allSatisfy {
            abs(transfer.linear($0) - other.transfer.linear($0)) < 1e-3
        }
    }
}
