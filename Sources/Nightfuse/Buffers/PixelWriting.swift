extension MutablePixelBuffer {
    /// Writes a picture of the buffer's size, whose samples have as many bits as the buffer's; the buffer must have passed
    /// its check.
    package func write(_ picture: Picture, workers: Workers) throws(NightfuseError) {
        let target = LentPixels(buffer: self)
        let own = try picture.samples.words()
        let planes = picture.isGrey ? [own[0], own[0], own[0]] : own
        // Two rows share their chroma: bands begin at even rows.
        try workers.bands(height, grain: 64) { (_, rows) throws(NightfuseError) in
            target.write(rows, planes)
        }
    }
}

/// Memory that bands write into, each its own rows. Unchecked: the caller lends it until the bands have returned.
private struct LentPixels: @unchecked Sendable {
    let buffer: MutablePixelBuffer

    func write(_ rows: Range<Int>, _ planes: [Plane<UInt16>]) {
        if let coding = buffer.layout.coding {
            ChromaWriter(buffer, coding)?.write(rows, planes)
            return
        }
        for y in rows {
            let (r, g, b) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
            switch buffer.layout {
            case .rgb8: writeBytes(y, step: 3, r, g, b)
            case .rgba8: writeBytes(y, step: 4, r, g, b)
            case .bgra8: writeBytes(y, step: 4, b, g, r)
            case .rgb16:
                let samples = buffer.pixels.row(y, of: UInt16.self, count: 3 * buffer.width)
                for x in 0..<buffer.width {
                    samples[3 * x] = r[x]
                    samples[3 * x + 1] = g[x]
                    samples[3 * x + 2] = b[x]
                }
            case .nv12, .nv21: break
            }
        }
    }

    private func writeBytes(
        _ y: Int, step: Int, _ first: Row<UInt16>,
        _ second: Row<UInt16>, _ third: Row<UInt16>
    ) {
        let samples = buffer.pixels.row(y, of: UInt8.self, count: step * buffer.width)
        for x in 0..<buffer.width {
            samples[step * x] = UInt8(truncatingIfNeeded: first[x])
            samples[step * x + 1] = UInt8(truncatingIfNeeded: second[x])
            samples[step * x + 2] = UInt8(truncatingIfNeeded: third[x])
            if step == 4 { samples[4 * x + 3] = 255 }
        }
    }
}

/// Red, green and blue to luma and chroma; chroma is the mean of the pixels around its place, edges repeated.
private struct ChromaWriter {
    private let buffer: MutablePixelBuffer
    private let chroma: MutableBufferPlane
    private let crFirst: Bool
    private let isCentred: Bool
    private let red, green, blue: Float
    private let black, luma, ofBlue, ofRed: Float

    init?(_ buffer: MutablePixelBuffer, _ coding: YCbCr) {
        guard let chroma = buffer.chroma else { return nil }
        (self.buffer, self.chroma) = (buffer, chroma)
        if case .nv21 = buffer.layout { crFirst = true } else { crFirst = false }
        isCentred = coding.range == .full
        let (kr, kb) = coding.weights
        (red, green, blue) = (Float(kr), Float(1 - kr - kb), Float(kb))
        let (black, lumaCodes, chromaCodes) = coding.scale
        (self.black, luma) = (Float(black), Float(lumaCodes / 255))
        ofBlue = Float(chromaCodes / 255 / (1 - kb))
        ofRed = Float(chromaCodes / 255 / (1 - kr))
    }

    func write(_ rows: Range<Int>, _ planes: [Plane<UInt16>]) {
        let (width, height) = (buffer.width, buffer.height)
        for y in rows {
            let (r, g, b) = (planes[0].row(y), planes[1].row(y), planes[2].row(y))
            let out = buffer.pixels.row(y, of: UInt8.self, count: width)
            for x in 0..<width {
                let sum = red * Float(r[x]) + green * Float(g[x]) + blue * Float(b[x])
                out[x] = Self.code(sum * luma + black)
            }
            guard y & 1 == 0 else { continue }
            let pair = chroma.row(y / 2, of: UInt8.self, count: (width + 1) / 2 * 2)
            let below = min(y + 1, height - 1)
            for i in 0..<(width + 1) / 2 {
                let x = 2 * i
                let right = min(x + 1, width - 1)
                // Left of an even column only where chroma is level with it.
                let left = isCentred ? x : max(x - 1, 0)
                @inline(__always) func mean(_ plane: Plane<UInt16>) -> Float {
                    let (a, c) = (plane.row(y), plane.row(below))
                    let middle = Float(a[x]) + Float(c[x])
                    if isCentred { return (middle + Float(a[right]) + Float(c[right])) / 4 }
                    let sides = Float(a[left]) + Float(c[left]) + Float(a[right]) + Float(c[right])
                    return (2 * middle + sides) / 8
                }
                let (mr, mg, mb) = (mean(planes[0]), mean(planes[1]), mean(planes[2]))
                let grey = red * mr + green * mg + blue * mb
                let cb = Self.code((mb - grey) * ofBlue + 128)
                let cr = Self.code((mr - grey) * ofRed + 128)
                (pair[x], pair[x + 1]) = crFirst ? (cr, cb) : (cb, cr)
            }
        }
    }

    @inline(__always)
    private static func code(_ value: Float) -> UInt8 { UInt8(min(max(value + 0.5, 0), 255)) }
}
