public import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension FileAccess {
    /// Makes the folder unless it is there; its parent must be. Tells whether it was made.
    ///
    /// - Throws: `.argument` where something else stands there; `.system` where it cannot be made.
    public static func makeFolder(_ folder: FilePath) throws(NightfuseError) -> Bool {
        if systemMakeFolder(folder) { return true }
        let reason = errno
        switch kind(folder) {
        case .folder: return false
        case .file, .special: throw .argument("\(folder): is not a folder")
        case .nothing: throw .system("\(folder)", "cannot be made: " + systemText(reason))
        }
    }

    /// Removes the folder if it holds nothing.
    public static func removeEmptyFolder(_ folder: FilePath) { systemRemoveFolder(folder) }
}
