extension PreviewMeter {
    /// Takes in a preview out of a camera's buffer, which is free again on return: any 8-bit layout; of luma and chroma
    /// only the luma is looked at.
    ///
    /// - Throws: `.argument` where the buffer makes no sense or has 16 bits; else as
    ///   ``PreviewMeter/add(_:width:height:stride:layout:tags:)``.
    public func add(_ buffer: PixelBuffer, tags: PreviewTags) throws(NightfuseError) {
        let name = tags.name.isEmpty ? "preview" : tags.name
        try buffer.check(name: name)
        // All that the meter reads: a row takes a pixel's bytes for each, of luma one.
        let base = unsafe buffer.pixels.base(rows: buffer.height, rowBytes: buffer.layout.rowBytes(width: buffer.width))
        let layout: PreviewLayout
        switch buffer.layout {
        case .rgb8: layout = .rgb
        case .rgba8: layout = .rgba
        case .bgra8: layout = .bgra
        case .rgb16: throw .argument("\(name): previews have 8 bits a sample")
        case .nv12(let coding), .nv21(let coding):
            if coding.range == .video {
                return try unsafe add(
                    videoLuma: base, width: buffer.width, height: buffer.height, stride: buffer.pixels.stride,
                    tags: tags)
            }
            layout = .luma
        }
        try unsafe add(
            base, width: buffer.width, height: buffer.height, stride: buffer.pixels.stride, layout: layout, tags: tags)
    }
}
