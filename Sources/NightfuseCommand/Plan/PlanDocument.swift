package import NightfuseMetering

extension CapturePlan {
    /// The document of `plan --json`.
    package var json: JSONValue {
        .object([
            "night_mode": .bool(nightMode),
            "fusion_time_s": .number(fusionTimeSeconds),
            "frames": .array(
                frames.map {
                    .object([
                        "exposure_s": .number($0.exposureSeconds), "iso": .number($0.iso),
                        "role": .string($0.role.rawValue),
                    ])
                }),
            "scene": scene.json,
            "expected": .object([
                "shadow_snr_db": .number(expected.shadowSNRdB), "blur_px": .number(expected.blurPx),
            ]),
            "because": .array(because.map(JSONValue.string)),
        ])
    }
}

extension SceneReading {
    fileprivate var json: JSONValue {
        .object([
            "mean_luminance": .number(meanLuminance),
            "shadow_depth_ev": .number(shadowDepthEV),
            "clipped_fraction": .number(clippedFraction),
            "dynamic_range_ev": .number(dynamicRangeEV),
            "camera_motion_px_s": .optional(cameraMotion),
            "subject_motion_px_s": .optional(subjectMotion),
            "subject_fraction": .number(subjectFraction),
            "steady": .bool(steady),
            "flicker_hz": flickerHz.map(JSONValue.integer) ?? .null,
        ])
    }
}
