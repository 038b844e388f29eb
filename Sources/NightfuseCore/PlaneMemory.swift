private import Dispatch

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Bytes of a huge page on x86-64 and arm64 (with 4 KiB base pages).
private let hugePage = 2 << 20
/// Blocks of this many bytes are mapped, ask for huge pages, and wait for the next of their size; smaller ones are the
/// allocator's.
private let mappedBlock = 2 << 20

/// Where planes get their memory: the allocator for small ones, else the system, or a plane of the same size that was given
/// back; or files (``ScratchPlanes``).
///
/// A burst makes planes of a few sizes over and over, and the system clears every page that it hands out: at a gigabyte or
/// two a second, that was a sixth of a fusion's time. What waits here never adds to the most that was ever in use: when a
/// block of another size has to come from the system, as much of what waits is returned first as would go beyond it.
///
/// Every call here is `unsafe` for one reason: these are addresses and lengths that go to the system and come from it. Each
/// block is given back with the length it was taken with, by the one plane that has it.
enum PlaneMemory {
    /// Memory of `bytes` bytes, nil where the system has none; `isZero` tells whether all bits are known to be zero.
    static func take(_ bytes: Int) -> (memory: UnsafeMutableRawPointer, isZero: Bool)? {
        if bytes >= ScratchPlanes.leastBytes, ScratchPlanes.isOn {
            return unsafe ScratchPlanes.take(bytes).map { unsafe ($0, true) }
        }
        guard bytes >= mappedBlock else {
            var memory: UnsafeMutableRawPointer?
            guard unsafe posix_memalign(&memory, 64, bytes) == 0, let memory = unsafe memory else { return nil }
            return unsafe (memory, false)
        }
        if let memory = unsafe waiting.take(bytes) { return unsafe (memory, false) }
        if let memory = unsafe map(bytes) { return unsafe (memory, true) }
        // The system may have room where nothing waits any more.
        waiting.clear()
        if let memory = unsafe map(bytes) { return unsafe (memory, true) }
        waiting.forget(bytes)
        return nil
    }

    /// Whether the system would map this many bytes now.
    static func canMap(_ bytes: Int) -> Bool {
        guard bytes < Int.max / 2, let memory = unsafe map(bytes) else { return false }
        unsafe unmap(memory, bytes)
        return true
    }

    /// Memory of the system's; nil where it has none.
    private static func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        // Mapped: fresh pages are zero already, and no other allocation's remains are in the way.
        let length = roundedUp(bytes)
        guard
            let start = unsafe mmap(
                nil, length + hugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | mapAnonymous, -1, 0),
            unsafe start != MAP_FAILED
        else { return nil }
        // On a huge page's boundary, or the first pages would be small ones, as those behind the last whole one are.
        let lead = (hugePage - Int(bitPattern: start) % hugePage) % hugePage
        if lead > 0 { unsafe munmap(start, lead) }
        if hugePage - lead > 0 { unsafe munmap(start + lead + length, hugePage - lead) }
        let memory = unsafe start + lead
        #if os(Linux)
            // The first touch of 24 MB takes 12 ms in pages of 4 KiB, 2.6 ms in huge ones. A hint: refusal is harmless.
            _ = unsafe madvise(memory, length, MADV_HUGEPAGE)
        #endif
        return unsafe memory
    }

    /// Takes back what ``take(_:)`` gave for `bytes`.
    static func give(_ memory: UnsafeMutableRawPointer, _ bytes: Int) {
        if bytes >= ScratchPlanes.leastBytes, unsafe ScratchPlanes.give(memory) { return }
        if bytes >= mappedBlock { unsafe waiting.give(memory, bytes) } else { unsafe free(memory) }
    }

    /// Returns what waits to the system: all, or the blocks of `bytes` bytes.
    static func clear(only bytes: Int? = nil) { waiting.clear(only: bytes) }

    fileprivate static func unmap(_ memory: UnsafeMutableRawPointer, _ bytes: Int) {
        unsafe munmap(memory, roundedUp(bytes))
    }

    private static func roundedUp(_ bytes: Int) -> Int { (bytes + 4095) & ~4095 }

    #if os(Linux) || os(Android)
        private static let mapAnonymous = MAP_ANONYMOUS
    #else
        private static let mapAnonymous = MAP_ANON
    #endif

    private static let waiting = WaitingBlocks()
}

/// Blocks that were given back, and how much is in use. Unchecked: every access holds the lock. Safe: a block is here while no plane
/// has it.
@safe
private final class WaitingBlocks: @unchecked Sendable {
    private var blocks: [(memory: UnsafeMutableRawPointer, bytes: Int)] = unsafe []
    /// Bytes that planes have, the most that they had since all was returned, and bytes of `blocks`.
    private var used = 0, mostUsed = 0, waiting = 0
    private let lock = DispatchSemaphore(value: 1)

    /// A block of this size; nil where none waits: then so much is returned that one from the system has room.
    func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        lock.wait()
        defer { lock.signal() }
        used += bytes
        mostUsed = max(mostUsed, used)
        if let index = unsafe blocks.lastIndex(where: { unsafe $0.bytes == bytes }) {
            waiting -= bytes
            return unsafe blocks.remove(at: index).memory
        }
        // The oldest first: what has not been wanted for longest.
        while used + waiting > mostUsed, unsafe !blocks.isEmpty { unsafe unmap(blocks.removeFirst()) }
        return nil
    }

    /// Takes back that a block was taken.
    func forget(_ bytes: Int) {
        lock.wait()
        used -= bytes
        lock.signal()
    }

    func give(_ memory: UnsafeMutableRawPointer, _ bytes: Int) {
        lock.wait()
        defer { lock.signal() }
        used -= bytes
        waiting += bytes
        unsafe blocks.append((memory, bytes))
    }

    func clear(only bytes: Int? = nil) {
        lock.wait()
        defer { lock.signal() }
        unsafe blocks.removeAll { block in
            guard unsafe block.bytes == bytes ?? block.bytes else { return false }
            unsafe unmap(block)
            return true
        }
        mostUsed = used + waiting
    }

    private func unmap(_ block: (memory: UnsafeMutableRawPointer, bytes: Int)) {
        unsafe waiting -= block.bytes
        unsafe PlaneMemory.unmap(block.memory, block.bytes)
    }
}

/// Returns the memory that planes left behind to the system; it is kept for the next planes of the same sizes until then.
public func releasePlaneMemory() { PlaneMemory.clear() }
