/// A raw frame in the caller's memory, as a sensor gives it: read during the call it is passed to, never kept.
public struct MosaicBuffer {
    /// How samples lie in a row.
    public enum Packing: Equatable, Sendable {
        /// Four samples in five bytes: the upper eight bits of each, then the lower two of all, the first sample's lowest
        /// (MIPI RAW10).
        case packed10
        /// One sample in a 16-bit number of this machine's byte order, its lowest bit last. 10, 12, 14 or 16 bits; a
        /// number that has more counts as the largest.
        case unpacked(bits: Int)

        /// Bits of a sample.
        public var bits: Int {
            switch self {
            case .packed10: 10
            case .unpacked(let bits): bits
            }
        }

        func rowBytes(width: Int) -> Int {
            switch self {
            case .packed10: (width + 3) / 4 * 5
            case .unpacked: width * 2
            }
        }
    }

    /// Width in pixels.
    public let width: Int
    /// Height in pixels.
    public let height: Int
    /// How samples lie in a row.
    public let packing: Packing
    /// What the numbers mean.
    public let sensor: SensorDescription
    private let samples: BufferPlane

    /// A raw frame of one sample a pixel.
    ///
    /// - Parameters:
    ///   - samples: of the area to be used, first row first; its first pixel is the pattern's first.
    ///   - stride: bytes from one row to the next, at least a row's.
    ///   - width: in pixels.
    ///   - height: in pixels.
    ///   - packing: how samples lie in a row.
    ///   - sensor: what the numbers mean.
    public init(
        _ samples: UnsafeRawBufferPointer, stride: Int, width: Int, height: Int, packing: Packing,
        sensor: SensorDescription
    ) {
        (self.width, self.height, self.packing, self.sensor) = (width, height, packing, sensor)
        // What the caller says of its memory; rows are given out within it alone.
        self.samples = unsafe BufferPlane(samples, stride: stride)
    }

    var usedRange: Range<UInt> { samples.used(rows: height, rowBytes: packing.rowBytes(width: width)) }

    /// Throws `.argument` where size, stride, memory and description do not fit together.
    package func check(name: String) throws(NightfuseError) {
        try checkSize(width: width, height: height, name: name)
        if case .unpacked(let bits) = packing, ![10, 12, 14, 16].contains(bits) {
            throw .argument("\(name): samples of \(bits) bits; 10, 12, 14 and 16 are read")
        }
        try samples.check(
            name, "samples", rowBytes: packing.rowBytes(width: width), rows: height,
            alignment: packing == .packed10 ? 1 : 2)
        try sensor.check(name: name, bits: packing.bits)
    }

    /// The samples in a plane of their own, with what is known of the sensor; the buffer must have passed its check.
    package func rawFrame(_ tags: FrameTags, workers: Workers) throws(NightfuseError) -> RawFrame {
        let plane = try Plane<UInt16>(width: width, height: height)
        let source = BorrowedSamples(rows: samples, packing: packing)
        try workers.bands(height, grain: 64) { (_, rows) throws(NightfuseError) in
            for y in rows { source.copy(y, count: plane.width, into: plane.mutableRow(y)) }
        }
        return RawFrame(
            planes: [plane], layout: .mosaic(sensor.pattern.cell), black: sensor.black, blackRows: 2, blackColumns: 2,
            white: [sensor.white], neutral: sensor.scaledNeutral, calibrations: sensor.calibrations,
            baselineExposure: sensor.baselineExposureEV, noise: sensor.noise, gainMaps: [], badPixels: [],
            crop: (0, 0, width, height), info: tags.info, name: tags.name, bits: packing.bits, compression: "none",
            notes: [])
    }
}

/// Samples that bands read on their threads. Unchecked: memory that the caller lends until the bands have returned, and
/// that nobody writes meanwhile.
private struct BorrowedSamples: @unchecked Sendable {
    let rows: BufferPlane
    let packing: MosaicBuffer.Packing

    func copy(_ y: Int, count: Int, into out: MutableRow<UInt16>) {
        switch packing {
        case .unpacked(let bits):
            let samples = rows.row(y, of: UInt16.self, count: count)
            let most = UInt16((1 << bits) - 1)
            for x in 0..<count { out[x] = min(samples[x], most) }
        case .packed10:
            let bytes = rows.row(y, of: UInt8.self, count: packing.rowBytes(width: count))
            for x in 0..<count {
                let group = bytes + x / 4 * 5
                out[x] = UInt16(group[x & 3]) << 2 | UInt16(group[4] >> (2 * (x & 3))) & 3
            }
        }
    }
}
