public import NightfuseCore

/// What an encoder is given: samples and what to say of them.
public struct EncodedPicture {
    /// One plane (grey) or three, of one size.
    public var samples: Samples
    /// The code of full scale, 255 or 65535. Larger samples of an 8-bit picture count as 255.
    public var maxCode: Int
    /// EXIF block, TIFF header first; may be empty.
    public var exif: [UInt8]
    /// ICC profile; may be empty.
    public var icc: [UInt8]

    /// A picture to be written: one plane or three of one size, codes 0 to `maxCode`.
    public init(samples: Samples, maxCode: Int, exif: [UInt8] = [], icc: [UInt8] = []) {
        precondition(samples.count == 1 || samples.count == 3)
        precondition(maxCode == 255 || maxCode == 65535)
        (self.samples, self.maxCode, self.exif, self.icc) = (samples, maxCode, exif, icc)
    }

    /// The same of samples in words.
    public init(planes: [Plane<UInt16>], maxCode: Int, exif: [UInt8] = [], icc: [UInt8] = []) {
        self.init(samples: .words(planes), maxCode: maxCode, exif: exif, icc: icc)
    }

    var width: Int { samples.width }
    var height: Int { samples.height }
    /// Planes: 1 or 3.
    var channels: Int { samples.count }

    /// The profile as it is written: a colour profile does not fit a grey picture, nor the other way round, and one with
    /// the same curve takes its place.
    var fittingProfile: [UInt8] {
        switch (ICCProfile(icc)?.model, samples.count) {
        case (.grey, 3), (.rgb, 1): ColourTag(profile: icc, channels: samples.count).icc
        default: icc
        }
    }

    /// Calls `write` with bands of rows, top to bottom.
    func rows(_ write: (PlaneRows<UInt16>) throws(NightfuseError) -> Void) throws(NightfuseError) {
        // Enough to make calls cheap, little enough to stay in the cache.
        let grain = min(16, height)
        let band: [Plane<UInt16>]
        switch samples {
        case .words: band = []
        case .bytes: band = try makePlanes(channels, width: width, height: grain)
        }
        for top in stride(from: 0, to: height, by: grain) {
            let count = min(grain, height - top)
            switch samples {
            case .words(let planes): try write(PlaneRows(planes, top..<top + count))
            case .bytes(let planes):
                for (from, to) in zip(planes, band) { from.widen(rows: top..<top + count, into: to) }
                try write(PlaneRows(band, 0..<count))
            }
            ScratchPlanes.letGo()
        }
    }
}
