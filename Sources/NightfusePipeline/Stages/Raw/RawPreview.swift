package import NightfuseCore

/// A small picture of what a merged raw frame shows, as the samples lie (not yet turned upright): means over squares of the
/// crop.
///
/// - Parameters:
///   - image: linear light of the whole active area.
///   - longest: pixels of the longer side at most.
///   - clip: what light is held to from above, so that highlights are white.
package func rawPreview(
    of image: LinearImage, crop: (x: Int, y: Int, width: Int, height: Int), longest: Int, clip: Float, workers: Workers
) throws(NightfuseError) -> LinearImage {
    let factor = max((max(crop.width, crop.height) + longest - 1) / longest, 1)
    let small = try LinearImage(width: max(crop.width / factor, 1), height: max(crop.height / factor, 1))
    let square = min(factor, min(crop.width, crop.height))
    try workers.bands(small.height, grain: 8) { (_, rows) throws(NightfuseError) in
        for (from, to) in zip(image.planes, small.planes) {
            for y in rows {
                let out = to.mutableRow(y)
                for v in 0..<square {
                    let row = from.row(crop.y + y * factor + v) + crop.x
                    for x in 0..<to.width {
                        var sum: Float = 0
                        for u in 0..<square { sum += min(row[x * factor + u], clip) }
                        out[x] += sum
                    }
                }
                for x in 0..<to.width { out[x] /= Float(square * square) }
            }
        }
    }
    return small
}

extension RawDevelopment {
    /// The planes of a preview turned upright.
    package func upright(_ planes: [Plane<UInt16>]) throws(NightfuseError) -> [Plane<UInt16>] {
        let orientation = reference.info.orientation
        guard !isPicture, orientation != 1, let first = planes.first else { return planes }
        let placement = RawPlacement(crop: (0, 0, first.width, first.height), orientation: orientation)
        var turned: [Plane<UInt16>] = []
        for plane in planes {
            let out = try Plane<UInt16>(width: placement.width, height: placement.height)
            for y in 0..<plane.height { placement.put(plane.row(y), row: y, into: out) }
            turned.append(out)
        }
        return turned
    }
}
