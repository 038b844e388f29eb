import Foundation
import NightfuseCodecs
import NightfuseCommand
import NightfuseCore
import NightfuseRaw
import Testing

/// Every input that fuzzing ever found fault with, in the folder Found: once through every reader.
@Suite("What fuzzing found")
struct FoundInputTests {
    private static let folder = Bundle.module.bundleURL.appendingPathComponent("Found")

    private static var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    @Test func thereAreInputs() throws { #expect(try !Self.names.isEmpty) }

    @Test func everyReaderTakesThemOrSaysWhyNotInOneLine() throws {
        for name in try Self.names {
            let bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name)))
            expectLine(name) { () throws(NightfuseError) in _ = try decodePicture(bytes, name: name, limits: Limits()) }
            expectLine(name) { () throws(NightfuseError) in
                let frame = try DNGReader.read(bytes, name: name)
                // What can be read can be written, and read again.
                let written = Result { () throws(NightfuseError) in try DNGWriter().bytes(frame) }
                #expect(throws: Never.self) { try DNGReader.read(try written.get(), name: name) }
            }
            expectLine(name) { () throws(NightfuseError) in _ = try DeviceFile.decode(bytes, name: name) }
        }
    }

    private func expectLine(_ name: String, _ read: () throws(NightfuseError) -> Void) {
        do throws(NightfuseError) { try read() } catch {
            #expect(error.description.hasPrefix(name + ": "), "\(error)")
            #expect(!error.description.contains { $0.isNewline }, "\(name)")
        }
    }
}
