internal import NightfuseCommand

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

Interrupts.keepStandardDescriptors()
Interrupts.watch()

// Not `CommandLine.arguments`: that repairs what is not UTF-8, and a repaired name names no file.
let words = (1..<max(Int(CommandLine.argc), 1)).compactMap { index -> [UInt8]? in
    // The system gives so many words, each ended by 0.
    guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
    return unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
}
exit(runCommand(words))
