import FuzzSupport
import NightfuseCommand
import NightfuseCore
import NightfuseMetering

/// Reads the input as JSON, and as a device file. What is JSON is written as such again; any device that is taken must
/// give a plan for a scene of every kind.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    do throws(JSONError) {
        let document = try JSONParser.parse(input).document
        // Numbers are written in six digits, which then stand.
        let again = try JSONParser.parse(Array(document.utf8))
        precondition(again.document == document, "what was written is read as something else")
    } catch {
        precondition(error.line >= 1 && !error.reason.isEmpty && !error.reason.contains("\n"))
    }
    do throws(NightfuseError) {
        let device = try DeviceFile.decode(input, name: "input")
        let planner = try CapturePlanner(device: device)
        for scene in scenes { check(try planner.plan(scene), device) }
    } catch {
        precondition("\(error)".hasPrefix("input: ") && !"\(error)".contains("\n"), "\(error)")
    }
    return 0
}

/// A dim street by hand, and a black one on a tripod.
private let scenes: [SceneReading] = {
    var dim = SceneReading()
    dim.meanLuminance = 0.02
    dim.shadowDepthEV = 5
    dim.cameraMotion = 12
    dim.subjectMotion = 60
    dim.subjectFraction = 0.05
    for k in 0..<20 { dim.radiance.add(0.002 * Double(k * k + 1), share: 0.05) }
    var black = SceneReading()
    black.meanLuminance = 0
    black.steady = true
    black.radiance.add(0, share: 1)
    return [dim, black]
}()

private func check(_ plan: CapturePlan, _ device: DeviceLimits) {
    precondition(!plan.frames.isEmpty && plan.frames.count <= device.maxFrames)
    for frame in plan.frames {
        precondition(frame.exposureSeconds > 0 && frame.exposureSeconds.isFinite && frame.iso > 0 && frame.iso.isFinite)
    }
}
