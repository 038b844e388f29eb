#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Seconds of wall time, the median of several runs.
enum Timing {
    /// Runs `body` `runs` times after one that does not count, and gives the median.
    static func median(_ runs: Int, _ body: () throws -> Void) rethrows -> Double {
        try body()
        return middle(try (0..<max(runs, 1)).map { _ in try once(body) })
    }

    static func once(_ body: () throws -> Void) rethrows -> Double {
        let start = ContinuousClock.now
        try body()
        let time = start.duration(to: .now).components
        return Double(time.seconds) + Double(time.attoseconds) * 1e-18
    }

    static func middle(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return 0 }
        let half = sorted.count / 2
        return sorted.count & 1 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
    }
}

/// What the machine does with plain memory: the yardstick of kernels.
struct CopySpeed {
    private let from: UnsafeMutableRawPointer
    private let to: UnsafeMutableRawPointer
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        from = .allocate(byteCount: capacity, alignment: 64)
        to = .allocate(byteCount: capacity, alignment: 64)
        memset(from, 1, capacity)
        memset(to, 2, capacity)
    }

    func release() {
        from.deallocate()
        to.deallocate()
    }

    /// Seconds of a `memcpy` that reads and writes `traffic` bytes in all.
    func seconds(traffic: Int, runs: Int) -> Double {
        let count = min(traffic / 2, capacity)
        let time = Timing.median(runs) { memcpy(to, from, count) }
        return time * Double(traffic) / Double(2 * count)
    }
}

/// The most memory that the process has had at once.
enum PeakMemory {
    /// Forgets the peak so far, where the system lets one.
    ///
    /// - Returns: whether it did; if not, the peak is that of the whole process.
    @discardableResult
    static func reset() -> Bool {
        #if os(Linux)
            let file = open("/proc/self/clear_refs", O_WRONLY)
            guard file >= 0 else { return false }
            defer { close(file) }
            // 5: reset the high-water mark of resident memory (proc(5)).
            return write(file, "5", 1) == 1
        #else
            return false
        #endif
    }

    /// Bytes; since the last ``reset()`` on Linux, else since the start.
    static var bytes: Int {
        #if os(Linux)
            var buffer = [CChar](repeating: 0, count: 1 << 13)
            let file = open("/proc/self/status", O_RDONLY)
            guard file >= 0 else { return 0 }
            defer { close(file) }
            guard read(file, &buffer, buffer.count - 1) > 0 else { return 0 }
            let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            for line in text.split(separator: "\n") where line.hasPrefix("VmHWM:") {
                return (line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0) << 10
            }
            return 0
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }
}
