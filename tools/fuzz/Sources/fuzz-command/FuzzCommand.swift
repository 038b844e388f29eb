import Foundation
import FuzzSupport
import NightfuseCodecs
import NightfuseCommand
import NightfuseCore

/// Runs the input as a command line, a word a line, in a folder of small frames: the status is one of those that are
/// promised, what is said is said in whole lines, --json is JSON, and the frames are as they were.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCommand(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    let words = input.split(separator: 10, maxSplits: 40, omittingEmptySubsequences: false).map(Array.init)
    // No word leads out of the folder, and none may be cut at a zero, which no command line holds.
    let isHarmless = words.allSatisfy { !$0.contains(UInt8(ascii: "/")) && !$0.contains(0) && $0 != Array("..".utf8) }
    guard isHarmless, words.allSatisfy({ $0.count < 200 }) else { return -1 }
    let folder = Folder.shared
    var (output, error) = ("", "")
    let status = withoutActuallyEscaping(
        { (text: String, isError: Bool) in if isError { error += text } else { output += text } }
    ) { note in
        let box = Box(note)
        return runCommand(
            words,
            console: Console(
                output: {
                    box.call($0, false)
                    return 0
                }, error: { box.call($0, true) }))
    }
    precondition([0, 1, 2].contains(status), "status \(status)")
    precondition(status == 0 || !error.isEmpty, "it failed without a word")
    precondition(error.isEmpty || error.hasSuffix("\n"), "half a line")
    let lines = error.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    precondition(lines.allSatisfy { $0.hasPrefix("nightfuse: ") }, "\(error)")
    let verbs = ["fuse", "plan", "inspect", "compare", "brighten"].map { Array($0.utf8) }
    if status == 0, words.first.map(verbs.contains) ?? false, words.contains(Array("--json".utf8)),
        output.hasPrefix("{")
    {
        do throws(JSONError) { _ = try JSONParser.parse(Array(output.utf8)) } catch { preconditionFailure("\(error)") }
    }
    folder.checkAndClean()
    return 0
}

/// Unchecked: the command is done with it before the input is.
private struct Box: @unchecked Sendable {
    let call: (String, Bool) -> Void
    init(_ call: @escaping (String, Bool) -> Void) { self.call = call }
}

/// The folder that the command runs in, and what stands there.
private final class Folder: @unchecked Sendable {
    // Unchecked: libFuzzer calls from one thread.
    static let shared = Folder()
    private let path: String
    private let files: [String: Data]

    private init() {
        path = NSTemporaryDirectory() + "nightfuse-fuzz-\(getpid())"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            var files: [String: Data] = [
                "d.json": Data(#"{"exposure_s": [0.001, 0.5], "iso": [50, 3200], "max_frames": 6}"#.utf8),
                "t.txt": Data("no picture".utf8),
            ]
            for (name, shift) in [("a.png", 0), ("b.png", 1), ("c.png", 2)] {
                let planes = try (0..<3).map { channel in
                    let plane = try Plane<UInt16>(width: 16, height: 12)
                    for y in 0..<12 { for x in 0..<16 { plane[x, y] = UInt16((x + shift) * 9 + y * 5 + channel * 20) } }
                    return plane
                }
                let sink = MemorySink()
                try encodePNG(EncodedPicture(planes: planes, maxCode: 255), bits: 8, to: sink)
                files[name] = Data(sink.bytes)
            }
            self.files = files
        } catch { fatalError("\(error)") }
        guard chdir(path) == 0 else { fatalError("no folder") }
        restore()
    }

    private func restore() {
        do {
            for (name, bytes) in files { try bytes.write(to: URL(fileURLWithPath: path + "/" + name)) }
        } catch { fatalError("\(error)") }
    }

    /// Frames are never written to, and nothing hidden stays.
    func checkAndClean() {
        for name in names(in: [UInt8(ascii: ".")]) {
            let text = String(decoding: name, as: UTF8.self)
            precondition(!text.contains(".nightfuse-"), "\(text) was left")
            if let bytes = files[text] {
                precondition(FileManager.default.contents(atPath: path + "/" + text) == bytes, "\(text) was changed")
            } else if unlinked(name) != 0 {
                // A folder of maps.
                for inner in names(in: name) { _ = unlinked(name + [UInt8(ascii: "/")] + inner) }
                precondition(withPath(name) { rmdir($0) } == 0, "\(text) cannot be removed")
            }
        }
    }

    /// Names as bytes: they need not be text.
    private func names(in folder: [UInt8]) -> [[UInt8]] {
        guard let stream = withPath(folder, { opendir($0) }) else { return [] }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [46], name != [46, 46] { names.append(name) }
        }
        return names
    }

    private func unlinked(_ name: [UInt8]) -> Int32 { withPath(name) { unlink($0) } }

    private func withPath<Result>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (name.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
    }
}
