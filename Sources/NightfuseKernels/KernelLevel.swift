private import CProcessor

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The instruction level that the hot loops run at: chosen once, at the first use.
///
/// The same sources are built for each level; they differ in the rounding of products and sums alone, which some levels
/// contract (the tests run at each). The environment variable `NIGHTFUSE_KERNELS` names one to be forced; a name that is not known
/// or that this processor cannot run is not heeded, and ``problem`` tells.
package enum KernelLevel {
    /// The level's name, as in the command's JSON.
    package static var current: String { isV3 ? "x86-64-v3" : baseline }

    /// Names that can be forced here.
    package static var available: [String] { nfk_runs_x86_64_v3() != 0 ? [baseline, "x86-64-v3"] : [baseline] }

    /// Why what `NIGHTFUSE_KERNELS` asks for is not used; nil where it is, or where it asks for nothing.
    package static var problem: String? {
        guard let wanted, !available.contains(wanted) else { return nil }
        return "NIGHTFUSE_KERNELS is '\(wanted)', and this processor has: \(available.joined(separator: ", "))"
    }

    /// Whether the loops for AVX2 run.
    static let isV3: Bool = {
        if let wanted, available.contains(wanted) { return wanted == "x86-64-v3" }
        return available.contains("x86-64-v3")
    }()

    private static var baseline: String {
        #if arch(x86_64)
            "x86-64"
        #elseif arch(arm64)
            "arm64-neon"
        #else
            "portable"
        #endif
    }

    private static var wanted: String? {
        // A string that ends in 0, copied at once: a later setenv may move it.
        guard let value = unsafe getenv("NIGHTFUSE_KERNELS") else { return nil }
        let name = unsafe String(cString: value)
        return name.isEmpty ? nil : name
    }
}
