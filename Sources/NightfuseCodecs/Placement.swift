internal import NightfuseCore

/// Where stored pixels go so that the picture stands upright, by EXIF orientation (1 to 8; all else counts as 1).
struct Placement {
    let orientation: Int
    let width: Int
    let height: Int

    /// Of a picture stored as `width` x `height`.
    init(orientation: Int, width: Int, height: Int) {
        self.orientation = (1...8).contains(orientation) ? orientation : 1
        (self.width, self.height) = (width, height)
    }

    var isPlain: Bool { orientation == 1 }
    /// Whether rows become columns.
    var swaps: Bool { orientation >= 5 }
    var uprightWidth: Int { swaps ? height : width }
    var uprightHeight: Int { swaps ? width : height }

    /// Copies the stored rows from `top` on, held at the top of `band`, to their places in the upright plane.
    func place(_ band: Plane<UInt16>, rows: Int, top: Int, into upright: Plane<UInt16>) {
        let flipsX = [2, 3, 7, 8].contains(orientation)
        let flipsY = [3, 4, 6, 7].contains(orientation)
        let (alongX, alongY) = swaps ? (upright.stride, 1) : (1, upright.stride)
        let stepX = flipsX ? -alongX : alongX
        let stepY = flipsY ? -alongY : alongY
        let origin = (flipsX ? (width - 1) * alongX : 0) + (flipsY ? (height - 1) * alongY : 0)
        let corner = upright.base + origin + top * stepY
        if swaps {
            // The upright plane is written along its rows, a cache line at a time.
            for x in 0..<width {
                let to = corner + x * stepX
                for y in 0..<rows { to[y * stepY] = band.base[y * band.stride + x] }
            }
        } else {
            for y in 0..<rows {
                let from = band.row(y)
                let to = corner + y * stepY
                if stepX == 1 {
                    to.update(from: from, count: width)
                } else {
                    for x in 0..<width { to[-x] = from[x] }
                }
            }
        }
    }
}
