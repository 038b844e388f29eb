/// A PNG put together by hand, its pixels in stored (not compressed) blocks: kinds that our encoder does not write.
struct PNGFixture {
    var width: Int
    var height: Int
    var depth: UInt8 = 8
    /// 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha.
    var colour: UInt8
    var interlaced = false
    /// Chunks before the pixels.
    var chunks: [(String, [UInt8])] = []
    /// The rows as they stand in the file, without their filter bytes (0 is put before each).
    var rows: [[UInt8]]

    var bytes: [UInt8] {
        let header = big(width) + big(height) + [depth, colour, 0, 0, interlaced ? 1 : 0]
        var out: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header)
        for (type, body) in chunks { out += Self.chunk(type, body) }
        return out + Self.chunk("IDAT", Self.stored(rows.flatMap { [0] + $0 })) + Self.chunk("IEND", [])
    }

    static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let named = Array(type.utf8) + body
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in named {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? 0xEDB8_8320 ^ (crc >> 1) : crc >> 1 }
        }
        return big(body.count) + named + big(Int(~crc))
    }

    /// A zlib stream that holds the bytes as they are.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = [0x78, 0x01]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(65535)
            rest = rest.dropFirst(65535)
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            out += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        var a = 1
        var b = 0
        for byte in bytes {
            a = (a + Int(byte)) % 65521
            b = (b + a) % 65521
        }
        return out + big(b << 16 | a)
    }
}

/// Four bytes, the highest first.
func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
