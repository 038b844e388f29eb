import Foundation
import NightfuseCommand
import NightfuseCore
import NightfuseMetering
import NightfusePipeline
import Testing

/// The JSON documents, key by key.
@Suite("Documents")
struct DocumentTests {
    private func result() throws -> FusionResult {
        let planes = try (0..<3).map { _ in try Plane<UInt16>(width: 4, height: 3) }
        var seconds = StageSeconds()
        (seconds.align, seconds.merge, seconds.denoise, seconds.finish) = (1, 2, 3, 4)
        return FusionResult(
            picture: Picture(planes: planes, maxCode: 255, bits: 8, name: "night"), reference: 0,
            frames: frames.map(\.report),
            noise: NoiseModel(shot: 0.0012, read: 0.0009), effectiveFrames: (7.1, 2), seconds: seconds)
    }

    private let facts = RunFacts(
        output: "night.png", width: 4, height: 3, readSeconds: 0.5, writeSeconds: 0.25, totalSeconds: 11,
        kernels: "x86-64", peakMemoryBytes: 1 << 20)

    private var frames: [FrameEntry] {
        var good = FrameReport(name: "a.png")
        (good.used, good.exposureSeconds, good.iso, good.exposureRatio) = (true, 0.066, 3200, 1)
        (good.shift, good.rotationDegrees, good.sharpness, good.weight) = ((3.2, -1.1), 0.02, 0.93, 0.97)
        var bad = FrameReport(name: "b.png")
        bad.reason = "cannot be read: is empty"
        return [FrameEntry(good, isMeasured: true), FrameEntry(bad, isMeasured: false)]
    }

    @Test func fuseHasTheKeysOfTheContract() throws {
        let document = fuseDocument(reference: 0, frames: frames, result: try result(), facts: facts).document
        #expect(
            document == """
                {
                  "output": "night.png",
                  "width": 4,
                  "height": 3,
                  "reference": 0,
                  "frames": [
                    {
                      "file": "a.png",
                      "used": true,
                      "reason": null,
                      "exposure_s": 0.066,
                      "iso": 3200.0,
                      "exposure_ratio": 1.0,
                      "shift_px": [3.2, -1.1],
                      "rotation_deg": 0.02,
                      "sharpness": 0.93,
                      "weight": 0.97
                    },
                    {
                      "file": "b.png",
                      "used": false,
                      "reason": "cannot be read: is empty",
                      "exposure_s": null,
                      "iso": null,
                      "exposure_ratio": null,
                      "shift_px": null,
                      "rotation_deg": null,
                      "sharpness": null,
                      "weight": null
                    }
                  ],
                  "noise": {"shot": 0.0012, "read": 0.0009},
                  "effective_frames": {"mean": 7.1, "p10": 2.0},
                  "seconds": {
                    "read": 0.5,
                    "align": 1.0,
                    "merge": 2.0,
                    "denoise": 3.0,
                    "finish": 4.0,
                    "write": 0.25,
                    "total": 11.0
                  },
                  "kernels": "x86-64",
                  "peak_memory_bytes": 1048576
                }

                """)
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(document.utf8)) }
    }

    @Test func theSummaryNamesWhatWasLeftOut() throws {
        let text = fuseSummary(reference: 0, frames: frames, result: try result(), facts: facts)
        #expect(
            text == """
                night.png: 4 x 3 from 1 of 2 frames, 7.1 effective, reference 0 (a.png), 11.0 s, 1 MiB
                  frame 1 (b.png) left out: cannot be read: is empty

                """)
    }

    private var plan: CapturePlan {
        var scene = SceneReading()
        (scene.meanLuminance, scene.shadowDepthEV, scene.clippedFraction) = (0.018, 5.1, 0.004)
        (scene.dynamicRangeEV, scene.cameraMotion, scene.subjectMotion) = (9.3, 12, 55)
        (scene.subjectFraction, scene.flickerHz) = (0.06, 100)
        let frames = [
            PlannedFrame(exposureSeconds: 1 / 15, iso: 3200, role: .base),
            PlannedFrame(exposureSeconds: 0.333, iso: 3200, role: .long),
            PlannedFrame(exposureSeconds: 1 / 60, iso: 3200, role: .short),
        ]
        return CapturePlan(
            nightMode: true, frames: frames, fusionTimeSeconds: 0.426, scene: scene,
            expected: ExpectedResult(shadowSNRdB: 14.2, blurPx: 1.3),
            because: ["subject moves 55 px/s: base frames kept to 1/15 s"])
    }

    @Test func planHasTheKeysOfTheContract() throws {
        #expect(
            plan.json.document == """
                {
                  "night_mode": true,
                  "fusion_time_s": 0.426,
                  "frames": [
                    {"exposure_s": 0.0666667, "iso": 3200.0, "role": "base"},
                    {"exposure_s": 0.333, "iso": 3200.0, "role": "long"},
                    {"exposure_s": 0.0166667, "iso": 3200.0, "role": "short"}
                  ],
                  "scene": {
                    "mean_luminance": 0.018,
                    "shadow_depth_ev": 5.1,
                    "clipped_fraction": 0.004,
                    "dynamic_range_ev": 9.3,
                    "camera_motion_px_s": 12.0,
                    "subject_motion_px_s": 55.0,
                    "subject_fraction": 0.06,
                    "steady": false,
                    "flicker_hz": 100
                  },
                  "expected": {"shadow_snr_db": 14.2, "blur_px": 1.3},
                  "because": ["subject moves 55 px/s: base frames kept to 1/15 s"]
                }

                """)
    }

    @Test func whatThePreviewCannotTellIsNull() {
        var unknown = plan
        (unknown.scene.cameraMotion, unknown.scene.subjectMotion, unknown.scene.flickerHz) = (nil, nil, nil)
        let scene = unknown.json["scene"]
        for key in ["camera_motion_px_s", "subject_motion_px_s", "flicker_hz"] { #expect(scene?[key] == .null) }
    }

    @Test func aPhotographerReadsTableAndTimeline() {
        let text = plan.text
        let table = """
            Night mode: on

            Frame  Exposure   ISO  Role
                1    1/15 s  3200  base
                2    0.33 s  3200  long
                3    1/60 s  3200  short

            Time 0.43 s for 3 frames
            |===========|#####################################################|sss|
            """
        #expect(text.hasPrefix(table), "\(text)")
        #expect(text.contains("= base   s short   # long"))
        #expect(text.contains("- subject moves 55 px/s: base frames kept to 1/15 s"))
        for line in text.split(separator: "\n") { #expect(line.count <= 80) }
    }
}
