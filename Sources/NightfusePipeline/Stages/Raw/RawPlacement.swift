package import NightfuseCore

/// Where the pixels of a sensor's crop come to lie in the upright picture (EXIF orientation 1 to 8).
package struct RawPlacement: Sendable {
    package let crop: (x: Int, y: Int, width: Int, height: Int)
    /// Size of the upright picture.
    package let width: Int
    package let height: Int
    private let orientation: Int

    package init(crop: (x: Int, y: Int, width: Int, height: Int), orientation: Int) {
        self.crop = crop
        self.orientation = orientation
        (width, height) = orientation >= 5 ? (crop.height, crop.width) : (crop.width, crop.height)
    }

    /// Whether the crop's rows are the picture's as they are.
    package var keepsRows: Bool { orientation == 1 }

    /// Writes the crop's row `row`, from its first sample on, to its place.
    package func put(_ samples: UnsafePointer<UInt16>, row: Int, into plane: Plane<UInt16>) {
        let (w, h) = (crop.width, crop.height)
        let isMirrored = [2, 3, 7, 8].contains(orientation)
        if orientation < 5 {
            let out = plane.row(orientation == 3 || orientation == 4 ? h - 1 - row : row)
            if isMirrored {
                for x in 0..<w { out[w - 1 - x] = samples[x] }
            } else {
                out.update(from: samples, count: w)
            }
            return
        }
        let column = plane.base + (orientation == 6 || orientation == 7 ? h - 1 - row : row)
        let stride = plane.stride
        if isMirrored {
            for x in 0..<w { column[(w - 1 - x) * stride] = samples[x] }
        } else {
            for x in 0..<w { column[x * stride] = samples[x] }
        }
    }
}
