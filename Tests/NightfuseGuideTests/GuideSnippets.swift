import Nightfuse
import NightfuseCodecs

// The guides' pieces of code, word for word (GuideTests looks), in functions that the tests run.
enum GuideSnippets {
    static func overview(_ burst: [UnsafeRawBufferPointer], _ output: MutablePixelBuffer) throws -> FusionResult {
        let session = FusionSession(options: FusionOptions(), workers: .everyCore)
        for frame in burst {
            try session.add(PixelBuffer(frame, stride: 1920, width: 640, height: 480, layout: .rgb8))
        }
        let result = try session.finish(into: output)
        return result
    }

    static func fuse(_ paths: [String], into output: String) throws {
        let session = FusionSession(options: FusionOptions(), workers: .everyCore)
        for path in paths {
            let bytes = try FileAccess.read(FilePath(path), limits: Limits())
            try session.add(try decodePicture(bytes, name: path, limits: Limits()))
        }
        let picture = try session.finish().picture
        let file = MemorySink()
        try encodeJPEG(EncodedPicture(planes: picture.planes, maxCode: picture.maxCode), quality: 95, to: file)
        let target = try AtomicOutput(FilePath(output), overwrite: false)
        try target.write(file.bytes)
        try target.commit()
    }

    static func options() -> FusionOptions {
        var options = FusionOptions()
        options.look = .natural
        options.brightnessEV = 0.5
        options.reference = .index(0)
        return options
    }

    static func reasons(_ result: FusionResult) {
        for report in result.frames where report.reason != nil {
            print("\(report.name): \(report.reason ?? "")")
        }
    }

    static func meter(_ previews: [UnsafeRawBufferPointer]) throws -> PreviewMeter {
        let meter = PreviewMeter(frameWidth: 4000, frameHeight: 3000)
        for (index, preview) in previews.enumerated() {
            let tags = PreviewTags(exposureSeconds: 1.0 / 30, iso: 3200, timeSeconds: Double(index) / 30)
            try meter.add(PixelBuffer(preview, stride: 1280, width: 320, height: 240, layout: .bgra8), tags: tags)
        }
        return meter
    }

    /// Stands for the camera's own.
    struct Shutter {
        var expose: (Double, Double) -> Void
        func expose(_ seconds: Double, iso: Double) { expose(seconds, iso) }
    }

    static func plan(_ meter: PreviewMeter, _ shutter: Shutter) throws {
        var device = DeviceLimits()
        device.maxFrames = 8
        let planner = try CapturePlanner(device: device)
        guard let scene = meter.reading() else { return }
        let plan = try planner.plan(scene, maxSeconds: 2)
        for frame in plan.frames { shutter.expose(frame.exposureSeconds, iso: frame.iso) }
    }

    /// Stands for the app's own.
    final class ProgressBar: Sendable {
        func show(_ stage: FusionStage, _ share: Double) {}
    }

    static func shoot(
        _ plan: CapturePlan, _ rawFrames: [UnsafeRawBufferPointer], _ device: DeviceLimits, _ progressBar: ProgressBar
    ) throws -> FusionSession {
        var options = FusionOptions()
        options.baseExposureProduct = plan.baseExposureProduct
        let cancellation = Cancellation()
        let session = FusionSession(options: options, workers: .everyCore, cancellation: cancellation) { stage, share in
            progressBar.show(stage, share)
        }
        var sensor = SensorDescription(pattern: .rggb, black: 64, white: 1023)
        sensor.neutral = [0.55, 1, 0.62]
        sensor.noise = [device.noise.model(iso: 1600)]
        for samples in rawFrames {
            let frame = MosaicBuffer(
                samples, stride: 640, width: 320, height: 240, packing: .unpacked(bits: 10), sensor: sensor)
            try session.add(frame, tags: FrameTags(exposureSeconds: 1.0 / 15, iso: 1600))
        }
        return session
    }

    static func take(
        _ session: FusionSession, _ luma: UnsafeMutableRawBufferPointer, _ chroma: UnsafeMutableRawBufferPointer
    ) throws -> FusionResult {
        let coding = YCbCr(matrix: .bt709, range: .video)
        let result = try session.finish(
            into: MutablePixelBuffer(
                luma, stride: 320, width: 320, height: 240, layout: .nv12(coding), chroma: chroma, chromaStride: 320))
        return result
    }
}
