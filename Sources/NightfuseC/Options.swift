// C functions have C names.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CNightfuse
internal import Nightfuse

// `unsafe`: the options have a function and an address in them (see Handles.swift).
extension nf_options {
    /// What is taken where nothing is said.
    static var usual: nf_options {
        var options = unsafe nf_options()
        unsafe options.size = MemoryLayout<nf_options>.size
        unsafe (options.strength, options.reference, options.waiting) = (1, -1, 2)
        return unsafe options
    }

    /// The same for Swift, in its ranges.
    func fusionOptions() throws(NightfuseError) -> FusionOptions {
        var options = FusionOptions()
        options.look = try unsafe choice(look.rawValue, [.night, .natural, .none], "look")
        options.qualityMode = try unsafe choice(quality.rawValue, [.fast, .best], "quality")
        options.brightnessEV = unsafe brightness_ev
        options.strength = unsafe strength
        options.reference = unsafe reference == -1 ? .auto : .index(Int(reference))
        options.brighten = try unsafe choice(
            brighten.rawValue, [nil, .auto, .amount(brighten_amount)] as [Brightening?], "brighten")
        options.baseExposureProduct = unsafe base_exposure_product == 0 ? nil : base_exposure_product
        if unsafe memory_bytes > 0 { options.limits.memoryBytes = unsafe Int(clamping: memory_bytes) }
        return try options.validated()
    }

    /// The threads that are asked for.
    func workers() throws(NightfuseError) -> Workers {
        guard unsafe 0...1024 ~= threads else { throw .argument(unsafe "threads is \(threads); it must be 0 to 1024") }
        return unsafe threads == 0 ? .everyCore : Workers(threads: Int(threads))
    }
}

/// The caller's progress function with its context. Unchecked: the header says that both are used from other threads. Safe: the
/// header has the caller keep both until the session ends.
@safe
struct ProgressCall: @unchecked Sendable {
    let function: nf_progress
    let context: UnsafeMutableRawPointer?

    init?(_ options: nf_options) {
        guard let function = unsafe options.progress else { return nil }
        unsafe (self.function, context) = (function, options.progress_context)
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
        unsafe function(context, number, share)
    }
}

/// Sets every field to its default.
@c @implementation
public func nf_options_init(_ options: UnsafeMutablePointer<nf_options>!, _ size: Int) -> nf_status {
    unsafe nf_options.usual.initialise(options, size: size)
}
