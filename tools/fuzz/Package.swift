// swift-tools-version: 6.1
import PackageDescription

// Targets for libFuzzer, one a parser. A package of its own, because a target without a main breaks a plain build.
// Built and run by ./run.

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// For targets whose entry point libFuzzer calls.
let fuzzer: [SwiftSetting] = house + [.unsafeFlags(["-parse-as-library"])]

let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "nightfuse", path: "../..")],
    targets: [
        // DNG, its lossless JPEG, and the writer on what was read.
        .executableTarget(
            name: "FuzzDNG",
            dependencies: [
                .product(name: "_NightfuseLayers", package: "nightfuse"),
                .product(name: "NightfuseFiles", package: "nightfuse"),
            ], swiftSettings: fuzzer),
        // Small DNG files of every kind that is read, to begin with.
        .executableTarget(
            name: "make-dng-seeds",
            dependencies: [
                .product(name: "_NightfuseLayers", package: "nightfuse"),
                .product(name: "NightfuseFiles", package: "nightfuse"),
                .product(name: "_NightfuseTestSupport", package: "nightfuse"),
            ], swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
