internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.contains("--help") {
    print(Options.help)
    exit(0)
}
do throws(NightfuseError) {
    try SampleWriter(Options(arguments)).run()
} catch {
    let line = Array("make-samples: \(error)\n".utf8)
    // Nothing is left to tell a failure of this to.
    _ = write(2, line, line.count)
    exit(1)
}
