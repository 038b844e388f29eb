internal import CCodecShims

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Calls to the system, as plain functions: where one fails it gives nil, false or a negative number, and `errno` tells.
//
// Each is `unsafe` for one reason: the system takes addresses. A path ends with a zero (`FilePath.withCString`), a status is
// written to a variable of its type, bytes are moved by the counts of the arrays and buffers that hold them, and the system
// keeps no address beyond the call.

/// Systems differ in how much one call may move; none refuses this much.
private let mostBytes = 1 << 30

// MARK: What stands at a path

/// `stat(2)`, which follows links.
func systemStatus(_ path: FilePath) -> stat? {
    var status = stat()
    return unsafe path.withCString { unsafe stat($0, &status) } == 0 ? status : nil
}

/// `lstat(2)`, which does not.
func systemLinkStatus(_ path: FilePath) -> stat? {
    var status = stat()
    return unsafe path.withCString { unsafe lstat($0, &status) } == 0 ? status : nil
}

/// `fstat(2)`.
func systemStatus(_ descriptor: Int32) -> stat? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? status : nil
}

/// `realpath(3)`: the path without links.
func systemResolved(_ path: FilePath) -> FilePath? {
    guard let real = unsafe path.withCString({ unsafe realpath($0, nil) }) else { return nil }
    defer { unsafe free(real) }
    return unsafe FilePath(bytes: UnsafeRawBufferPointer(start: real, count: strlen(real)))
}

/// `opendir(3)` and `readdir(3)`: the names in a folder, also those of the folder and of the one above.
func systemNames(in folder: FilePath) -> [[UInt8]]? {
    guard let stream = unsafe folder.withCString({ unsafe opendir($0) }) else { return nil }
    defer {
        let problem = errno
        unsafe closedir(stream)
        errno = problem
    }
    var names: [[UInt8]] = []
    errno = 0
    // An entry is there until the next call.
    while let entry = unsafe readdir(stream) {
        names.append(unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) })
        errno = 0
    }
    return errno == 0 ? names : nil
}

// MARK: Names

/// `open(2)`; a new file may be read and written by all whom the umask lets.
func systemOpen(_ path: FilePath, _ flags: Int32) -> Int32 {
    unsafe path.withCString { unsafe open($0, flags, 0o666) }
}

/// Opens a file without a name, where the system has such.
func systemOpenUnnamed(in folder: FilePath) -> Int32 {
    unsafe folder.withCString { unsafe nfk_open_unnamed($0) }
}

/// Gives it a name, which must be free.
func systemName(_ descriptor: Int32, _ path: FilePath) -> Int32 {
    unsafe path.withCString { unsafe nfk_name_unnamed(descriptor, $0) }
}

/// Opens a new file of so many zero bytes that is gone with its last use.
func systemOpenScratch(in folder: FilePath, bytes: Int) -> Int32 {
    unsafe folder.withCString { unsafe nfk_open_scratch($0, Int64(bytes)) }
}

/// Whether there is room for so many bytes of such files.
func systemHasRoom(in folder: FilePath, bytes: Int) -> Bool {
    unsafe folder.withCString { unsafe nfk_has_room($0, Int64(bytes)) } != 0
}

/// `rename(2)`.
func systemRename(_ path: FilePath, to other: FilePath) -> Bool {
    unsafe path.withCString { from in unsafe other.withCString { to in unsafe rename(from, to) } } == 0
}

/// `link(2)`.
func systemLink(_ path: FilePath, to other: FilePath) -> Bool {
    unsafe path.withCString { from in unsafe other.withCString { to in unsafe link(from, to) } } == 0
}

/// `unlink(2)`.
func systemRemove(_ path: FilePath) { _ = unsafe path.withCString { unsafe unlink($0) } }

/// `mkdir(2)`.
func systemMakeFolder(_ path: FilePath) -> Bool { unsafe path.withCString { unsafe mkdir($0, 0o777) } == 0 }

/// `rmdir(2)`.
func systemRemoveFolder(_ path: FilePath) { _ = unsafe path.withCString { unsafe rmdir($0) } }

/// Has the file removed where a signal ends the process; gives a ticket.
func rememberTemporary(_ path: FilePath) -> Int32 { unsafe path.withCString { unsafe nfk_temporary_add($0) } }

// MARK: Bytes

/// `read(2)` over and over, until `bytes` is full or the file ends; gives the bytes read, and the system's error or 0.
func systemFill(_ bytes: inout [UInt8], from descriptor: Int32) -> (filled: Int, problem: Int32) {
    unsafe bytes.withUnsafeMutableBufferPointer { unsafe fill($0, from: descriptor) }
}

/// An array of up to `count` bytes, with room for `room` more, and the system's error or 0.
func systemRead(_ descriptor: Int32, count: Int, room: Int) -> (bytes: [UInt8], problem: Int32) {
    var problem: Int32 = 0
    // What has been read is the array; the rest of its memory is room.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count + room) { buffer, filled in
        (filled, problem) = unsafe fill(.init(rebasing: buffer[..<count]), from: descriptor)
    }
    return (bytes, problem)
}

private func fill(
    _ buffer: UnsafeMutableBufferPointer<UInt8>, from descriptor: Int32
) -> (filled: Int, problem: Int32) {
    var filled = 0
    while filled < buffer.count, let base = buffer.baseAddress {
        let got = unsafe read(descriptor, base + filled, min(buffer.count - filled, mostBytes))
        if got > 0 {
            filled += got
        } else if got == 0 {
            break
        } else if errno != EINTR {
            return (filled, errno)
        }
    }
    return (filled, 0)
}

/// `write(2)` over and over, until all is written.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Bool {
    var written = 0
    while written < bytes.count, let base = bytes.baseAddress {
        let count = unsafe write(descriptor, base + written, min(bytes.count - written, mostBytes))
        if count >= 0 {
            written += count
        } else if errno != EINTR {
            return false
        }
    }
    return true
}

// MARK: Errors

/// `strerror(3)`.
func systemText(_ error: Int32) -> String { unsafe String(cString: strerror(error)) }
