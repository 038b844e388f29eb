private import CCodecShims
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

/// A file that appears under its name whole, or not at all.
///
/// Bytes go to a file without a name in the target's folder where the system has such, else to a hidden file there; the
/// target is touched by ``commit()`` only. One thread at a time.
public final class AtomicOutput {
    /// Where the file will stand. A link is followed, so that the link stays and its target is replaced.
    public let path: FilePath
    private let overwrite: Bool
    private var descriptor: Int32
    /// The hidden file, while there is one.
    private var temporary: (path: FilePath, ticket: Int32)?

    /// Opens a file to be written to `path`.
    ///
    /// - Throws: `.argument` where something stands there and `overwrite` is false, or where it is no regular file;
    ///   `.system` where the folder is missing or may not be written to.
    public convenience init(_ path: FilePath, overwrite: Bool) throws(NightfuseError) {
        try self.init(path, overwrite: overwrite, until: .unnamed)
    }

    /// What the file is until it is committed.
    package enum Disguise {
        /// Without a name, or hidden where the system cannot.
        case unnamed
        case hidden
    }

    /// As ``init(_:overwrite:)``, the way of it given: some file systems know no files without a name.
    package init(_ path: FilePath, overwrite: Bool, until disguise: Disguise) throws(NightfuseError) {
        self.path = systemResolved(path) ?? path
        self.overwrite = overwrite
        descriptor = -1
        try Self.checkTarget(self.path, overwrite: overwrite)
        if disguise == .unnamed { descriptor = systemOpenUnnamed(in: self.path.folder) }
        if descriptor < 0 { try openHidden() }
        if overwrite { keepMode() }
    }

    deinit { discard() }

    /// Appends bytes.
    ///
    /// - Throws: `.system`, as when the disk is full.
    public func write(_ bytes: UnsafeRawBufferPointer) throws(NightfuseError) {
        // The caller's bytes, which are there until this returns.
        guard unsafe systemWrite(descriptor, bytes) else { throw FileAccess.failure(path) }
    }

    /// Appends bytes.
    ///
    /// - Throws: `.system`, as when the disk is full.
    public func write(_ bytes: [UInt8]) throws(NightfuseError) {
        // The array keeps its bytes where they are until the closure returns.
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(NightfuseError) in
            try unsafe write(UnsafeRawBufferPointer(buffer))
        }
    }

    /// Puts the file in its place; nothing may be written afterwards.
    ///
    /// - Throws: `.argument` where something has come to stand there and may not be overwritten; `.system` else. The
    ///   target is then as it was.
    public func commit() throws(NightfuseError) {
        defer { discard() }
        // Data first, then the name: after a power cut the name must not lead to an empty file.
        guard fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP else { throw FileAccess.failure(path) }
        if temporary == nil {
            if systemName(descriptor, path) == 0 { return }
            guard errno == EEXIST else { throw FileAccess.failure(path) }
            guard overwrite else { throw Self.exists(path) }
            try nameHidden()
        }
        guard let hidden = temporary?.path else { return }
        if overwrite {
            guard systemRename(hidden, to: path) else { throw FileAccess.failure(path) }
        } else {
            // A rename would replace what has appeared meanwhile; a link refuses.
            guard systemLink(hidden, to: path) else {
                throw errno == EEXIST ? Self.exists(path) : FileAccess.failure(path)
            }
            systemRemove(hidden)
        }
        forget()
    }

    /// Closes and removes what was written and not committed. May be called again.
    public func discard() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
        if let temporary { systemRemove(temporary.path) }
        forget()
    }

    /// Removes the hidden files of all outputs not yet committed. May be called from a signal handler, before `_exit`.
    public static func removeAllTemporaries() { nfk_temporaries_remove() }

    // MARK: Parts

    private func forget() {
        if let temporary { nfk_temporary_forget(temporary.ticket) }
        temporary = nil
    }

    private static func exists(_ path: FilePath) -> NightfuseError {
        .argument("\(path): exists already (--force overwrites it)")
    }

    private static func checkTarget(_ path: FilePath, overwrite: Bool) throws(NightfuseError) {
        switch FileAccess.kind(path) {
        case .folder: throw .argument("\(path): is a folder; name a file")
        case .special: throw .argument("\(path): is not a regular file; it is not replaced")
        case .file: if !overwrite { throw exists(path) }
        case .nothing:
            // A link that leads nowhere is there all the same.
            if !overwrite, FileAccess.isLink(path) { throw exists(path) }
        }
        guard FileAccess.kind(path.folder) == .folder else {
            throw .system("\(path)", "there is no folder \(path.folder)")
        }
    }

    /// A name that nobody has: hidden, the target's own shortened to fit, the process, a number.
    private func hiddenPath(_ attempt: Int) -> FilePath {
        let stem = path.name.prefix(200)
        let suffix = ".nightfuse-\(getpid())-\(attempt)"
        return path.folder.appending([UInt8(ascii: ".")] + stem + Array(suffix.utf8))
    }

    /// Calls `make` with hidden names until one is free; it gives a negative number and `errno` where it failed.
    private func withHiddenName(_ make: (FilePath) -> Int32) throws(NightfuseError) -> Int32 {
        for attempt in 0..<100 {
            let hidden = hiddenPath(attempt)
            // Remembered before it is there, so that no signal finds it unknown.
            let ticket = rememberTemporary(hidden)
            let result = make(hidden)
            if result >= 0 {
                temporary = (hidden, ticket)
                return result
            }
            let reason = errno
            nfk_temporary_forget(ticket)
            errno = reason
            guard errno == EEXIST else { throw FileAccess.failure(path) }
        }
        throw FileAccess.failure(path)
    }

    private func openHidden() throws(NightfuseError) {
        descriptor = try withHiddenName { systemOpen($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC) }
    }

    private func nameHidden() throws(NightfuseError) {
        _ = try withHiddenName { systemName(descriptor, $0) }
    }

    /// The new file may be read by whom the old one could.
    private func keepMode() {
        if let status = systemStatus(path) { _ = fchmod(descriptor, status.st_mode & 0o777) }
    }
}
