#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What this machine has, as far as this process may use it.
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
        let pages = Int(sysconf(Int32(_SC_PHYS_PAGES)))
        let machine = pages > 0 ? pages * Int(sysconf(Int32(_SC_PAGESIZE))) : 4 << 30
        var smallest = machine
        // Version 2 and version 1 of control groups; "max" and absent files say nothing.
        for file in ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"] {
            if let text = smallFile(file), let bytes = Int(text.prefix { $0.isNumber }), bytes > 0 {
                smallest = min(smallest, bytes)
            }
        }
        var limit = rlimit()
        #if os(Linux) && canImport(Glibc)
            let known = getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
        #else
            let known = getrlimit(RLIMIT_AS, &limit) == 0
        #endif
        if known, limit.rlim_cur < UInt64(smallest) { smallest = Int(limit.rlim_cur) }
        return smallest
    }

    /// Most bytes that this process has held in memory.
    package static var peakMemoryBytes: Int {
        // Not `ru_maxrss` first: it starts with what the parent had when it made this process.
        if let line = statusLine("VmHWM:"), let kibibytes = Int(line.filter(\.isNumber)) { return kibibytes << 10 }
        var usage = rusage()
        #if os(Linux) && canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        #if canImport(Darwin)
            return Int(usage.ru_maxrss)
        #else
            return Int(usage.ru_maxrss) << 10
        #endif
    }

    /// What Linux tells about this process under a name; nil elsewhere.
    private static func statusLine(_ name: String) -> Substring? {
        smallFile("/proc/self/status")?.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }

    /// Text of a small file of the system's; nil where it cannot be read.
    private static func smallFile(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = read(descriptor, &bytes, bytes.count)
        return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
}
