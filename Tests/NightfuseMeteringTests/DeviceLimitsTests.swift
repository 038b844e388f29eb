import NightfuseCore
import NightfuseMetering
import Testing

@Suite("Device limits")
struct DeviceLimitsTests {
    @Test func theDefaultsAreValid() throws {
        #expect(try DeviceLimits().validated() == DeviceLimits())
        let device = DeviceLimits()
        #expect(device.minExposureSeconds == 0.000125 && device.maxExposureSeconds == 1)
        #expect(device.handheldExposureSeconds == 0.333)
        #expect(device.minISO == 50 && device.maxISO == 6400 && device.maxFrames == 15)
        #expect(
            device.noise.shotPerISO == 2.2e-6 && device.noise.readElectrons == 1.6 && device.noise.readFloor == 0.0013)
    }

    @Test func noiseFollowsTheModel() {
        let model = SensorNoise().model(iso: 1000)
        #expect(abs(model.shot - 2.2e-3) < 1e-12)
        #expect(abs(model.read - ((1.6 * 2.2e-3) * (1.6 * 2.2e-3) + 0.0013 * 0.0013).squareRoot()) < 1e-12)
    }

    @Test func whatMakesNoSenseIsNamed() {
        func refused(_ words: String, _ change: (inout DeviceLimits) -> Void) {
            var device = DeviceLimits()
            change(&device)
            let error = #expect(throws: NightfuseError.self) { try device.validated() }
            let text = error?.description ?? ""
            #expect(text.contains(words) && !text.contains("\n"), "\(text)")
            #expect(throws: NightfuseError.self) { try CapturePlanner(device: device) }
        }
        refused("exposure_s is [0.5, 0.1]") { ($0.minExposureSeconds, $0.maxExposureSeconds) = (0.5, 0.1) }
        refused("exposure_s is [0.0, 1.0]") { $0.minExposureSeconds = 0 }
        refused("exposure_s") { $0.maxExposureSeconds = .infinity }
        refused("exposure_s is [0.000125, 5e+307]; it must be from 1e-09 to 1000000000.0 s") {
            $0.maxExposureSeconds = 5e307
        }
        refused("handheld_exposure_s is 10000000000.0") { $0.handheldExposureSeconds = 1e10 }
        refused("noise.shot_per_iso is 2.0; it must be from") { $0.noise.shotPerISO = 2 }
        refused("noise.read_floor is 1e+300") { $0.noise.readFloor = 1e300 }
        refused("iso is [50.0, 20.0]") { $0.maxISO = 20 }
        refused("iso is [-1.0") { $0.minISO = -1 }
        refused("handheld_exposure_s") { $0.handheldExposureSeconds = 0.00001 }
        refused("max_frames is 0") { $0.maxFrames = 0 }
        refused("frame_gap_s is -0.1") { $0.frameGapSeconds = -0.1 }
        refused("frame_width is 3") { $0.frameWidth = 3 }
        refused("frame_height") { $0.frameHeight = -4 }
        refused("noise.shot_per_iso is 0.0") { $0.noise.shotPerISO = 0 }
        refused("noise.shot_per_iso") { $0.noise.shotPerISO = .nan }
        refused("noise.read_electrons is -1.0") { $0.noise.readElectrons = -1 }
        refused("noise.read_floor") { $0.noise.readFloor = -0.001 }
    }
}
