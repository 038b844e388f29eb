internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfusePipeline

/// The two maps of `--maps FOLDER`, opened before the work.
final class MapFiles {
    private let frames: AtomicOutput
    private let motion: AtomicOutput
    private let folder: FilePath
    private let madeFolder: Bool
    private var written = false

    /// Makes the folder where it is missing (its parent must be there).
    init(folder: FilePath, overwrite: Bool) throws(NightfuseError) {
        self.folder = folder
        madeFolder = try FileAccess.makeFolder(folder)
        let paths = MapFiles.paths(folder)
        frames = try AtomicOutput(paths[0], overwrite: overwrite)
        motion = try AtomicOutput(paths[1], overwrite: overwrite)
    }

    /// Where the maps go: effective frames, then motion.
    static func paths(_ folder: FilePath) -> [FilePath] {
        ["frames.png", "motion.png"].map { folder.appending(Array($0.utf8)) }
    }

    deinit {
        frames.discard()
        motion.discard()
        if madeFolder, !written { FileAccess.removeEmptyFolder(folder) }
    }

    /// Writes the maps that the session kept.
    func write(_ result: FusionResult) throws(NightfuseError) {
        if let map = result.effectiveFrameMap {
            try encodePNG(EncodedPicture(planes: [map], maxCode: 65535), bits: 16, to: frames)
            try frames.commit()
            written = true
        }
        if let map = result.motionMap {
            let plane = try Plane<UInt16>(width: map.width, height: map.height)
            for y in 0..<map.height {
                let (from, to) = (map.row(y), plane.row(y))
                for x in 0..<map.width { to[x] = UInt16(from[x]) }
            }
            try encodePNG(EncodedPicture(planes: [plane], maxCode: 255), bits: 8, to: motion)
            try motion.commit()
            written = true
        }
    }
}
