import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("ARCHITECTURE.md")
struct ArchitectureTests {
    /// The package's folder, from where this file stood when it was built.
    private let root = String(#filePath.dropLast("Tests/NightfuseCoreTests/ArchitectureTests.swift".count))

    private func text(_ path: String) -> String? {
        guard let file = fopen(root + path, "r") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    private func exists(_ path: String) -> Bool { access(root + path, F_OK) == 0 }

    /// What stands between single backticks and looks like a path of this tree.
    private func paths(in text: String) -> [String] {
        let tops = ["Sources/", "Tests/", "Benchmarks/", "tools/", "samples/", "docs/"]
        return text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { number, _ in number % 2 == 1 }
            .map { String($0.element.prefix { $0 != " " }) }
            .filter { word in tops.contains { word.hasPrefix($0) } }
    }

    @Test(arguments: ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md", "samples/README.md"])
    func everyPathNamedThereExists(page: String) throws {
        let named = paths(in: try #require(text(page)))
        #expect(!named.isEmpty)
        for path in named { #expect(exists(path), "\(page) names \(path), which is not there") }
    }

    @Test func everyModuleIsOnThePage() throws {
        let page = try #require(text("ARCHITECTURE.md"))
        let manifest = try #require(text("Package.swift"))
        // Names of modules as the manifest has them: a folder in Sources for each.
        let names = manifest.split(separator: "\"").map(String.init)
            .filter { !$0.isEmpty && !$0.contains("/") && exists("Sources/\($0)") }
        #expect(names.count > 8)
        for name in Set(names) {
            // The diagram leaves out the family name where the line says it already.
            let short = name.hasPrefix("Nightfuse") ? String(name.dropFirst("Nightfuse".count)) : name
            let known = page.contains(short.isEmpty ? name : short)
            #expect(known, "ARCHITECTURE.md does not know \(name)")
        }
    }
}
