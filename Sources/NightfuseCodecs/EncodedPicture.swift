public import NightfuseCore

/// What an encoder is given: samples and what to say of them.
public struct EncodedPicture {
    /// One plane (grey) or three, of one size.
    public var planes: [Plane<UInt16>]
    /// The code of full scale, 255 or 65535. Larger samples of an 8-bit picture count as 255.
    public var maxCode: Int
    /// EXIF block, TIFF header first; may be empty.
    public var exif: [UInt8]
    /// ICC profile; may be empty.
    public var icc: [UInt8]

    /// A picture to be written: one plane or three of one size, codes 0 to `maxCode`.
    public init(planes: [Plane<UInt16>], maxCode: Int, exif: [UInt8] = [], icc: [UInt8] = []) {
        precondition(planes.count == 1 || planes.count == 3)
        precondition(maxCode == 255 || maxCode == 65535)
        (self.planes, self.maxCode, self.exif, self.icc) = (planes, maxCode, exif, icc)
    }

    var width: Int { planes[0].width }
    var height: Int { planes[0].height }

    /// The profile as it is written: a colour profile does not fit a grey picture, nor the other way round, and one with
    /// the same curve takes its place.
    var fittingProfile: [UInt8] {
        switch (ICCProfile(icc)?.model, planes.count) {
        case (.grey, 3), (.rgb, 1): ColourTag(profile: icc, channels: planes.count).icc
        default: icc
        }
    }

    /// Calls `write` with bands of rows, top to bottom; it tells the error it met.
    func rows(
        _ write: (_ planes: UnsafePointer<UnsafePointer<UInt16>?>, _ stride: Int, _ rows: Int) throws(NightfuseError) ->
            Void
    ) throws(NightfuseError) {
        // Enough to make calls cheap, little enough to stay in the cache.
        let grain = 16
        var top = 0
        while top < height {
            let bases = planes.map { UnsafePointer?($0.row(top).pointer($0.width)) }
            let count = min(grain, height - top)
            try bases.withUnsafeBufferPointer { (buffer) throws(NightfuseError) in
                // Never nil: there is one plane at least.
                try write(buffer.baseAddress.unsafelyUnwrapped, planes[0].stride, count)
            }
            top += count
        }
    }
}
