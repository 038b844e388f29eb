internal import NightfuseCore

/// A folder on a disk that planes may live in while they do not fit into memory (`ScratchPlanes`).
///
/// Files there have no name, and are gone when their plane is, or the process.
package struct ScratchFolder: Sendable {
    private let folder: FilePath

    /// The first of the folders that takes `bytes` bytes now; nil where none does. Folders that are kept in memory do not
    /// count.
    package init?(_ folders: [FilePath], bytes: Int) {
        guard let folder = folders.first(where: { systemHasRoom(in: $0, bytes: bytes) }) else { return nil }
        self.folder = folder
    }

    /// Has large planes live there from here on, until `ScratchPlanes.end()`; they stay in memory while the process has at
    /// most `keeping` bytes.
    package func use(keeping: Int) {
        ScratchPlanes.begin(keeping: keeping) { [folder] bytes in systemOpenScratch(in: folder, bytes: bytes) }
    }
}
