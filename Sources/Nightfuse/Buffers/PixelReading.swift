extension PixelBuffer {
    /// The buffer's samples in planes of their own; the buffer must have passed its check.
    package func picture(_ tags: FrameTags, workers: Workers) throws(NightfuseError) -> Picture {
        var planes: [Plane<UInt16>] = []
        for _ in 0..<3 { planes.append(try Plane(width: width, height: height)) }
        let out = planes
        let source = BorrowedPixels(buffer: self)
        try workers.bands(height, grain: 64) { (_, rows) throws(NightfuseError) in
            source.copy(rows, into: out)
        }
        return Picture(
            planes: planes, maxCode: layout.bits == 8 ? 255 : 65535, bits: layout.bits, name: tags.name,
            colour: tags.colour, info: tags.info, format: "buffer")
    }
}

/// Pixels that bands read on their threads. Unchecked: memory that the caller lends until the bands have returned, and
/// that nobody writes meanwhile.
private struct BorrowedPixels: @unchecked Sendable {
    let buffer: PixelBuffer

    func copy(_ rows: Range<Int>, into out: [Plane<UInt16>]) {
        if let coding = buffer.layout.coding {
            ChromaReader(buffer, coding)?.copy(rows, into: out)
            return
        }
        for y in rows {
            let (r, g, b) = (out[0].mutableRow(y), out[1].mutableRow(y), out[2].mutableRow(y))
            switch buffer.layout {
            case .rgb8: copyBytes(y, step: 3, r, g, b)
            case .rgba8: copyBytes(y, step: 4, r, g, b)
            case .bgra8: copyBytes(y, step: 4, b, g, r)
            case .rgb16:
                let samples = buffer.pixels.row(y, of: UInt16.self, count: 3 * buffer.width)
                for x in 0..<buffer.width {
                    r[x] = samples[3 * x]
                    g[x] = samples[3 * x + 1]
                    b[x] = samples[3 * x + 2]
                }
            case .nv12, .nv21: break
            }
        }
    }

    private func copyBytes(
        _ y: Int, step: Int, _ first: MutableRow<UInt16>,
        _ second: MutableRow<UInt16>, _ third: MutableRow<UInt16>
    ) {
        let samples = buffer.pixels.row(y, of: UInt8.self, count: step * buffer.width)
        for x in 0..<buffer.width {
            first[x] = UInt16(samples[step * x])
            second[x] = UInt16(samples[step * x + 1])
            third[x] = UInt16(samples[step * x + 2])
        }
    }
}

/// Luma and chroma to red, green and blue: chroma interpolated linearly to every pixel, edges repeated; results rounded
/// and held to 0...255. Numbers are in 65536ths.
private struct ChromaReader {
    private let buffer: PixelBuffer
    private let chroma: BufferPlane
    private let isCentred: Bool
    private let crFirst: Bool
    private let black: Int32
    private let luma: Int32
    private let redOfCr, greenOfCr, greenOfCb, blueOfCb: Int32
    /// Chroma is carried sixteenfold: quarters of rows times quarters of columns.
    private static let chromaScale = 16.0

    init?(_ buffer: PixelBuffer, _ coding: YCbCr) {
        guard let chroma = buffer.chroma else { return nil }
        (self.buffer, self.chroma) = (buffer, chroma)
        if case .nv21 = buffer.layout { crFirst = true } else { crFirst = false }
        isCentred = coding.range == .full
        let (kr, kb) = coding.weights
        let kg = 1 - kr - kb
        let (black, lumaCodes, chromaCodes) = coding.scale
        self.black = Int32(black)
        luma = Int32((65536 * 255 / lumaCodes).rounded())
        let unit = 65536 * 127.5 / chromaCodes / Self.chromaScale
        redOfCr = Int32((2 * (1 - kr) * unit).rounded())
        blueOfCb = Int32((2 * (1 - kb) * unit).rounded())
        greenOfCr = Int32((2 * kr * (1 - kr) / kg * unit).rounded())
        greenOfCb = Int32((2 * kb * (1 - kb) / kg * unit).rounded())
    }

    func copy(_ rows: Range<Int>, into out: [Plane<UInt16>]) {
        let half = (buffer.width + 1) / 2
        // One column more, that the last one's neighbour is there.
        var columns = [Int32](repeating: 0, count: 2 * half + 4)
        var full = [Int32](repeating: 0, count: 4 * half)
        columns.withMutableRow { columns in
            full.withMutableRow { full in
                for y in rows {
                    mixRows(y, half, into: columns)
                    spread(Row(columns), half, into: full)
                    convert(y, Row(full), out)
                }
            }
        }
    }

    /// Four times the chroma at the height of row `y`, with a repeated sample at either end.
    private func mixRows(_ y: Int, _ half: Int, into columns: MutableRow<Int32>) {
        let count = (buffer.height + 1) / 2
        let near = y / 2
        let far = min(max(y & 1 == 0 ? near - 1 : near + 1, 0), count - 1)
        let a = chroma.row(near, of: UInt8.self, count: 2 * half)
        let b = chroma.row(far, of: UInt8.self, count: 2 * half)
        for i in 0..<2 * half { columns[i + 2] = 3 * Int32(a[i]) + Int32(b[i]) - 4 * 128 }
        for k in 0..<2 {
            columns[k] = columns[k + 2]
            columns[2 * half + 2 + k] = columns[2 * half + k]
        }
    }

    /// Sixteen times the chroma of every pixel, pairs side by side.
    private func spread(
        _ columns: Row<Int32>, _ half: Int, into full: MutableRow<Int32>
    ) {
        for i in 0..<half {
            for k in 0..<2 {
                let (left, here, right) = (columns[2 * i + k], columns[2 * i + 2 + k], columns[2 * i + 4 + k])
                full[4 * i + k] = isCentred ? 3 * here + left : 4 * here
                full[4 * i + 2 + k] = isCentred ? 3 * here + right : 2 * (here + right)
            }
        }
    }

    private func convert(_ y: Int, _ full: Row<Int32>, _ out: [Plane<UInt16>]) {
        let row = buffer.pixels.row(y, of: UInt8.self, count: buffer.width)
        let (r, g, b) = (out[0].mutableRow(y), out[1].mutableRow(y), out[2].mutableRow(y))
        let (cbAt, crAt) = crFirst ? (1, 0) : (0, 1)
        for x in 0..<buffer.width {
            let base = (Int32(row[x]) - black) * luma + 32768
            let (cb, cr) = (full[2 * x + cbAt], full[2 * x + crAt])
            r[x] = Self.code(base + redOfCr * cr)
            g[x] = Self.code(base - greenOfCr * cr - greenOfCb * cb)
            b[x] = Self.code(base + blueOfCb * cb)
        }
    }

    @inline(__always)
    private static func code(_ value: Int32) -> UInt16 { UInt16(truncatingIfNeeded: min(max(value >> 16, 0), 255)) }
}
