import Foundation
import NightfuseCodecs
import NightfuseCore
import NightfuseTestSupport

/// A folder of pictures for one test, gone when the test is.
final class BurstFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "nightfuse-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Left behind, it would only cost space; a test must not fail for it.
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// Bytes of a small night scene: lamps, a gradient, noise; shifted by `shift` pixels.
    static func scene(_ width: Int, _ height: Int, seed: UInt64, shift: Int = 0) throws -> [Plane<UInt16>] {
        var random = SeededRandom(seed: seed)
        return try (0..<3).map { channel in
            let plane = try Plane<UInt16>(width: width, height: height)
            for y in 0..<height {
                for x in 0..<width {
                    let (u, v) = (x + shift, y)
                    let lamp = (u / 12 + v / 9) % 5 == 0 ? 90.0 : 18.0
                    let value = lamp + Double(u % 16) + Double(channel * 4) + 5 * random.normal()
                    plane[x, y] = UInt16(min(max(value, 0), 255))
                }
            }
            return plane
        }
    }

    @discardableResult
    func png(
        _ name: String, width: Int = 64, height: Int = 48, seed: UInt64 = 1, shift: Int = 0, exif: [UInt8] = [],
        icc: [UInt8] = []
    ) throws -> String {
        let planes = try BurstFolder.scene(width, height, seed: seed, shift: shift)
        let sink = MemorySink()
        try encodePNG(EncodedPicture(planes: planes, maxCode: 255, exif: exif, icc: icc), bits: 8, to: sink)
        return try write(name, sink.bytes)
    }

    @discardableResult
    func jpeg(_ name: String, width: Int = 64, height: Int = 48, seed: UInt64 = 1, exif: [UInt8] = []) throws -> String
    {
        let planes = try BurstFolder.scene(width, height, seed: seed)
        let sink = MemorySink()
        try encodeJPEG(EncodedPicture(planes: planes, maxCode: 255, exif: exif), quality: 92, to: sink)
        return try write(name, sink.bytes)
    }

    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// Names in the folder, hidden ones too.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }
}
