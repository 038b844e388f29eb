internal import NightfuseCore
package import NightfusePipeline

/// What a run tells beside the session's own result.
package struct RunFacts: Sendable {
    package var output: String
    /// Size of the picture as written.
    package var width: Int
    package var height: Int
    /// Time that decoding took; it runs beside the session's stages, so the parts may exceed the total.
    package var readSeconds: Double
    package var writeSeconds: Double
    package var totalSeconds: Double
    /// Instruction level of the kernels.
    package var kernels: String
    package var peakMemoryBytes: Int

    package init(
        output: String, width: Int, height: Int, readSeconds: Double, writeSeconds: Double, totalSeconds: Double,
        kernels: String, peakMemoryBytes: Int
    ) {
        self.output = output
        self.width = width
        self.height = height
        self.readSeconds = readSeconds
        self.writeSeconds = writeSeconds
        self.totalSeconds = totalSeconds
        self.kernels = kernels
        self.peakMemoryBytes = peakMemoryBytes
    }
}

/// The document of `fuse --json`, and of `brighten --json`, which has one key more: `amount`, the light that was given.
///
/// - Parameters:
///   - reference: number of the reference among `frames`.
///   - frames: every frame in the order given, those that could not be read included.
package func fuseDocument(
    reference: Int, frames: [FrameEntry], result: FusionResult, facts: RunFacts
) -> JSONValue {
    let seconds = result.seconds
    let document = JSONValue.object([
        "output": .string(facts.output),
        "width": .integer(facts.width),
        "height": .integer(facts.height),
        "reference": .integer(reference),
        "frames": .array(frames.map { .object($0.members) }),
        "noise": .object(["shot": .number(result.noise.shot), "read": .number(result.noise.read)]),
        "effective_frames": .object([
            "mean": .number(result.effectiveFrames.mean), "p10": .number(result.effectiveFrames.p10),
        ]),
        "seconds": .object([
            "read": .number(facts.readSeconds), "align": .number(seconds.align), "merge": .number(seconds.merge),
            "denoise": .number(seconds.denoise), "finish": .number(seconds.finish),
            "write": .number(facts.writeSeconds), "total": .number(facts.totalSeconds),
        ]),
        "kernels": .string(facts.kernels),
        "peak_memory_bytes": .integer(facts.peakMemoryBytes),
    ])
    guard let amount = result.brightenAmount, case .object(let members) = document else { return document }
    return .object(members + [.init("amount", .number(amount))])
}

extension FrameEntry {
    /// The keys of one frame; what was not measured, because the session did not look at it, is null.
    var members: [JSONValue.Member] {
        func measured(_ value: JSONValue) -> JSONValue { isMeasured ? value : .null }
        return [
            .init("file", .string(report.name)),
            .init("used", .bool(report.used)),
            .init("reason", .optional(report.reason)),
            .init("exposure_s", .optional(report.exposureSeconds)),
            .init("iso", .optional(report.iso)),
            .init("exposure_ratio", measured(.number(report.exposureRatio))),
            .init("shift_px", measured(.array([.number(report.shift.x), .number(report.shift.y)]))),
            .init("rotation_deg", measured(.number(report.rotationDegrees))),
            .init("sharpness", measured(.number(report.sharpness))),
            .init("weight", measured(.number(report.weight))),
        ]
    }
}
