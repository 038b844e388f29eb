// swift-tools-version: 6.1
import PackageDescription

// A night street that is rendered, and a camera that photographs it: where the sample burst comes from.
// A package of its own, so that what ships does not carry it.

let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "scene",
    products: [
        .library(name: "NightScene", targets: ["NightScene"]),
        .executable(name: "make-samples", targets: ["make-samples"]),
        .executable(name: "before-after", targets: ["before-after"]),
    ],
    dependencies: [.package(name: "nightfuse", path: "../..")],
    targets: [
        // The street, the hand, the sensor: from a seed to frames in memory.
        .target(
            name: "NightScene", dependencies: [.product(name: "_NightfuseLayers", package: "nightfuse")],
            swiftSettings: house),
        // Writes the frames as files.
        .executableTarget(
            name: "make-samples",
            dependencies: [
                "NightScene", .product(name: "_NightfuseLayers", package: "nightfuse"),
                .product(name: "NightfuseFiles", package: "nightfuse"),
            ], swiftSettings: house),
        // Lays a frame and the fused picture side by side.
        .executableTarget(
            name: "before-after",
            dependencies: [
                .product(name: "_NightfuseLayers", package: "nightfuse"),
                .product(name: "NightfuseFiles", package: "nightfuse"),
            ], swiftSettings: house),
        .testTarget(
            name: "NightSceneTests",
            dependencies: ["NightScene", .product(name: "_NightfuseLayers", package: "nightfuse")],
            swiftSettings: house),
    ],
    swiftLanguageModes: [.v6]
)
