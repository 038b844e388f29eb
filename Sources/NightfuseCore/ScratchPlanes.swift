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

/// Large planes in files instead of memory: for pictures that the memory allowed does not hold.
///
/// A plane is then a file's pages, mapped. Whoever has worked through a band of rows lets all pages go (``letGo()``), and
/// the next band's come back from the system's cache or the disk: what is in memory at one time are the bands that are
/// worked on, whatever the picture's size. Samples, and so results, are the same as without.
///
/// One burst at a time: the files are the process's.
@usableFromInline
package enum ScratchPlanes {
    /// Planes of this many bytes and more live in files: below, a picture has no more of them than bands.
    static let leastBytes = 256 << 10

    /// Has planes of ``leastBytes`` and more live in files from here on, until ``end()``.
    ///
    /// - Parameters:
    ///   - keeping: bytes of memory that the process may have before ``letGo()`` does anything: letting go of what is
    ///     wanted again costs time.
    ///   - open: gives the descriptor of a new file that has so many bytes, all of them zero and none still to be found on
    ///     the disk; negative where there is no room. It is closed here; the file must vanish with its last use.
    package static func begin(keeping: Int, _ open: @escaping @Sendable (_ bytes: Int) -> Int32) {
        PlaneMemory.clear()
        files.begin(keeping: keeping, open)
    }

    /// Has new planes live in memory again; those in files stay there while they last.
    package static func end() { files.end() }

    /// Lets go of the pages that planes in files have in memory, where the process has more than it may: after a band.
    /// Nothing is lost, whoever else is at work.
    @usableFromInline
    package static func letGo() { files.letGo() }

    /// Whether new planes live in files.
    static var isOn: Bool { files.isOn }

    /// As `PlaneMemory.take(_:)`, all zero.
    static func take(_ bytes: Int) -> UnsafeMutableRawPointer? { unsafe files.take(bytes) }

    /// Takes back what ``take(_:)`` gave; false where it did not.
    static func give(_ memory: UnsafeMutableRawPointer) -> Bool { unsafe files.give(memory) }

    private static let files = ScratchFiles()
}

/// The files' mappings. Unchecked: every access holds the lock. Safe: a mapping is here from the call that made it to the one
/// that ends it, both on behalf of the one plane that has it.
@safe
private final class ScratchFiles: @unchecked Sendable {
    private var open: (@Sendable (Int) -> Int32)?
    private var keeping = 0
    private var mappings: [(memory: UnsafeMutableRawPointer, bytes: Int)] = unsafe []
    private let lock = DispatchSemaphore(value: 1)

    private func locked<Value: ~Copyable>(_ body: () -> Value) -> Value {
        lock.wait()
        defer { lock.signal() }
        return body()
    }

    var isOn: Bool { locked { open != nil } }

    func begin(keeping: Int, _ open: @escaping @Sendable (Int) -> Int32) {
        locked { (self.keeping, self.open) = (keeping, open) }
    }

    func end() { locked { open = nil } }

    func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        unsafe locked {
            guard let file = open?(bytes), file >= 0 else { return nil }
            // The mapping keeps the file.
            defer { close(file) }
            guard let memory = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
                unsafe memory != MAP_FAILED
            else { return nil }
            #if os(Linux)
                // A sample that is looked at must not bring 2 MiB into memory.
                _ = unsafe madvise(memory, bytes, MADV_NOHUGEPAGE)
            #endif
            unsafe mappings.append((memory, bytes))
            return unsafe memory
        }
    }

    func give(_ memory: UnsafeMutableRawPointer) -> Bool {
        locked {
            guard let index = unsafe mappings.firstIndex(where: { unsafe $0.memory == memory }) else { return false }
            unsafe munmap(memory, mappings.remove(at: index).bytes)
            return true
        }
    }

    func letGo() {
        locked {
            guard unsafe !mappings.isEmpty, (SystemMemory.resident ?? Int.max) > keeping else { return }
            // Shared pages of a file: what was written is the file's, and stays.
            unsafe mappings.forEach { _ = unsafe madvise($0.memory, $0.bytes, MADV_DONTNEED) }
        }
    }
}
