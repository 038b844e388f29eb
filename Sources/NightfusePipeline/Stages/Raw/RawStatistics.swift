package import NightfuseCore
internal import NightfuseKernels

extension RawLight {
    /// Mean light of red, green and blue, from every eighth row pair.
    package func means(_ layout: RawFrame.Layout) -> [Double] {
        var sums = [0.0, 0.0, 0.0]
        var counts = [0.0, 0.0, 0.0]
        for top in stride(from: 0, to: height, by: 16) {
            for y in top..<min(top + 2, height) {
                for plane in 0..<planes.count {
                    let line = row(y, plane: plane)
                    for x in 0..<width {
                        let colour = layout.colour(x: x, y: y, plane: plane)
                        sums[colour] += Double(line[x])
                        counts[colour] += 1
                    }
                }
            }
        }
        return zip(sums, counts).map { $0 / max($1, 1) }
    }

    /// Each 2 x 2 cell as a pixel: its red, one of its greens, its blue. White noise stays what it is.
    package func halfSize(_ layout: RawFrame.Layout) throws(NightfuseError) -> FrameData {
        let (w, h) = (max(width / 2, 1), max(height / 2, 1))
        // Codes from -0.5 to 3.5.
        let (scale, offset): (Float, Float) = (16384, 8192)
        var out: [Plane<UInt16>] = []
        let line = try Plane<Float>(width: w, height: 1)
        for colour in 0..<3 {
            let plane = try Plane<UInt16>(width: w, height: h)
            let place = (0..<4).first { layout.colour(x: $0 & 1, y: $0 >> 1, plane: 0) == colour } ?? 0
            for y in 0..<h {
                let source = row(min(2 * y + place >> 1, height - 1))
                for x in 0..<w { line.mutableRow(0)[x] = source[min(2 * x + place & 1, width - 1)] }
                quantiseRow(line.row(0), count: w, scale: scale, offset: offset, into: plane.mutableRow(y))
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
