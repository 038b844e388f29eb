internal import NightfuseCore

/// What a preview's JPEG says of itself, for the directory that holds it.
struct DNGPreview {
    let width: Int
    let height: Int
    /// 1 (grey) or 3 (YCbCr).
    let components: Int
    /// Luma samples for each chroma sample, across and down.
    let subsampling: (across: Int, down: Int)
    let byteCount: Int

    /// Finds the frame header.
    ///
    /// - Throws: `.argument` where the bytes are no JPEG of one or three components.
    init(_ jpeg: [UInt8], name: String) throws(NightfuseError) {
        let fault = NightfuseError.argument("\(name): the preview is no JPEG of one or three components")
        func u16(_ at: Int) -> Int { Int(jpeg[at]) << 8 | Int(jpeg[at + 1]) }
        guard jpeg.count > 4, jpeg[0] == 0xFF, jpeg[1] == 0xD8 else { throw fault }
        var at = 2
        while at + 4 <= jpeg.count, jpeg[at] == 0xFF {
            let marker = jpeg[at + 1]
            let length = u16(at + 2)
            guard at + 2 + length <= jpeg.count else { throw fault }
            if [0xC0, 0xC1, 0xC2].contains(marker) {
                guard length >= 11, jpeg[at + 9] == 1 || jpeg[at + 9] == 3, length == 8 + 3 * Int(jpeg[at + 9]),
                    jpeg[at + 11] & 15 > 0, jpeg[at + 11] >> 4 > 0
                else { throw fault }
                (height, width, components) = (u16(at + 5), u16(at + 7), Int(jpeg[at + 9]))
                subsampling = (Int(jpeg[at + 11] >> 4), Int(jpeg[at + 11] & 15))
                byteCount = jpeg.count
                return
            }
            at += 2 + length
        }
        throw fault
    }

    /// The directory, its data at `offset`.
    func describe(_ directory: inout TIFFDirectoryBuilder, at offset: Int) {
        let reducedResolution = 1
        let jpegCompression = 7
        let (grey, yCbCr) = (1, 6)
        directory.longs(.newSubFileType, [reducedResolution])
        directory.longs(.imageWidth, [width])
        directory.longs(.imageLength, [height])
        directory.shorts(.bitsPerSample, [Int](repeating: 8, count: components))
        directory.shorts(.compression, [jpegCompression])
        directory.shorts(.photometricInterpretation, [components == 1 ? grey : yCbCr])
        directory.longs(.stripOffsets, [offset])
        directory.shorts(.samplesPerPixel, [components])
        directory.longs(.rowsPerStrip, [height])
        directory.longs(.stripByteCounts, [byteCount])
        directory.shorts(.planarConfiguration, [1])
        if components == 3 {
            directory.shorts(.yCbCrSubSampling, [subsampling.across, subsampling.down])
            let centred = 1
            directory.shorts(.yCbCrPositioning, [centred])
        }
        let sRGB = 2
        directory.longs(.previewColorSpace, [sRGB])
    }
}
