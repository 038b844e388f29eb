internal import NightScene
internal import NightfuseCodecs
internal import NightfuseCore

/// What is measured on: the sample street as tiles of any size, moved from frame to frame, with the sensor's noise.
/// Never zeros or flat grey, which compress, predict and denoise too well.
struct Material {
    /// Linear light of the clean street.
    private let truth: [Plane<Float>]
    private let sensor = Sensor()
    private let workers: Workers
    static let iso = 3200.0
    static let exposureSeconds = 1.0 / 15

    init(samples: String, workers: Workers) throws(NightfuseError) {
        self.workers = workers
        let path = samples + "/street-truth.jpg"
        let bytes = try FileAccess.read(FilePath(path), limits: Limits())
        let picture = try decodePicture(bytes, name: path, limits: Limits())
        let table = (0...picture.maxCode).map {
            Float(picture.colour.transfer.linear(Double($0) / Double(picture.maxCode)))
        }
        var planes: [Plane<Float>] = []
        for codes in picture.planes {
            let plane = try Plane<Float>(width: codes.width, height: codes.height)
            for y in 0..<codes.height {
                let (from, to) = (codes.row(y), plane.mutableRow(y))
                for x in 0..<codes.width { to[x] = table[Int(from[x])] }
            }
            planes.append(plane)
        }
        truth = planes
    }

    /// Size of a 4:3 frame of about so many megapixels.
    static func size(megapixels: Double) -> (width: Int, height: Int) {
        let height = Int((megapixels * 1e6 * 3 / 4).squareRoot() / 4) * 4
        return (height * 4 / 3 / 4 * 4, height)
    }

    /// Linear light of frame `index`: the tiles moved as a hand moves them, by a few pixels a frame.
    func light(width: Int, height: Int, index: Int) throws(NightfuseError) -> [Plane<Float>] {
        // Offsets in quarters of a pixel, wandering without period over a burst.
        let (qx, qy) = (index * 13 + index * index % 7, index * 9 - index * index % 5)
        let (dx, dy) = (qx >> 2, qy >> 2)
        let (u, v) = (Float(qx & 3) / 4, Float(qy & 3) / 4)
        var out: [Plane<Float>] = []
        for source in truth {
            let plane = try Plane<Float>(width: width, height: height)
            let (w, h) = (source.width, source.height)
            try workers.bands(height, grain: 32) { (_, rows) in
                for y in rows {
                    let y0 = ((y + dy) % h + h) % h
                    let (a, b, to) = (source.row(y0), source.row((y0 + 1) % h), plane.mutableRow(y))
                    for x in 0..<width {
                        let x0 = (x + dx) % w, x1 = x0 + 1 == w ? 0 : x0 + 1
                        let top = a[x0] + (a[x1] - a[x0]) * u, bottom = b[x0] + (b[x1] - b[x0]) * u
                        to[x] = top + (bottom - top) * v
                    }
                }
            }
            out.append(plane)
        }
        return out
    }

    /// Frame `index` as a camera would save it: noise, mosaic, demosaic, tone curve; 8 bits.
    func picture(width: Int, height: Int, index: Int) throws(NightfuseError) -> Picture {
        let light = try light(width: width, height: height, index: index)
        let mosaic = try sensor.expose(light, iso: Self.iso, seed: UInt64(index + 1), workers: workers)
        let linear = try Developing(sensor: sensor).linear(mosaic, workers: workers)
        var info = CaptureInfo()
        (info.exposureSeconds, info.iso) = (Self.exposureSeconds, Self.iso)
        return Picture(
            planes: try Developing.coded(linear, maxCode: 255), maxCode: 255, bits: 8, name: "frame \(index)",
            info: info)
    }

    /// The same as JPEG: quality 95, colour at full size.
    func jpeg(width: Int, height: Int, index: Int) throws(NightfuseError) -> [UInt8] {
        let picture = try picture(width: width, height: height, index: index)
        let sink = MemorySink()
        try encodeJPEG(EncodedPicture(planes: picture.planes, maxCode: 255), quality: 95, to: sink)
        return sink.bytes
    }
}
