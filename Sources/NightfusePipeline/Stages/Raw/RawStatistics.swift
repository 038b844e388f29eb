package import NightfuseCore
internal import NightfuseKernels

extension RawLevels {
    /// Mean light of red, green and blue, from every eighth row pair.
    package func means() -> [Double] {
        var sums = [0.0, 0.0, 0.0]
        var counts = [0.0, 0.0, 0.0]
        let (layout, line) = (raw.layout, Floats(raw.width))
        for top in stride(from: 0, to: raw.height, by: 16) {
            for y in top..<min(top + 2, raw.height) {
                for plane in 0..<raw.planes.count {
                    light(y, plane: plane, into: line.base)
                    for x in 0..<raw.width {
                        let colour = layout.colour(x: x, y: y, plane: plane)
                        sums[colour] += Double(line.base[x])
                        counts[colour] += 1
                    }
                }
            }
        }
        return zip(sums, counts).map { $0 / max($1, 1) }
    }

    /// Each 2 x 2 cell as a pixel: its red, one of its greens, its blue. White noise stays what it is.
    package func halfSize() throws(NightfuseError) -> FrameData {
        let (width, height) = (raw.width, raw.height)
        let (w, h) = (max(width / 2, 1), max(height / 2, 1))
        // Codes from -0.5 to 3.5.
        let (scale, offset): (Float, Float) = (16384, 8192)
        var out: [Plane<UInt16>] = []
        let (source, line) = (Floats(width), Floats(w))
        for colour in 0..<3 {
            let plane = try Plane<UInt16>(width: w, height: h, isZero: false)
            let own = raw.planes.count == 1 ? 0 : colour
            let place = (0..<4).first { raw.layout.colour(x: $0 & 1, y: $0 >> 1, plane: own) == colour } ?? 0
            for y in 0..<h {
                light(min(2 * y + place >> 1, height - 1), plane: own, into: source.base)
                for x in 0..<w { line.base[x] = source.base[min(2 * x + place & 1, width - 1)] }
                quantiseRow(line.base, count: w, scale: scale, offset: offset, into: plane.row(y))
            }
            out.append(plane)
        }
        let table = (0...65535).map { (Float($0) - offset) / scale }
        return FrameData(
            samples: .words(out), linear: table, name: "", info: CaptureInfo(), whiteClip: 0.98, clippedAtBlack: false)
    }
}

extension RawFrame.Layout {
    /// Colour (0 red, 1 green, 2 blue) of a sample.
    func colour(x: Int, y: Int, plane: Int) -> Int {
        switch self {
        case .mosaic(let cell): Int(cell[(y & 1) * 2 + (x & 1)])
        case .linear: plane
        }
    }
}
