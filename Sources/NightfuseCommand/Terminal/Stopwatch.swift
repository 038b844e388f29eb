private import Dispatch

/// Wall time since it was made.
struct Stopwatch {
    private let started = DispatchTime.now().uptimeNanoseconds

    var seconds: Double { Double(DispatchTime.now().uptimeNanoseconds - started) / 1e9 }
}
