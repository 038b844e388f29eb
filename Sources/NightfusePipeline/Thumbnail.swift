public import NightfuseCore

extension Picture {
    /// A smaller picture of 8 bits, its longer side at most `longSide` (at least 1): each pixel the mean of those it
    /// stands for (where they are many, of 8 to 15 of their rows, evenly spread), as coded. A picture that is small enough
    /// keeps its size. Planes, colour and profile stay as they are.
    ///
    /// Cost: one pass over the picture at most; memory that of the result.
    /// - Throws: `.limit` where there is no memory.
    public func thumbnail(longSide: Int) throws(NightfuseError) -> Picture {
        let small = smallSize(width, height, longSide: longSide)
        var result: [Plane<UInt16>] = []
        switch samples {
        case .bytes(let planes): for plane in planes { result.append(try shrunk(plane, to: small, full: 255)) }
        case .words(let planes):
            for plane in planes { result.append(try shrunk(plane, to: small, full: Double(maxCode))) }
        }
        return Picture(
            planes: result, maxCode: 255, bits: 8, name: name, colour: colour, info: info, icc: icc, format: format)
    }

    /// The picture as it lay before `orientation` (EXIF, 2 to 8) was applied to it.
    public func unturned(_ orientation: Int) throws(NightfuseError) -> Picture {
        guard (2...8).contains(orientation) else { return self }
        let swaps = orientation >= 5
        let (w, h) = swaps ? (height, width) : (width, height)
        var result: [Plane<UInt16>] = []
        for plane in planes {
            let to = try Plane<UInt16>(width: w, height: h)
            for y in 0..<h {
                for x in 0..<w {
                    let (u, v) = uprightPlace(x, y, w, h, orientation)
                    to[x, y] = plane[u, v]
                }
            }
            result.append(to)
        }
        return Picture(
            planes: result, maxCode: maxCode, bits: bits, name: name, colour: colour, info: info, icc: icc,
            format: format)
    }
}

extension Plane where Element == UInt16 {
    /// A map made smaller as ``Picture/thumbnail(longSide:)`` is, `full` and what is above it becoming 255.
    package func smallMap(longSide: Int, full: Double) throws(NightfuseError) -> Plane<UInt16> {
        try shrunk(self, to: smallSize(width, height, longSide: longSide), full: full)
    }
}

extension Plane where Element == UInt8 {
    /// A map made smaller as ``Picture/thumbnail(longSide:)`` is.
    package func smallMap(longSide: Int) throws(NightfuseError) -> Plane<UInt16> {
        try shrunk(self, to: smallSize(width, height, longSide: longSide), full: 255)
    }
}

/// A size of the same shape, its longer side at most `longSide`, neither below 1.
private func smallSize(_ width: Int, _ height: Int, longSide: Int) -> (width: Int, height: Int) {
    let scale = max(1, Double(max(width, height)) / Double(longSide))
    return (max(1, Int(Double(width) / scale)), max(1, Int(Double(height) / scale)))
}

/// Where the pixel stored at (x, y) of `w` x `h` stands in the upright picture (EXIF 2.32, tag 0x0112).
private func uprightPlace(_ x: Int, _ y: Int, _ w: Int, _ h: Int, _ orientation: Int) -> (Int, Int) {
    switch orientation {
    case 2: (w - 1 - x, y)
    case 3: (w - 1 - x, h - 1 - y)
    case 4: (x, h - 1 - y)
    case 5: (y, x)
    case 6: (h - 1 - y, x)
    case 7: (h - 1 - y, w - 1 - x)
    case 8: (y, w - 1 - x)
    default: (x, y)
    }
}

/// Means over the cells of a grid, in 0 ... 255. Of tall cells eight rows stand for the rest: a small picture shows no
/// difference, and large frames are not read through for it.
private func shrunk<Sample: FixedWidthInteger & UnsignedInteger>(
    _ plane: Plane<Sample>, to size: (width: Int, height: Int), full: Double
) throws(NightfuseError) -> Plane<UInt16> {
    let result = try Plane<UInt16>(width: size.width, height: size.height)
    let edges = (0...size.width).map { $0 * plane.width / size.width }
    // 32 bits hold the sum of 65536 samples of 16 bits; a cell's eight rows of one column are far from that.
    var columns = [UInt32](repeating: 0, count: plane.width)
    columns.withMutableRow { columns in
        for y in 0..<size.height {
            let (top, bottom) = (y * plane.height / size.height, (y + 1) * plane.height / size.height)
            let step = max(1, (bottom - top) / 8)
            columns.update(repeating: 0, count: plane.width)
            var rows = 0
            for row in stride(from: top, to: bottom, by: step) {
                let from = plane.row(row)
                for x in 0..<plane.width { columns[x] &+= UInt32(truncatingIfNeeded: from[x]) }
                rows += 1
            }
            let to = result.mutableRow(y)
            for x in 0..<size.width {
                var sum: UInt64 = 0
                for column in edges[x]..<edges[x + 1] { sum &+= UInt64(columns[column]) }
                let count = rows * (edges[x + 1] - edges[x])
                to[x] = UInt16(min(Double(sum) * 255 / (Double(count) * full) + 0.5, 255))
            }
            ScratchPlanes.letGo()
        }
    }
    return result
}
