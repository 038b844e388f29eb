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

internal import NightfuseCodecs
internal import NightfuseCore

/// SIGINT, SIGTERM and SIGHUP end the process at once, with status 130 and without leaving temporary files.
///
/// A thread of its own waits for them, so that cleaning up may take locks, as a handler may not.
///
/// The system's calls are `unsafe` for one reason: they take addresses, of a set of signals or of an action that is a variable
/// here, and of text that ends with 0. They keep none of them.
public enum Interrupts {
    /// Status of an interrupted run.
    public static let status: Int32 = 130

    /// To be called once, before any other thread is made: threads inherit the blocked signals.
    public static func watch() {
        signal(SIGPIPE, SIG_IGN)
        // A file that may grow no further (`ulimit -f`) is an error of the write then, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        var set = sigset_t()
        unsafe sigemptyset(&set)
        // A signal that the caller had ignored (as `nohup` does with SIGHUP) stays ignored.
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        let signals = set
        let watches = BackgroundThread.start {
            var signals = signals
            var number: Int32 = 0
            while unsafe sigwait(&signals, &number) != 0 {}
            end()
        }
        if watches { return }
        // No thread to be had: a handler does it. All that is called here may be called from one.
        for number in [SIGINT, SIGTERM, SIGHUP] where unsafe sigismember(&set, number) == 1 {
            signal(number) { _ in Interrupts.end() }
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private static func end() {
        AtomicOutput.removeAllTemporaries()
        // The progress line must not stay half drawn under the shell's prompt.
        if isatty(2) == 1 { _ = unsafe "\r\u{1B}[K".withCString { unsafe write(2, $0, strlen($0)) } }
        _exit(status)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard unsafe sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
            return unsafe unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
                == unsafeBitCast(SIG_IGN, to: Int.self)
        #else
            // SIG_IGN is 1; a handler is an address.
            return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
        #endif
    }

    /// Gives 0, 1 and 2 to nobody else: a picture written to the number of a closed standard output would get words
    /// in between. Reading and writing them then fails as it should.
    public static func keepStandardDescriptors() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }
}
