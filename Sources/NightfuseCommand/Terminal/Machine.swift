#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

internal import NightfuseCodecs

/// What this machine has, as far as this process may use it.
///
/// The system's calls are `unsafe` for one reason: they fill what they are given the address of, a variable of the call's own
/// type or an array whose length goes with it, and keep nothing of it.
package enum Machine {
    /// Cores this process may run on, at least 1.
    package static var cores: Int {
        // What `taskset` or a container leaves of them: a mask in hexadecimal, groups apart by commas.
        if let mask = statusLine("Cpus_allowed:") {
            let count = mask.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
            if count > 0 { return count }
        }
        return max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    }

    /// Bytes of memory: the machine's, or what a control group or `ulimit -v` leaves of it.
    package static var memoryBytes: Int {
        var smallest = FileAccess.machineMemory
        var limit = rlimit()
        #if os(Linux) && canImport(Glibc)
            let known = unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
        #else
            let known = unsafe getrlimit(RLIMIT_AS, &limit) == 0
        #endif
        if known, limit.rlim_cur < UInt64(smallest) { smallest = Int(limit.rlim_cur) }
        return smallest
    }

    /// The folder that `TMPDIR` names; nil where it names none.
    static var temporaryFolder: FilePath? {
        guard let path = unsafe getenv("TMPDIR"), unsafe path.pointee != 0 else { return nil }
        // The environment is not changed while the command runs.
        return unsafe FilePath(bytes: UnsafeRawBufferPointer(start: path, count: strlen(path)))
    }

    /// Most bytes that this process has held in memory.
    package static var peakMemoryBytes: Int {
        // Not `ru_maxrss` first: it starts with what the parent had when it made this process.
        if let line = statusLine("VmHWM:"), let kibibytes = Int(line.filter(\.isNumber)) { return kibibytes << 10 }
        var usage = rusage()
        #if os(Linux) && canImport(Glibc)
            unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            unsafe getrusage(RUSAGE_SELF, &usage)
        #endif
        #if canImport(Darwin)
            return Int(usage.ru_maxrss)
        #else
            return Int(usage.ru_maxrss) << 10
        #endif
    }

    /// Has large blocks (a file's bytes, a thread's working memory) go back to the system as soon as they are freed.
    ///
    /// Left alone, glibc keeps blocks of the largest size yet freed for later: 80 MB of a burst of eight frames.
    package static func returnsLargeBlocks() {
        // Smaller ones come and go too often for pages of their own; planes of this size see to themselves.
        FileAccess.returnBlocks(from: 2 << 20)
    }

    /// The processor, as the system calls it.
    package static var processorName: String {
        // The longest "cpuinfo" says it within its first lines.
        let line = smallFile("/proc/cpuinfo")?.split(separator: "\n").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":", maxSplits: 1).last.map { String($0.drop { $0 == " " }) }
            ?? systemPart(\.machine)
    }

    /// Kernel and its release.
    package static var systemName: String { systemPart(\.sysname) + " " + systemPart(\.release) }

    private static func systemPart<T>(_ part: KeyPath<utsname, T>) -> String {
        var names = utsname()
        guard unsafe uname(&names) == 0 else { return "unknown" }
        // An array of C, which Swift sees as a tuple; nothing beyond its bytes is read.
        return unsafe withUnsafeBytes(of: names[keyPath: part]) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// What Linux tells about this process under a name; nil elsewhere.
    private static func statusLine(_ name: String) -> Substring? {
        smallFile("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }

    /// Text of a small file of the system's; nil where it cannot be read.
    private static func smallFile(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
