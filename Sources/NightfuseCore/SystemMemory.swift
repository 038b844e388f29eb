#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What the system has to give, asked before the work.
package enum SystemMemory {
    /// Whether the system would give this many bytes now.
    ///
    /// It is asked for them and gets them back untouched, which costs nothing. A plane that is refused is an error; one of
    /// the runtime's own allocations that is refused ends the program, so it is better known before. Asked of the system
    /// itself: the optimiser takes `malloc` and `free` of memory that nobody uses for granted, and away.
    package static func canGive(_ bytes: Int) -> Bool { PlaneMemory.canMap(bytes) }

    /// Bytes of memory that this process has; nil where the system does not say.
    static var resident: Int? {
        #if os(Linux) || os(Android)
            let file = unsafe open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
            guard file >= 0 else { return nil }
            defer { close(file) }
            // Numbers of pages: the second is what is in memory (proc(5)).
            var text = [UInt8](repeating: 0, count: 128)
            let count = unsafe read(file, &text, text.count)
            let words = text.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
            guard words.count > 2 else { return nil }
            let pages = words[1].reduce(0) { $0 * 10 + Int($1) - 48 }
            return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
        #else
            return nil
        #endif
    }
}
