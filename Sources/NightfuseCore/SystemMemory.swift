/// What the system has to give, asked before the work.
package enum SystemMemory {
    /// Whether the system would give this many bytes now.
    ///
    /// It is asked for them and gets them back untouched, which costs nothing. A plane that is refused is an error; one of
    /// the runtime's own allocations that is refused ends the program, so it is better known before. Asked of the system
    /// itself: the optimiser takes `malloc` and `free` of memory that nobody uses for granted, and away.
    package static func canGive(_ bytes: Int) -> Bool { PlaneMemory.canMap(bytes) }
}
