internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfusePipeline

/// The two maps of `--maps FOLDER`; whether they can be written is known before the work.
final class MapFiles {
    private let folder: FilePath
    private let overwrite: Bool
    /// Frames and motion; opened at the end where the folder is not there yet, so that no run leaves an empty one.
    private var outputs: [AtomicOutput]

    /// - Throws: where the maps cannot be written: the folder's parent must be there.
    init(folder: FilePath, overwrite: Bool) throws(NightfuseError) {
        self.folder = folder
        self.overwrite = overwrite
        outputs = []
        if try FileAccess.makeFolder(folder) {
            FileAccess.removeEmptyFolder(folder)
        } else {
            outputs = try open()
        }
    }

    private func open() throws(NightfuseError) -> [AtomicOutput] {
        try MapFiles.paths(folder).map { (path) throws(NightfuseError) in
            try AtomicOutput(path, overwrite: overwrite)
        }
    }

    /// Where the maps go: effective frames, then motion.
    static func paths(_ folder: FilePath) -> [FilePath] {
        ["frames.png", "motion.png"].map { folder.appending(Array($0.utf8)) }
    }

    /// Writes the maps that the session kept.
    func write(_ result: FusionResult) throws(NightfuseError) {
        if outputs.isEmpty {
            _ = try FileAccess.makeFolder(folder)
            outputs = try open()
        }
        if let map = result.effectiveFrameMap {
            try encodePNG(EncodedPicture(planes: [map], maxCode: 65535), bits: 16, to: outputs[0])
            try outputs[0].commit()
        }
        if let map = result.motionMap {
            try encodePNG(EncodedPicture(planes: [try map.widened()], maxCode: 255), bits: 8, to: outputs[1])
            try outputs[1].commit()
        }
    }
}
