/// The EXIF block a camera would write: exposure, ISO, time with sub-seconds, camera. TIFF header first, big-endian.
struct ExifBlock {
    var exposureSeconds: Double
    var iso: Double
    /// Seconds since the scene began, which was on 15 January 2026 at 21:47:12.
    var time: Double

    private struct Field {
        var tag: UInt16
        var type: UInt16
        var count: UInt32
        var bytes: [UInt8]
    }

    var bytes: [UInt8] {
        let second = Int(time)
        let stamp = "2026:01:15 21:47:\(Self.padded(12 + second, 2))"
        let fraction = Self.padded(Int((time - Double(second)) * 1000), 3)
        // The photo's directory follows the first one; its place is known once that one's length is.
        func first(_ offset: UInt32) -> [UInt8] {
            Self.directory(
                [
                    Self.text(0x010F, "Nightfuse"), Self.text(0x0110, "Rendered street"),
                    Self.text(0x0132, stamp),
                    Field(tag: 0x8769, type: 4, count: 1, bytes: Self.big(offset, 4)),
                ], at: 8)
        }
        let start = 8 + first(0).count
        return Array("MM".utf8) + [0, 42, 0, 0, 0, 8] + first(UInt32(start))
            + photoDirectory(at: start, stamp, fraction)
    }

    /// What the shot was; exposure as a fraction of millionths, so that 1/15 s comes out as cameras write it.
    private func photoDirectory(at offset: Int, _ stamp: String, _ fraction: String) -> [UInt8] {
        Self.directory(
            [
                Self.rational(0x829A, 1_000_000, UInt32(1_000_000 / exposureSeconds + 0.5)),
                Self.rational(0x829D, 17, 10),
                Self.short(0x8827, UInt16(iso)),
                Field(tag: 0x9000, type: 7, count: 4, bytes: Array("0232".utf8)),
                Self.text(0x9003, stamp),
                Self.rational(0x920A, 55, 10),
                Self.text(0x9291, fraction),
                Self.short(0xA405, 26),
            ], at: offset)
    }

    private static func big(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * (count - 1 - $0))) }
    }

    private static func padded(_ value: Int, _ digits: Int) -> String {
        String(repeating: "0", count: max(0, digits - String(value).count)) + String(value)
    }

    private static func text(_ tag: UInt16, _ text: String) -> Field {
        Field(tag: tag, type: 2, count: UInt32(text.utf8.count + 1), bytes: Array(text.utf8) + [0])
    }

    private static func short(_ tag: UInt16, _ value: UInt16) -> Field {
        Field(tag: tag, type: 3, count: 1, bytes: big(UInt32(value), 2) + [0, 0])
    }

    private static func rational(_ tag: UInt16, _ above: UInt32, _ below: UInt32) -> Field {
        Field(tag: tag, type: 5, count: 1, bytes: big(above, 4) + big(below, 4))
    }

    /// A directory that stands at `offset`, followed by the values that do not fit into four bytes.
    private static func directory(_ fields: [Field], at offset: Int) -> [UInt8] {
        var head = big(UInt32(fields.count), 2)
        var tail: [UInt8] = []
        let tailStart = offset + 2 + fields.count * 12 + 4
        for field in fields {
            head += big(UInt32(field.tag), 2) + big(UInt32(field.type), 2) + big(field.count, 4)
            if field.bytes.count <= 4 {
                head += field.bytes + [UInt8](repeating: 0, count: 4 - field.bytes.count)
            } else {
                head += big(UInt32(tailStart + tail.count), 4)
                tail += field.bytes + (field.bytes.count & 1 == 1 ? [0] : [])
            }
        }
        return head + [0, 0, 0, 0] + tail
    }
}
