public import NightfuseCore

/// The whole raster of a raw file, masked borders included, as it is stored: what tells whether two decoders agree.
public struct DNGRaster: Equatable, Sendable {
    /// Size in pixels, before ActiveArea, DefaultCrop and orientation.
    public let width: Int
    /// Rows.
    public let height: Int
    /// 1 (mosaic) or 3 (linear).
    public let samplesPerPixel: Int
    /// CRC-32 (IEEE 802.3, as in PNG) of the samples as little-endian numbers of 16 bits, row by row, those of a pixel side
    /// by side; before LinearizationTable.
    public let crc32: UInt32

    /// Decodes all samples.
    ///
    /// Cost and memory: as of ``DNGReader/read(_:name:limits:workers:)``.
    ///
    /// - Throws: as ``DNGReader/read(_:name:limits:workers:)``.
    public init(
        _ bytes: [UInt8], name: String, limits: Limits = Limits(), workers: Workers = Workers(threads: 1)
    ) throws(NightfuseError) {
        let (layout, planes) = try FileBytes.read(bytes) { (file) throws(NightfuseError) in
            let tags = try DNGTags(try TIFFFile(file, name: name, limits: limits))
            let layout = try RasterLayout(tags.raw, limits: limits)
            return (layout, try DNGReader.samples(tags, layout, nil, limits: limits, workers: workers).planes)
        }
        (width, height, samplesPerPixel) = (layout.width, layout.height, layout.samplesPerPixel)
        var crc = CRC32()
        for y in 0..<height {
            let rows = planes.map { $0.row(y) }
            for x in 0..<width {
                for row in rows {
                    crc.add(UInt8(truncatingIfNeeded: row[x]))
                    crc.add(UInt8(truncatingIfNeeded: row[x] >> 8))
                }
            }
        }
        crc32 = crc.value
    }
}

/// The cyclic redundancy check of IEEE 802.3.
private struct CRC32 {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc & 1 == 1 ? 0xEDB8_8320 ^ crc >> 1 : crc >> 1 }
    }
    private let table = Self.table
    private var state = ~UInt32(0)

    mutating func add(_ byte: UInt8) { state = table[Int((state ^ UInt32(byte)) & 255)] ^ state >> 8 }

    var value: UInt32 { ~state }
}
