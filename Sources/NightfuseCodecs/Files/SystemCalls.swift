#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

// Calls whose names are also names of our methods, and which are best asked for less than all at once.

/// Systems differ in how much one call may move; none refuses this much.
private let mostBytes = 1 << 30

/// `open(2)`; a new file may be read and written by all whom the umask lets.
func systemOpen(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { open(path, flags, 0o666) }

/// `read(2)` of at most 1 GiB.
func systemRead(_ descriptor: Int32, _ to: UnsafeMutableRawPointer, _ count: Int) -> Int {
    read(descriptor, to, min(count, mostBytes))
}

/// `write(2)` of at most 1 GiB.
func systemWrite(_ descriptor: Int32, _ from: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, from, min(count, mostBytes))
}
