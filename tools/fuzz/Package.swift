// swift-tools-version: 6.1
import PackageDescription

// A package of its own: a fuzz target has no main function, so it would break a plain build of the product.
// `tools/fuzz/run` builds and runs the targets. To add one: a folder in Sources with one LLVMFuzzerTestOneInput, a line
// in `parsers` below, and its seeds in make-seeds.

/// What is fuzzed, by the name of the target behind "fuzz-".
let parsers = ["png", "jpeg", "exif", "icc", "dng"]

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
        },
    swiftLanguageModes: [.v6]
)
