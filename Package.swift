// swift-tools-version: 6.3
import PackageDescription

// Targets stand in dependency order, bottom layer first; an arrow only ever points up this page.
// `swift build --explicit-target-dependency-import-check error` (see .ci/run) makes the manifest the law.

/// Settings of every Swift target but the tests. Every spot that the compiler cannot prove safe is marked with `unsafe`; a spot
/// without is an error.
let house: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
]

/// What the linker shows of the C library.
let exports = LinkerSetting.unsafeFlags(
    // Not gold, which lists names that it does not export.
    ["-use-ld=lld", "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/CNightfuseExports/exports.map"],
    .when(platforms: [.linux, .android]))
let exportsOfApple = LinkerSetting.unsafeFlags(
    ["-Xlinker", "-exported_symbol", "-Xlinker", "_nf_*"], .when(platforms: [.macOS, .iOS]))

// The loops once more, for x86-64-v3: the files of NightfuseLoopsV3 are links to those of NightfuseLoops. Declared only where
// the host's architecture has that level.
#if arch(x86_64)
    let wideLoops: [Target.Dependency] = ["NightfuseLoopsV3"]
    let wideTargets: [Target] = [
        .target(
            name: "NightfuseLoopsV3", dependencies: ["NightfuseCore", "CShuffles"],
            swiftSettings: house + [.unsafeFlags(["-Xcc", "-march=x86-64-v3"])])
    ]
#else
    let wideLoops: [Target.Dependency] = []
    let wideTargets: [Target] = []
#endif

