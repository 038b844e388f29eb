internal import NightfuseCodecs
internal import NightfuseCommand
internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Files of a burst in a folder of their own, and the command run on them, in this process.
final class CommandFolder {
    enum Kind: String {
        case jpeg = "JPEG"
        case png = "PNG"
    }

    struct Outcome {
        var seconds: Double
        var peak: Int
    }

    private let folder: String
    private(set) var frames: [String] = []
    private var files: [String] = []

    /// `count` frames, of which `distinct` are made and the others are links to them: pictures of 100 megapixels take long
    /// to make. The first three, on which noise is measured, must differ.
    init(
        _ material: Material, kind: Kind, width: Int, height: Int, count: Int, distinct: Int = 8
    ) throws(NightfuseError) {
        folder = "/tmp/nightfuse-benchmarks-\(getpid())-\(kind.rawValue)-\(width)"
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw .system(folder, String(cString: strerror(errno)))
        }
        for index in 0..<min(count, distinct) {
            let path = "\(folder)/frame\(index)"
            let output = try AtomicOutput(FilePath(path), overwrite: true)
            let picture = try material.picture(width: width, height: height, index: index)
            let encoded = EncodedPicture(samples: picture.samples, maxCode: 255)
            switch kind {
            case .jpeg: try encodeJPEG(encoded, quality: 95, to: output)
            case .png: try encodePNG(encoded, bits: 8, to: output)
            }
            try output.commit()
            files.append(path)
        }
        frames = (0..<count).map { files[$0 % files.count] }
    }

    deinit {
        for path in files + [out] { unlink(path) }
        rmdir(folder)
    }

    private var out: String { folder + "/out.jpg" }

    /// `nightfuse fuse`, the first `count` frames to a JPEG.
    func fuse(_ count: Int, look: String, threads: Int) throws(NightfuseError) -> Outcome {
        PeakMemory.reset()
        let words =
            ["fuse", "--quiet", "--force", "--look", look, "--reference", "0", "--threads", "\(threads)", "-o", out]
            + frames.prefix(count)
        var status: Int32 = 0
        let seconds = Timing.once { status = runCommand(words.map { Array($0.utf8) }) }
        guard status == 0 else { throw .argument("nightfuse ended with status \(status)") }
        return Outcome(seconds: seconds, peak: PeakMemory.bytes)
    }

    /// Seconds to decode the first `count` frames, `threads` at a time.
    func decode(_ count: Int, threads: Int) throws(NightfuseError) -> Double {
        let paths = Array(frames.prefix(count))
        var failure: NightfuseError?
        let seconds = Timing.once {
            do throws(NightfuseError) {
                try Workers(threads: threads).each(count) { index throws(NightfuseError) in
                    let bytes = try FileAccess.read(FilePath(paths[index]), limits: Limits())
                    _ = try decodePicture(bytes, name: paths[index], limits: Limits())
                }
            } catch { failure = error }
        }
        if let failure { throw failure }
        return seconds
    }
}
