public import NightfuseCore

/// What a camera does with its mosaic before it saves a picture: demosaic, white balance, colour, tone curve.
/// No noise reduction: that is left to whoever fuses the burst.
public struct Developing: Sendable {
    private let sensor: Sensor
    /// The sensor's colours back to linear sRGB.
    private let colour: Matrix3

    public init(sensor: Sensor) {
        self.sensor = sensor
        let rows = Sensor.colours
        let forward = Matrix3(rows.flatMap { [Double($0.x), Double($0.y), Double($0.z)] })
        colour = forward.inverse ?? .identity
    }

    /// Linear sRGB from the converter's codes, 0 to 1 (clipped), three planes.
    public func linear(_ mosaic: Plane<UInt16>, workers: Workers) throws(NightfuseError) -> [Plane<Float>] {
        let (width, height) = (mosaic.width, mosaic.height)
        let flat = try Plane<Float>(width: width, height: height)
        let scale = 1 / (sensor.fullScale - sensor.pedestal)
        for y in 0..<height {
            let (from, to) = (mosaic.row(y), flat.mutableRow(y))
            for x in 0..<width {
                let colour = (y & 1) + (x & 1)
                let gain = colour == 0 ? sensor.redGain : colour == 2 ? sensor.blueGain : 1
                to[x] = (Float(from[x]) - sensor.pedestal) * scale * gain
            }
        }
        let planes = try demosaic(flat, workers: workers)
        try workers.bands(height, grain: 32) { [self] (_, rows) in
            let m = colour.m.map { Float($0) }
            for y in rows {
                let (r, g, b) = (planes[0].mutableRow(y), planes[1].mutableRow(y), planes[2].mutableRow(y))
                for x in 0..<width {
                    // Clipped sensor values are white: cut before the colour matrix, as cameras do.
                    let (p, q, s) = (min(r[x], 1), min(g[x], 1), min(b[x], 1))
                    r[x] = min(max(m[0] * p + m[1] * q + m[2] * s, 0), 1)
                    g[x] = min(max(m[3] * p + m[4] * q + m[5] * s, 0), 1)
                    b[x] = min(max(m[6] * p + m[7] * q + m[8] * s, 0), 1)
                }
            }
        }
        return planes
    }

    /// Codes of the sRGB curve, 0 to `maxCode`, from linear planes.
    public static func coded(_ linear: [Plane<Float>], maxCode: Int) throws(NightfuseError) -> [Plane<UInt16>] {
        let steps = 1 << 16
        let table = (0...steps).map {
            UInt16(TransferFunction.sRGB.coded(Double($0) / Double(steps)) * Double(maxCode) + 0.5)
        }
        var out: [Plane<UInt16>] = []
        for plane in linear {
            let codes = try Plane<UInt16>(width: plane.width, height: plane.height)
            for y in 0..<plane.height {
                let (from, to) = (plane.row(y), codes.mutableRow(y))
                for x in 0..<plane.width { to[x] = table[Int(min(max(from[x], 0), 1) * Float(steps) + 0.5)] }
            }
            out.append(codes)
        }
        return out
    }

    // MARK: Demosaic

    /// Green along the weaker gradient, corrected by the other colour's curvature; then red and blue from colour
    /// differences, which change slowly. Edges repeat.
    private func demosaic(_ m: Plane<Float>, workers: Workers) throws(NightfuseError) -> [Plane<Float>] {
        let (width, height) = (m.width, m.height)
        let green = try Plane<Float>(width: width, height: height)
        @Sendable func at(_ x: Int, _ y: Int) -> Float {
            // Mirrored at the edge, so that colours keep their places.
            let px = x < 0 ? -x : x >= width ? 2 * width - 2 - x : x
            let py = y < 0 ? -y : y >= height ? 2 * height - 2 - y : y
            return m.row(py)[px]
        }
        try workers.bands(height, grain: 16) { (_, rows) in
            for y in rows {
                for x in 0..<width {
                    guard (x + y) & 1 == 0 else {
                        green.mutableRow(y)[x] = m.row(y)[x]
                        continue
                    }
                    let c = at(x, y)
                    let (w, e, n, s) = (at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1))
                    let bendX = 2 * c - at(x - 2, y) - at(x + 2, y), bendY = 2 * c - at(x, y - 2) - at(x, y + 2)
                    let acrossX = abs(w - e) + abs(bendX), acrossY = abs(n - s) + abs(bendY)
                    let gx = (w + e) / 2 + bendX / 4, gy = (n + s) / 2 + bendY / 4
                    // Weights instead of a switch: in noise a switch draws mazes.
                    let a = acrossY * acrossY + 1e-6, b = acrossX * acrossX + 1e-6
                    green.mutableRow(y)[x] = (gx * a + gy * b) / (a + b)
                }
            }
        }
        @Sendable func difference(_ x: Int, _ y: Int) -> Float {
            let px = x < 0 ? -x : x >= width ? 2 * width - 2 - x : x
            let py = y < 0 ? -y : y >= height ? 2 * height - 2 - y : y
            return m.row(py)[px] - green.row(py)[px]
        }
        let red = try Plane<Float>(width: width, height: height)
        let blue = try Plane<Float>(width: width, height: height)
        try workers.bands(height, grain: 16) { (_, rows) in
            for y in rows {
                for x in 0..<width {
                    let g = green.row(y)[x]
                    red.mutableRow(y)[x] = g + Self.spread(x, y, 0, difference)
                    blue.mutableRow(y)[x] = g + Self.spread(x, y, 1, difference)
                }
            }
        }
        return [red, green, blue]
    }

    /// The mean of the nearest colour differences; `phase` is the row and column parity of that colour.
    private static func spread(_ x: Int, _ y: Int, _ phase: Int, _ d: (Int, Int) -> Float) -> Float {
        let onRow = y & 1 == phase, onColumn = x & 1 == phase
        if onRow && onColumn { return d(x, y) }
        if onRow { return (d(x - 1, y) + d(x + 1, y)) / 2 }
        if onColumn { return (d(x, y - 1) + d(x, y + 1)) / 2 }
        return (d(x - 1, y - 1) + d(x + 1, y - 1) + d(x - 1, y + 1) + d(x + 1, y + 1)) / 4
    }
}