let package = Package(
    name: "nightfuse",
    products: [
        .library(name: "Nightfuse", targets: ["Nightfuse"]),
        // The same for C; `tools/install` puts both kinds, the header and a pkg-config file in place as libnightfuse.
        .library(name: "CNightfuse", type: .dynamic, targets: ["NightfuseC", "CNightfuseExports"]),
        .library(name: "CNightfuseStatic", type: .static, targets: ["NightfuseC"]),
        .library(name: "NightfuseFiles", targets: ["NightfuseCodecs", "NightfuseRaw"]),
        .executable(name: "nightfuse", targets: ["nightfuse-cli"]),
        // The layers one by one, for the packages in Benchmarks and tools. No API: may change at any time.
        .library(
            name: "_NightfuseLayers",
            targets: ["NightfuseCore", "NightfuseKernels", "NightfusePipeline", "NightfuseMetering"]),
        // The command as a function, for the fuzzers. No API either.
        .library(name: "_NightfuseCommand", targets: ["NightfuseCommand"]),
        // Files of the tests' own making, for the fuzzers' seeds. No API either.
        .library(name: "_NightfuseTestSupport", targets: ["NightfuseTestSupport"]),
    ],
    targets: [
        // MARK: System libraries
        .systemLibrary(
            name: "CPNG", pkgConfig: "libpng",
            providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CJPEG", pkgConfig: "libjpeg",
            providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
        // Every setjmp and callback that libpng and libjpeg need; gives status codes, never jumps out.
        .target(name: "CCodecShims", dependencies: ["CPNG", "CJPEG"]),

        // MARK: Core: planes, bands, errors, limits, what a picture is. No maths, no files.
        .target(name: "NightfuseCore", swiftSettings: house),

        // MARK: Kernels: loops over pixels, each beside a plain reference.
        // What Swift's vectors cannot: moves between lanes, as inline functions.
        .target(name: "CShuffles"),
        // What the processor can do.
        .target(name: "CProcessor"),
        // The hot loops, for the least processor of the architecture; NightfuseLoopsV3 further down is the same once more.
        .target(name: "NightfuseLoops", dependencies: ["NightfuseCore", "CShuffles"], swiftSettings: house),
        // What they compute, and which build of them runs.
        .target(
            name: "NightfuseKernels", dependencies: ["NightfuseCore", "NightfuseLoops", "CProcessor"] + wideLoops,
            swiftSettings: house),

        // MARK: Files
        // PNG, JPEG, EXIF, ICC: bytes to Picture and back; the one door to the file system.
        .target(name: "NightfuseCodecs", dependencies: ["NightfuseCore", "CCodecShims"], swiftSettings: house),
        // DNG: bytes to RawFrame and back. Pure Swift.
        .target(name: "NightfuseRaw", dependencies: ["NightfuseCore"], swiftSettings: house),

        // MARK: Before the shot
        // Preview frames to a scene, a scene to a capture plan.
        .target(name: "NightfuseMetering", dependencies: ["NightfuseCore", "CMetering"], swiftSettings: house),
        // The one loop of the metering that Swift leaves at half its speed.
        .target(name: "CMetering"),

        // MARK: After the shot
        // The stages: linearise, align, merge, denoise, finish. Planes in, planes out.
        .target(
            name: "NightfusePipeline", dependencies: ["NightfuseCore", "NightfuseKernels"], swiftSettings: house),

        // MARK: The library that others link
        .target(
            name: "Nightfuse",
            dependencies: ["NightfuseCore", "NightfuseKernels", "NightfusePipeline", "NightfuseMetering"],
            swiftSettings: house),

        // The header, written by hand, ...
        .target(name: "CNightfuse"),
        // ... its functions, ...
        .target(name: "NightfuseC", dependencies: ["CNightfuse", "Nightfuse"], swiftSettings: house),
        // ... and what the dynamic library shows of itself: the header's names and nothing else.
        .target(name: "CNightfuseExports", exclude: ["exports.map"], linkerSettings: [exports, exportsOfApple]),

        // MARK: The command
        .target(
            name: "NightfuseCommand",
            dependencies: [
                "Nightfuse", "NightfuseCore", "NightfuseCodecs", "NightfuseMetering", "NightfusePipeline",
                "NightfuseRaw",
            ], swiftSettings: house),
        .executableTarget(name: "nightfuse-cli", dependencies: ["NightfuseCommand"], swiftSettings: house),

        // MARK: Tests
        .target(
            name: "NightfuseTestSupport", dependencies: ["NightfuseCore"], path: "Tests/_Support",
            swiftSettings: house),
        .testTarget(name: "NightfuseCoreTests", dependencies: ["NightfuseCore", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfuseKernelsTests",
            dependencies: ["NightfuseCore", "NightfuseKernels", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfuseCodecsTests", dependencies: ["NightfuseCore", "NightfuseCodecs", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfuseRawTests", dependencies: ["NightfuseCore", "NightfuseRaw", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfuseMeteringTests",
            dependencies: ["AllocationCount", "NightfuseCore", "NightfuseMetering", "NightfuseTestSupport"]),
        // What a thread allocates.
        .target(name: "AllocationCount", path: "Tests/_AllocationCount"),
        // A stranger's program in C, and its tests.
        .target(name: "CHost", dependencies: ["CNightfuse"], path: "Tests/_CHost"),
        .testTarget(name: "NightfuseCTests", dependencies: ["CHost", "NightfuseC"]),
        .testTarget(
            name: "NightfuseGuideTests",
            dependencies: ["CHost", "Nightfuse", "NightfuseC", "NightfuseCodecs", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfusePipelineTests",
            dependencies: ["NightfuseCore", "NightfuseKernels", "NightfusePipeline", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfuseTests",
            dependencies: ["Nightfuse", "NightfuseCore", "NightfusePipeline", "NightfuseTestSupport"]),
        .testTarget(
            name: "NightfuseCommandTests",
            dependencies: [
                "Nightfuse", "NightfuseCommand", "NightfuseCore", "NightfuseCodecs", "NightfuseMetering",
                "NightfusePipeline", "NightfuseRaw", "NightfuseTestSupport",
            ], resources: [.copy("Goldens"), .copy("Found")]),
    ] + wideTargets,
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .error)]
    target.cSettings = (target.cSettings ?? []) + [.treatAllWarnings(as: .error)]
}
