// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

extension nf_options {
    /// What is taken where nothing is said.
    static var usual: nf_options {
        var options = nf_options()
        options.size = MemoryLayout<nf_options>.size
        (options.strength, options.reference, options.waiting) = (1, -1, 2)
        return options
    }

    /// The same for Swift, in its ranges.
    func fusionOptions() throws(NightfuseError) -> FusionOptions {
        var options = FusionOptions()
        options.look = try choice(look.rawValue, [.night, .natural, .none], "look")
        options.qualityMode = try choice(quality.rawValue, [.fast, .best], "quality")
        options.brightnessEV = brightness_ev
        options.strength = strength
        options.reference = reference == -1 ? .auto : .index(Int(reference))
        options.brighten = try choice(
            brighten.rawValue, [nil, .auto, .amount(brighten_amount)] as [Brightening?], "brighten")
        options.baseExposureProduct = base_exposure_product == 0 ? nil : base_exposure_product
        if memory_bytes > 0 { options.limits.memoryBytes = Int(clamping: memory_bytes) }
        return try options.validated()
    }

    /// The threads that are asked for.
    func workers() throws(NightfuseError) -> Workers {
        guard 0...1024 ~= threads else { throw .argument("threads is \(threads); it must be 0 to 1024") }
        return threads == 0 ? .everyCore : Workers(threads: Int(threads))
    }
}

/// The caller's progress function with its context. Unchecked: the header says that both are used from other threads.
struct ProgressCall: @unchecked Sendable {
    let function: nf_progress
    let context: UnsafeMutableRawPointer?

    init?(_ options: nf_options) {
        guard let function = options.progress else { return nil }
        (self.function, context) = (function, options.progress_context)
    }

    /// What a session calls.
    var tell: @Sendable (FusionStage, Double) -> Void { { stage, share in call(stage, share) } }

    private func call(_ stage: FusionStage, _ share: Double) {
        let number =
            switch stage {
            case .align: NF_STAGE_ALIGN
            case .merge: NF_STAGE_MERGE
            case .denoise: NF_STAGE_DENOISE
            case .finish: NF_STAGE_FINISH
            }
        function(context, number, share)
    }
}

/// Sets every field to its default.
@c @implementation
public func nf_options_init(_ options: UnsafeMutablePointer<nf_options>!, _ size: Int) -> nf_status {
    nf_options.usual.initialise(options, size: size)
}
