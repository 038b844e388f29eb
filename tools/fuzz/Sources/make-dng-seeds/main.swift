import Foundation
import NightfuseCore
import NightfuseRaw
import NightfuseTestSupport

// make-dng-seeds FOLDER: writes small DNG files and lossless JPEG streams, a few hundred bytes each.

guard CommandLine.arguments.count == 2 else {
    print("make-dng-seeds FOLDER")
    exit(2)
}
let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)

func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: folder.appendingPathComponent(name))
}

for (name, bytes) in try seeds() { try write(name, bytes) }
