internal import NightfuseCodecs
internal import NightfuseCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Reads the two pictures, lays them out, writes the sheet.
func run(_ words: [String]) throws(NightfuseError) {
    guard words.count == 5, let x = Double(words[3]), let y = Double(words[4]) else {
        throw .argument("usage: before-after FRAME PICTURE OUT.jpg X Y   (X Y: middle of the detail, 0 to 1)")
    }
    let before = try decodePicture(
        try FileAccess.read(FilePath(words[0]), limits: Limits()), name: words[0], limits: Limits())
    let after = try decodePicture(
        try FileAccess.read(FilePath(words[1]), limits: Limits()), name: words[1], limits: Limits())
    let sheet = try Sheet(before: before, after: after, detailX: x, detailY: y)
    let sink = MemorySink()
    try encodeJPEG(EncodedPicture(planes: sheet.planes, maxCode: 255), quality: 88, to: sink)
    let output = try AtomicOutput(FilePath(words[2]), overwrite: true)
    try output.write(sink.bytes)
    try output.commit()
}

do throws(NightfuseError) {
    try run(Array(CommandLine.arguments.dropFirst()))
} catch {
    let line = Array("before-after: \(error)\n".utf8)
    // Nothing is left to tell a failure of this to.
    _ = write(2, line, line.count)
    exit(1)
}
