import Nightfuse
import NightfuseCodecs

/// Preview, plan, burst, fusion in one go.
struct Shoot {
    let camera: SimulatedCamera
    let output: String?
    private static let previews = 15

    func run() throws {
        let plan = try meterAndPlan()
        print("\nplan: \(plan.frames.count) frames in \(decimals(plan.fusionTimeSeconds)) s")
        for reason in plan.because { print("  \(reason)") }
        let frames = try render(plan)
        let result = try burst(plan, frames)
        if let output { try write(result.picture, to: output) }
    }

    // MARK: Before the shot

    private func meterAndPlan() throws -> CapturePlan {
        let previews = try (0..<Self.previews).map { try camera.preview($0) }
        let meter = PreviewMeter(frameWidth: camera.width, frameHeight: camera.height)
        let timeline = Timeline()
        timeline.begin()
        var busy = 0.0
        for (index, bytes) in previews.enumerated() {
            let time = Double(index) * SimulatedCamera.previewPace
            timeline.wait(until: time)
            let began = timeline.now
            try bytes.withUnsafeBytes { bytes in
                try meter.add(
                    PixelBuffer(
                        bytes, stride: camera.previewWidth * 4, width: camera.previewWidth,
                        height: camera.previewHeight, layout: .bgra8),
                    tags: PreviewTags(
                        exposureSeconds: SimulatedCamera.previewPace, iso: SimulatedCamera.previewISO,
                        timeSeconds: time))
            }
            busy += timeline.now - began
        }
        print(
            "viewfinder: \(previews.count) frames at 30 a second, \(decimals(busy / Double(previews.count) * 1000)) ms each"
        )
        guard let scene = meter.reading() else { throw NightfuseError.argument("there was no preview") }
        return try CapturePlanner(device: camera.device).plan(scene)
    }

    private func render(_ plan: CapturePlan) throws -> [[UInt16]] {
        print("rendering the burst (takes longer than shooting it)")
        var start = Double(Self.previews) * SimulatedCamera.previewPace + SimulatedCamera.shutterLag
        return try plan.frames.enumerated().map { index, planned in
            defer { start += planned.exposureSeconds + camera.device.frameGapSeconds }
            return try camera.frame(planned, start: start, index: index)
        }
    }

    // MARK: The shot

    private func burst(_ plan: CapturePlan, _ frames: [[UInt16]]) throws -> FusionResult {
        var options = FusionOptions()
        options.baseExposureProduct = plan.baseExposureProduct
        options.bits = 8
        let timeline = Timeline()
        let session = FusionSession(options: options, workers: .everyCore) { timeline.note($0, $1) }
        print("\nframe  exposure s      ISO  arrives s  add ms  merged by then")
        timeline.begin()
        var end = 0.0
        for (index, planned) in plan.frames.enumerated() {
            end += planned.exposureSeconds + (index == 0 ? 0 : camera.device.frameGapSeconds)
            timeline.wait(until: end)
            let arrival = timeline.now
            try frames[index].withUnsafeBytes { bytes in
                try session.add(
                    MosaicBuffer(
                        bytes, stride: camera.width * 2, width: camera.width, height: camera.height,
                        packing: .unpacked(bits: 12), sensor: camera.description(iso: planned.iso)),
                    tags: FrameTags(
                        name: "frame \(index)", exposureSeconds: planned.exposureSeconds, iso: planned.iso))
            }
            let took = (timeline.now - arrival) * 1000
            print(
                column("\(index)", 5), column(decimals(planned.exposureSeconds, 4), 11),
                column("\(Int(planned.iso.rounded()))", 8), column(decimals(arrival), 10), column(decimals(took, 1), 7),
                column("\(timeline.merged(by: arrival))", 15))
        }
        let last = timeline.now
        let result = try session.finish()
        let done = timeline.now
        print("\nwhile shooting (\(decimals(last)) s): \(timeline.merged(by: last)) of \(frames.count) frames merged")
        print("after the last frame: \(decimals(done - last)) s")
        let ends = timeline.ends
        var from = last
        for (name, end) in [("merge", ends.merge ?? last)] + ends.stages.map({ ($0.stage.rawValue, $0.end) }) {
            print("  \(name.padding(9))\(decimals(max(end - from, 0))) s")
            from = max(end, from)
        }
        print("picture: \(decimals(result.effectiveFrames.mean, 1)) effective frames, reference \(result.reference)")
        return result
    }

    private func write(_ picture: Picture, to path: String) throws {
        let sink = MemorySink()
        try encodeJPEG(EncodedPicture(planes: picture.planes, maxCode: picture.maxCode), quality: 95, to: sink)
        let file = try AtomicOutput(FilePath(path), overwrite: true)
        try file.write(sink.bytes)
        try file.commit()
        print("written: \(path)")
    }
}

extension String {
    fileprivate func padding(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
}

private func column(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
}

private func decimals(_ value: Double, _ places: Int = 2) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let whole = Int((value * scale).rounded())
    let (high, low) = whole.magnitude.quotientAndRemainder(dividingBy: UInt(scale))
    let fraction = String(low)
    return (whole < 0 ? "-" : "") + "\(high)." + String(repeating: "0", count: places - fraction.count) + fraction
}
