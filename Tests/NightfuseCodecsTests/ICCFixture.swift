#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// An ICC profile (version 2) put together by hand.
struct ICCFixture {
    var space = "RGB "
    var tags: [(String, [UInt8])] = []

    var bytes: [UInt8] {
        var table = big(tags.count)
        var data: [UInt8] = []
        for (name, body) in tags {
            table += Array(name.utf8) + big(128 + 4 + 12 * tags.count + data.count) + big(body.count)
            data += body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        }
        var header = big(128 + table.count + data.count) + big(0) + [2, 0x10, 0, 0] + Array("mntr".utf8)
        header += Array(space.utf8) + Array("XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 28) + [0.9642, 1, 0.8249].flatMap(Self.fixed)
        return header + [UInt8](repeating: 0, count: 128 - header.count) + table + data
    }

    static func fixed(_ value: Double) -> [UInt8] { big(Int((value * 65536).rounded())) }
    static func xyz(_ values: [Double]) -> [UInt8] { Array("XYZ \0\0\0\0".utf8) + values.flatMap(fixed) }
    static func gamma(_ value: Double) -> [UInt8] {
        Array("curv\0\0\0\0".utf8) + big(1) + big(Int(value * 256)).suffix(2)
    }
    static func table(_ count: Int, _ curve: (Double) -> Double) -> [UInt8] {
        let samples = (0..<count).flatMap { i in
            big(Int((curve(Double(i) / Double(count - 1)) * 65535).rounded())).suffix(2)
        }
        return Array("curv\0\0\0\0".utf8) + big(count) + samples
    }
    static func parametric(_ type: Int, _ values: [Double]) -> [UInt8] {
        Array("para\0\0\0\0".utf8) + [0, UInt8(type), 0, 0] + values.flatMap(fixed)
    }
    static func name(_ text: String) -> [UInt8] {
        Array("desc\0\0\0\0".utf8) + big(text.utf8.count + 1) + Array(text.utf8) + [UInt8](repeating: 0, count: 79)
    }

    /// Red, green and blue by row of their matrix to XYZ under D50, one curve for all.
    static func rgb(_ name: String, _ m: [Double], _ curve: [UInt8]) -> ICCFixture {
        ICCFixture(tags: [
            ("desc", self.name(name)), ("rXYZ", xyz([m[0], m[3], m[6]])), ("gXYZ", xyz([m[1], m[4], m[7]])),
            ("bXYZ", xyz([m[2], m[5], m[8]])), ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
        ])
    }

    static func sRGBCurve(_ x: Double) -> Double { x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4) }

    // Matrices as in the profiles of their makers (HP's sRGB, Apple's Display P3, Adobe's own).
    static let sRGB = [0.4361, 0.3851, 0.1431, 0.2225, 0.7169, 0.0606, 0.0139, 0.0971, 0.7141]
    static let displayP3 = [0.5151, 0.2920, 0.1571, 0.2412, 0.6922, 0.0666, -0.0011, 0.0419, 0.7841]
    static let adobeRGB = [0.6097, 0.2053, 0.1492, 0.3111, 0.6257, 0.0632, 0.0195, 0.0609, 0.7446]
}
