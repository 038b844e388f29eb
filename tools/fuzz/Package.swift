// swift-tools-version: 6.1
import PackageDescription

// A package of its own: a fuzz target has no main function, so it would break a plain build of the product.
// `tools/fuzz/run` builds and runs the targets. To add one: a folder in Sources with one LLVMFuzzerTestOneInput, a line
// in `parsers` or `insides` below, and its seeds in make-seeds.

/// Parsers that are fuzzed, by the name of the target behind "fuzz-".
let parsers = ["png", "jpeg", "exif", "icc", "dng"]
/// What is fuzzed of the command and the kernels, which are the package's own (`package`), not API.
let insides = ["json", "command", "kernels"]

/// The name of the folder that holds the package, as the package manager spells an identity: in lower case, what a name in C
/// cannot hold as an underscore.
let packageFolder: String = {
    let parts = Context.packageDirectory.split(separator: "/")
    let name = parts.count > 2 ? parts[parts.count - 3].lowercased() : "nightfuse"
    return String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
}()

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "nightfuse", path: "../..")],
    targets: [
        .target(name: "FuzzSupport", dependencies: [.product(name: "NightfuseFiles", package: "nightfuse")]),
        .executableTarget(
            name: "make-seeds",
            dependencies: [
                .product(name: "NightfuseFiles", package: "nightfuse"),
                .product(name: "_NightfuseTestSupport", package: "nightfuse"),
            ]),
    ]
        + parsers.map {
            .executableTarget(
                name: "fuzz-\($0)",
                dependencies: ["FuzzSupport", .product(name: "NightfuseFiles", package: "nightfuse")],
                swiftSettings: [.unsafeFlags(["-parse-as-library"])])
        }
        + insides.map {
            // Counted as of that package: `packageAccess: false` keeps this one's name from winning.
            .executableTarget(
                name: "fuzz-\($0)",
                dependencies: [
                    "FuzzSupport", .product(name: "NightfuseFiles", package: "nightfuse"),
                    .product(name: "_NightfuseLayers", package: "nightfuse"),
                    .product(name: "_NightfuseCommand", package: "nightfuse"),
                ], packageAccess: false,
                swiftSettings: [.unsafeFlags(["-parse-as-library", "-package-name", packageFolder])])
        },
    swiftLanguageModes: [.v6]
)
