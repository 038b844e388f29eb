internal import Nightfuse
internal import NightfuseCodecs

/// `nightfuse plan PREVIEW|FOLDER...`.
func planVerb(_ run: VerbRun) throws {
    let arguments = run.arguments
    var device = DeviceLimits()
    if let path = arguments.path("--device") {
        // Far more than any device file has; what is larger is another file.
        var limits = run.limits
        limits.memoryBytes = min(limits.memoryBytes, 1 << 20)
        device = try DeviceFile.decode(try FileAccess.read(path, limits: limits), name: "\(path)")
    }
    let files = try frameFiles(arguments.operands)
    if let report = arguments.path("--report") { try refuseFrames(report, files) }
    let planner = try CapturePlanner(device: device)
    let meter = PreviewMeter(frameWidth: device.frameWidth, frameHeight: device.frameHeight)
    let count = try meterPreviews(files, meter, run)
    guard let scene = meter.reading() else { throw NightfuseError.argument("no preview frame could be read") }
    if count == 1 {
        run.warn("one preview frame only: motion cannot be known, so the plan is one for the hand and a moving scene")
    }
    let plan = try planner.plan(
        scene, maxSeconds: arguments.number("--max-time"),
        steady: arguments.text("--steady").flatMap(SteadyChoice.init) ?? .auto)
    try run.report(plan.json, text: plan.text)
    try writeReport(run) { plan.reportPage }
}

/// Bytes a pixel that metering holds at most: the decoded preview's 6, and the meter's planes.
private let bytesPerPixel = 12

/// Reads the previews into the meter, one at a time; how many there were.
private func meterPreviews(_ files: [FilePath], _ meter: PreviewMeter, _ run: VerbRun) throws(NightfuseError) -> Int {
    var tags = PreviewTagReader(run.arguments, previewCount: files.count)
    var count = 0
    for (index, path) in files.enumerated() {
        let picture: Picture
        do throws(NightfuseError) {
            let bytes = try FileAccess.read(path, limits: run.limits)
            if [.png, .jpeg].contains(PictureFormat.sniff(bytes)) {
                let header = try PictureHeader(bytes, name: "\(path)", limits: run.limits)
                try run.limits.check(
                    width: header.width, height: header.height, bytesPerPixel: bytesPerPixel, name: "\(path)")
            }
            picture = try decodePicture(bytes, name: "\(path)", limits: run.limits)
        } catch {
            if run.strict || files.count == 1 { throw error }
            run.warn("\(error); left out")
            continue
        }
        try meter.add(picture, tags: try tags.read(picture.info, index: index, name: picture.name))
        count += 1
    }
    return count
}
