// swift-tools-version: 6.1
import PackageDescription

// Times kernels, stages and whole bursts. A package of its own, so that what ships does not carry it.

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // Kernels and stages are the package's own (`package`), not API. This counts the benchmarks as of that package,
    // whose identity is its folder's name; the target's `packageAccess: false` keeps its own name from winning.
    .unsafeFlags(["-package-name", parentFolder]),
]

/// The name of the folder that holds the parent package, as the package manager spells an identity: in lower case, what a
/// name in C may not hold as underscores.
var parentFolder: String {
    let parts = Context.packageDirectory.split(separator: "/")
    let name = parts.count > 1 ? parts[parts.count - 2].lowercased() : "nightfuse"
    return String(name.map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

let package = Package(
    name: "benchmarks",
    dependencies: [
        .package(name: "nightfuse", path: ".."),
        .package(name: "scene", path: "../tools/scene"),
    ],
    targets: [
        .executableTarget(
            name: "benchmarks",
            dependencies: [
                .product(name: "Nightfuse", package: "nightfuse"),
                .product(name: "NightfuseFiles", package: "nightfuse"),
                .product(name: "_NightfuseLayers", package: "nightfuse"),
                .product(name: "_NightfuseCommand", package: "nightfuse"),
                .product(name: "_NightfuseTestSupport", package: "nightfuse"),
                .product(name: "NightScene", package: "scene"),
            ], packageAccess: false, swiftSettings: house)
    ],
    swiftLanguageModes: [.v6]
)
