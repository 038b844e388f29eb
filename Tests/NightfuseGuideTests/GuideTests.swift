import CHost
import Foundation
import Nightfuse
import NightfuseC
import NightfuseCodecs
import NightfuseTestSupport
import Testing

@Suite("Guides")
struct GuideTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    /// Lines without what indents them.
    private static func lines(_ text: some StringProtocol) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
    }

    /// Code of a language between fences.
    private static func blocks(_ language: String, of text: String) -> [[String]] {
        text.components(separatedBy: "```\(language)\n").dropFirst().map {
            lines($0.components(separatedBy: "\n```")[0])
        }
    }

    @Test(arguments: [
        ("swift", "Tests/NightfuseGuideTests/GuideSnippets.swift", 8), ("c", "Tests/_CHost/guide.c", 2),
    ])
    func everyPieceOfCodeInTheGuidesIsCompiled(language: String, source: String, count: Int) throws {
        let compiled = Self.lines(try Self.text(source)).joined(separator: "\n") + "\n"
        let catalogue = Self.root.appendingPathComponent("Sources/Nightfuse/Nightfuse.docc")
        var found = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: catalogue.path) where name.hasSuffix(".md") {
            for block in Self.blocks(language, of: try Self.text("Sources/Nightfuse/Nightfuse.docc/" + name)) {
                found += 1
                // The formatter may break a long line in the source.
                let wanted = block.joined().filter { !$0.isWhitespace }
                #expect(
                    compiled.filter { !$0.isWhitespace }.contains(wanted), "\(name):\n\(block.joined(separator: "\n"))")
            }
        }
        #expect(found == count)
    }

    @Test func everyFunctionOfTheHeaderIsCalledFromC() throws {
        let header = try Self.text("Sources/CNightfuse/include/nightfuse.h")
        let code = header.split(separator: "\n").filter { !$0.hasPrefix(" *") }.joined(separator: "\n")
        let names = Set(code.matches(of: /\bnf_[a-z_]+(?=\()/).map { String($0.output) })
        #expect(names.count == 24)
        var callers = ""
        for path in ["samples/c-camera/camera.c", "Tests/_CHost/shoot.c", "Tests/_CHost/refusals.c"] {
            callers += try Self.text(path)
        }
        for name in names.sorted() { #expect(callers.contains(name + "("), "\(name) is called by nobody") }
    }

    // MARK: What they say works

    private func withMemory(_ count: Int, _ body: ([UnsafeRawBufferPointer]) throws -> Void) throws {
        let all = (0..<3).map { index in
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            var random = SeededRandom(seed: UInt64(index))
            for i in 0..<count {
                memory[i] = UInt8(30 + (i / 30 + 5 * (i / 2000)) % 60 + Int(random.uniform() * 20))
            }
            return memory
        }
        defer { for memory in all { memory.deallocate() } }
        try body(all.map { UnsafeRawBufferPointer($0) })
    }

    @Test func theOverviewFuses() throws {
        try withMemory(1920 * 480) { burst in
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1920 * 480, alignment: 16)
            defer { memory.deallocate() }
            let output = MutablePixelBuffer(memory, stride: 1920, width: 640, height: 480, layout: .rgb8)
            let result = try GuideSnippets.overview(burst, output)
            GuideSnippets.reasons(result)
            #expect(result.frames.count == 3)
        }
    }

    @Test func aFolderIsFused() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("guide-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        var paths: [String] = []
        for index in 0..<3 {
            let frame = try TestBurst.night(seed: 41).frame(seed: UInt64(index))
            let sink = MemorySink()
            try encodePNG(EncodedPicture(planes: frame.planes, maxCode: frame.maxCode), bits: 16, to: sink)
            let path = folder.appendingPathComponent("\(index).png")
            try Data(sink.bytes).write(to: path)
            paths.append(path.path)
        }
        let output = folder.appendingPathComponent("night.jpg").path
        try GuideSnippets.fuse(paths, into: output)
        let bytes = try FileAccess.read(FilePath(output), limits: Limits())
        #expect(try decodePicture(bytes, name: output, limits: Limits()).width == 160)
        #expect(try GuideSnippets.options().validated().look == .natural)
    }

    @Test func aShotIsMeteredPlannedAndTaken() throws {
        try withMemory(1280 * 240) { previews in
            let meter = try GuideSnippets.meter(previews)
            var exposures = 0
            try GuideSnippets.plan(meter, .init { _, _ in exposures += 1 })
            #expect(1...8 ~= exposures)
            let scene = try #require(meter.reading())
            let device = DeviceLimits()
            let plan = try CapturePlanner(device: device).plan(scene)
            let session = try GuideSnippets.shoot(plan, previews, device, .init())
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 320 * 360, alignment: 16)
            defer { memory.deallocate() }
            let luma = UnsafeMutableRawBufferPointer(rebasing: memory[..<(320 * 240)])
            let chroma = UnsafeMutableRawBufferPointer(rebasing: memory[(320 * 240)...])
            #expect(try GuideSnippets.take(session, luma, chroma).frames.count == 3)
        }
    }

    @Test func aProgramInCDoesTheSame() {
        let failure = chost_guide().map { String(cString: $0) }
        #expect(failure == nil)
    }
}
