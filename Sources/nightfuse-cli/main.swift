internal import NightfuseCommand

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

exit(runCommand(Array(CommandLine.arguments.dropFirst())))
