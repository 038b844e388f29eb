// swift-tools-version: 6.3
import PackageDescription

// A small simulated camera that shows how camera software uses Nightfuse. A package of its own, as an app would be.
let package = Package(
    name: "camera",
    dependencies: [
        .package(name: "nightfuse", path: "../.."),
        .package(name: "scene", path: "../../tools/scene"),
    ],
    targets: [
        .executableTarget(
            name: "camera",
            dependencies: [
                .product(name: "Nightfuse", package: "nightfuse"),
                .product(name: "NightfuseFiles", package: "nightfuse"),
                .product(name: "NightScene", package: "scene"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
