import Nightfuse
import NightfuseCodecs
import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport
import Testing

/// A camera's buffers and the same frames as files give the same bits.
@Suite("Session and command agree")
struct SessionBitsTests {
    private let folder: BurstFolder

    init() throws { folder = try BurstFolder() }

    private func fused(_ files: [String], _ more: [String] = []) throws -> Picture {
        let out = folder.file("night.png")
        let run = CommandRun(words: (["fuse"] + files + ["-o", out] + more).map { Array($0.utf8) })
        #expect(run.status == 0, "\(run.error)")
        return try decodePicture(try FileAccess.read(FilePath(out), limits: Limits()), name: out, limits: Limits())
    }

    private func isEqual(_ picture: Picture, _ bytes: [UInt8], stride: Int) -> Bool {
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                for c in 0..<3 where bytes[y * stride + 3 * x + c] != UInt8(picture.planes[c][x, y]) { return false }
            }
        }
        return true
    }

    /// 160 x 120 is measured in two rounds, 1456 x 1040 in one: both ways of starting.
    @Test(arguments: [(160, 120, 5), (1456, 1040, 3)])
    func picturesOutOfBuffersAndFiles(size: (width: Int, height: Int, count: Int)) throws {
        let (width, height, count) = size
        let stride = width * 3
        let session = FusionSession(options: FusionOptions(), workers: Workers(threads: 3))
        var buffer = [UInt8](repeating: 0, count: stride * height)
        let files = try (0..<count).map { index in
            try folder.png("\(index).png", width: width, height: height, seed: UInt64(index), shift: index)
        }
        for file in files {
            let frame = try decodePicture(
                try FileAccess.read(FilePath(file), limits: Limits()), name: file, limits: Limits())
            for (c, plane) in frame.planes.enumerated() {
                for y in 0..<height { for x in 0..<width { buffer[y * stride + 3 * x + c] = UInt8(plane[x, y]) } }
            }
            try buffer.withUnsafeBytes { bytes in
                try session.add(PixelBuffer(bytes, stride: stride, width: width, height: height, layout: .rgb8))
            }
        }
        _ = try buffer.withUnsafeMutableBytes { bytes in
            try session.finish(
                into: MutablePixelBuffer(bytes, stride: stride, width: width, height: height, layout: .rgb8))
        }
        #expect(isEqual(try fused(files, ["--threads", "2"]), buffer, stride: stride))
    }
}
