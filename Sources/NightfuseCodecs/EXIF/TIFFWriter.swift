/// Bytes in a TIFF block's order.
struct TIFFWriter {
    let isLittleEndian: Bool
    private(set) var bytes: [UInt8] = []

    init(isLittleEndian: Bool) { self.isLittleEndian = isLittleEndian }

    mutating func append(_ more: [UInt8]) { bytes += more }

    mutating func u16(_ value: UInt16) {
        let pair = [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
        bytes += isLittleEndian ? pair : pair.reversed()
    }

    mutating func u32(_ value: UInt32) {
        let halves = [UInt16(truncatingIfNeeded: value), UInt16(truncatingIfNeeded: value >> 16)]
        for half in isLittleEndian ? halves : halves.reversed() { u16(half) }
    }

    mutating func rational(_ value: Double) {
        let (above, below) = NightfuseCodecs.rational(value)
        u32(above)
        u32(below)
    }
}
