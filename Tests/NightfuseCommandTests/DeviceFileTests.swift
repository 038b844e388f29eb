import NightfuseCommand
import NightfuseCore
import NightfuseMetering
import Testing

@Suite("device.json")
struct DeviceFileTests {
    private func decode(_ text: String) throws -> DeviceLimits {
        try DeviceFile.decode(Array(text.utf8), name: "phone.json")
    }

    @Test func everyKeyIsRead() throws {
        let limits = try decode(
            """
            { "exposure_s": [0.001, 2], "handheld_exposure_s": 0.25, "iso": [100, 3200], "max_frames": 12,
              "frame_gap_s": 0.01, "frame_width": 400, "frame_height": 300,
              "noise": { "shot_per_iso": 3e-6, "read_electrons": 2, "read_floor": 0.001 } }
            """)
        var wanted = DeviceLimits()
        (wanted.minExposureSeconds, wanted.maxExposureSeconds, wanted.handheldExposureSeconds) = (0.001, 2, 0.25)
        (wanted.minISO, wanted.maxISO, wanted.maxFrames, wanted.frameGapSeconds) = (100, 3200, 12, 0.01)
        (wanted.frameWidth, wanted.frameHeight) = (400, 300)
        (wanted.noise.shotPerISO, wanted.noise.readElectrons, wanted.noise.readFloor) = (3e-6, 2, 0.001)
        #expect(limits == wanted)
    }

    @Test func everyKeyHasADefault() throws { #expect(try decode("{}") == DeviceLimits()) }

    @Test func theHandheldCapFollowsAShortLongestExposure() throws {
        #expect(try decode(#"{ "exposure_s": [0.001, 0.1] }"#).handheldExposureSeconds == 0.1)
    }

    @Test(arguments: [
        ("iso: 100", "phone.json: line 1 is not JSON: a value was expected"),
        ("[]", "phone.json: the device must be an object in braces, not a list"),
        (#"{ "isso": [1, 2] }"#, "phone.json: unknown key 'isso' in the device; did you mean iso?"),
        (#"{ "lens": 1 }"#, "phone.json: unknown key 'lens' in the device; known are exposure_s, "),
        (#"{ "noise": { "shot": 1 } }"#, "phone.json: unknown key 'shot' in noise; "),
        (#"{ "noise": 3 }"#, "phone.json: noise must be an object in braces, not a number"),
        (#"{ "iso": 100 }"#, "phone.json: iso must be a list of two numbers, [lowest, highest]"),
        (#"{ "iso": [100, "a"] }"#, "phone.json: iso must be a list of two numbers"),
        (#"{ "max_frames": "ten" }"#, "phone.json: max_frames must be a number, not text"),
        (#"{ "max_frames": 2.5 }"#, "phone.json: max_frames must be a whole number, not 2.5"),
        (#"{ "max_frames": 0 }"#, "phone.json: max_frames is 0; it must be"),
        (#"{ "iso": [6400, 50] }"#, "phone.json: iso is [6400.0, 50.0]; the first must not be above the second"),
        (#"{ "exposure_s": [1, 0.1] }"#, "phone.json: exposure_s is [1.0, 0.1]; the first must not be above"),
        (#"{ "exposure_s": [0, 1] }"#, "phone.json: exposure_s is [0.0, 1.0]; both must be above 0"),
        (#"{ "frame_gap_s": -1 }"#, "phone.json: frame_gap_s is -1.0; it must be"),
        (#"{ "frame_width": 0 }"#, "phone.json: frame_width is 0; it must be"),
        (#"{ "noise": { "read_electrons": -1 } }"#, "phone.json: noise.read_electrons is -1.0; it must be at least 0"),
        (#"{ "noise": { "shot_per_iso": -1 } }"#, "phone.json: noise.shot_per_iso is -1.0; it must be above 0"),
    ])
    func whatLacksSenseIsRefusedByKey(text: String, message: String) {
        let error = #expect(throws: NightfuseError.self) { try decode(text) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }
}
