internal import CCodecShims
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

/// The one door to files: whole files in, pictures of a folder by name, what kind of thing a path is.
public enum FileAccess {
    /// What stands at a path; links are followed.
    public enum Kind: Equatable, Sendable {
        case nothing
        case file
        case folder
        /// FIFO, socket, device.
        case special
    }

    /// What stands at `path`. A path that may not be looked at counts as nothing.
    public static func kind(_ path: FilePath) -> Kind {
        systemStatus(path).map(kind(of:)) ?? .nothing
    }

    /// Bytes of the file at `path`; 0 where there is none.
    public static func size(_ path: FilePath) -> Int {
        systemStatus(path).map { Int($0.st_size) } ?? 0
    }

    /// Whether a symbolic link stands at `path`, wherever it leads.
    static func isLink(_ path: FilePath) -> Bool {
        systemLinkStatus(path).map { $0.st_mode & S_IFMT == S_IFLNK } ?? false
    }

    /// Whether both paths lead to one and the same file.
    public static func isSame(_ a: FilePath, _ b: FilePath) -> Bool {
        guard let first = systemStatus(a), let second = systemStatus(b) else { return false }
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino
    }

    /// The whole file, which must be a regular one of at most `limits.memoryBytes`.
    ///
    /// - Throws: `.system` where it cannot be read, `.file` where it is no regular file, `.limit` where it is too large.
    public static func read(_ path: FilePath, limits: Limits) throws(NightfuseError) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(path, limits: limits, into: &bytes)
        return bytes
    }

    /// The same into an array whose memory is used again where it is large enough: the system clears every page that it
    /// hands out, which takes longer than to read a file that is in its cache.
    public static func read(_ path: FilePath, limits: Limits, into bytes: inout [UInt8]) throws(NightfuseError) {
        let (descriptor, size) = try open(path)
        defer { close(descriptor) }
        guard size <= limits.memoryBytes else {
            throw .limit("\(path): \(size >> 20) MiB is more than the \(limits.memoryBytes >> 20) MiB allowed")
        }
        guard size > 0, bytes.capacity >= size else {
            // First, so that both are not there at once.
            bytes = []
            bytes = try read(descriptor, count: size, room: size / 16, of: path)
            return
        }
        if bytes.count > size {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
        let (filled, problem) = systemFill(&bytes, from: descriptor)
        guard problem == 0 else { throw .system("\(path)", systemText(problem)) }
        bytes.removeLast(size - filled)
    }

    /// The first bytes of a regular file, at most `count`.
    ///
    /// - Throws: as ``read(_:limits:)``.
    public static func readStart(_ path: FilePath, count: Int) throws(NightfuseError) -> [UInt8] {
        let (descriptor, size) = try open(path)
        defer { close(descriptor) }
        return try read(descriptor, count: min(size, count), of: path)
    }

    /// The pictures of a folder in natural order of their names: regular files, not hidden, whose content or extension
    /// is that of a picture, also of kinds that are then refused by name.
    ///
    /// - Throws: `.system` where the folder cannot be read.
    public static func pictures(in folder: FilePath) throws(NightfuseError) -> [FilePath] {
        guard var names = systemNames(in: folder) else { throw failure(folder) }
        names.removeAll { $0.first == UInt8(ascii: ".") }
        names.sort(by: precedesNaturally)
        return names.map { folder.appending($0) }.filter(isPicture)
    }

    /// Has freed blocks of so many bytes and more, as the bytes of files are, go back to the system at once, where the
    /// allocator can be told.
    public static func returnBlocks(from bytes: Int) { nfk_return_blocks_from(Int32(clamping: bytes)) }

    /// Bytes of memory that this process may hope for: the machine's, or its control group's if that is less.
    public static var machineMemory: Int {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        var bytes = pages > 0 && size > 0 ? pages * size : 4 << 30
        for file in ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"] {
            // No such file, or "max": no limit there.
            guard let text = try? readPseudoFile(FilePath(file)), let limit = Int(text), limit > 0 else { continue }
            bytes = min(bytes, limit)
        }
        return bytes
    }

    // MARK: Parts

    /// Bytes that tell any picture's kind (a DNG's first directory may stand further in; its TIFF header is enough here).
    private static let sniffedBytes = 4096

    private static func isPicture(_ path: FilePath) -> Bool {
        guard kind(path) == .file else { return false }
        if PictureFormat.isPictureExtension(path.fileExtension) { return true }
        // A file that cannot be read, and is not named as a picture, is none of our business.
        guard let start = try? readStart(path, count: sniffedBytes) else { return false }
        return PictureFormat.sniff(start) != .unknown
    }

    private static func kind(of status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .special
        }
    }

    /// Opens a regular file; a FIFO or a device must not block or be consumed.
    static func open(_ path: FilePath) throws(NightfuseError) -> (descriptor: Int32, size: Int) {
        let kind = kind(path)
        if kind == .folder { throw .file("\(path)", "is a folder, not a file") }
        if kind == .special { throw .file("\(path)", "is not a regular file") }
        let descriptor = systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        guard let status = systemStatus(descriptor) else {
            let error = failure(path)
            close(descriptor)
            throw error
        }
        // It may have been changed for another between the two looks.
        guard Self.kind(of: status) == .file else {
            close(descriptor)
            throw .file("\(path)", "is not a regular file")
        }
        return (descriptor, Int(status.st_size))
    }

    /// Tables, chunks and metadata beside a file's bytes.
    private static let spareBytes = 4 << 20
    /// Fewer bytes than that are not asked for first: a PNG's head is read in thousands of pieces.
    private static let smallBytes = 64 << 10

    /// Up to `count` bytes; fewer where the file has become shorter. The array has room for `room` more: files of a burst
    /// differ in size by a few parts in a hundred.
    static func read(
        _ descriptor: Int32, count: Int, room: Int = 0, of path: FilePath
    ) throws(NightfuseError) -> [UInt8] {
        // The empty array is one for all threads, and making one of no capacity writes to it.
        guard count > 0 else { return [] }
        // An array that cannot be had ends the process, so the memory is asked for first, with what decoders need for
        // their small things.
        guard count < smallBytes || SystemMemory.canGive(count + room + spareBytes) else {
            throw .limit("\(path): no memory to read \(count >> 10) KiB")
        }
        let (bytes, problem) = systemRead(descriptor, count: count, room: room)
        guard problem == 0 else { throw .system("\(path)", systemText(problem)) }
        return bytes
    }

    /// The text of a file whose size the system gives as zero, without the newline at its end.
    private static func readPseudoFile(_ path: FilePath) throws(NightfuseError) -> String {
        let descriptor = systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        let bytes = try read(descriptor, count: 64, of: path)
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }

    /// The system's last error, about `path`.
    static func failure(_ path: FilePath) -> NightfuseError { .system("\(path)", systemText(errno)) }
}
