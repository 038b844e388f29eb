#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension FusionOptions {
    /// These options, if each is in its range.
    ///
    /// - Throws: `NightfuseError.argument` with the option, its value and what it must be.
    public func validated() throws(NightfuseError) -> FusionOptions {
        try Self.check("brightness", brightnessEV, -8...8)
        try Self.check("strength", strength, 0...2)
        if case .amount(let amount)? = brighten { try Self.check("amount of light", amount, 0...1) }
        if let bits, bits != 8, bits != 16 { throw .argument("bits is \(bits); it must be 8 or 16") }
        if case .index(let index) = reference, !(0..<FusionSession.mostHeld ~= index) {
            throw .argument("the reference is frame \(index); it must be 0, 1 or 2, since no later one is waited for")
        }
        if let product = baseExposureProduct, !(product.isFinite && product > 0) {
            throw .argument("the base exposure (seconds times ISO) is \(product); it must be above 0")
        }
        return self
    }

    private static func check(
        _ name: String, _ value: Double, _ range: ClosedRange<Double>
    ) throws(NightfuseError) {
        // NaN is in no range.
        guard range.contains(value) else {
            throw .argument("\(name) is \(value); it must be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

extension Workers {
    /// As many threads as the machine has cores.
    public static var everyCore: Workers { Workers(threads: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }
}
