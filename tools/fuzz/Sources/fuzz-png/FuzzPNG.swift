import FuzzSupport
import NightfuseCodecs
import NightfuseCore

/// Decodes the input as it is and with its checksums put right (else few changes would get past them). What decodes must
/// come back the same from our own encoder.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPNG(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    decodeAnything(input)
    guard let picture = decodeAnything(withChecksums(input)), picture.width * picture.height < 1 << 14 else { return 0 }
    let sink = MemorySink()
    do throws(NightfuseError) {
        let out = EncodedPicture(planes: picture.planes, maxCode: picture.maxCode, exif: picture.exif, icc: picture.icc)
        try encodePNG(out, bits: picture.maxCode > 255 ? 16 : 8, to: sink)
    } catch {
        preconditionFailure("\(error)")
    }
    // The orientation in the block would turn it once more.
    guard picture.exif.isEmpty, let again = decodeAnything(sink.bytes) else {
        precondition(!picture.exif.isEmpty, "what we wrote is not read")
        return 0
    }
    for (a, b) in zip(picture.planes, again.planes) {
        for y in 0..<a.height { for x in 0..<a.width { precondition(a[x, y] == b[x, y]) } }
    }
    return 0
}

/// The same chunks with right checksums, as far as they can be told.
private func withChecksums(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    var at = 8
    while at + 12 <= bytes.count {
        let length = bytes[at..<(at + 4)].reduce(0) { $0 << 8 | Int($1) }
        guard length <= bytes.count - at - 12 else { break }
        let end = at + 8 + length
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes[(at + 4)..<end] {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        }
        for i in 0..<4 { bytes[end + i] = UInt8(truncatingIfNeeded: ~crc >> UInt32(24 - 8 * i)) }
        at = end + 4
    }
    return bytes
}
