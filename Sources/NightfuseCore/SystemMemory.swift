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
    /// the runtime's own small allocations that is refused ends the program, so it is better known before.
    package static func canGive(_ bytes: Int) -> Bool {
        // Given back at once, untouched.
        guard let memory = unsafe malloc(bytes) else { return false }
        unsafe free(memory)
        return true
    }
}
