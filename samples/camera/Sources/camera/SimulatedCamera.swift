import NightScene
import Nightfuse

/// A phone's camera before the rendered street: the hand shakes, the sensor is noisy. Frames are rendered before they are
/// asked for, since rendering takes longer than any exposure; what is timed is only what a real camera's software does.
struct SimulatedCamera {
    let width: Int
    let height: Int
    private let sensor = Sensor()
    private let camera: Camera
    private let workers: Workers
    /// Seconds from one preview frame to the next, which is their exposure too.
    static let previewPace = 1.0 / 30
    static let previewISO = 6400.0
    /// From the last preview frame to the first of the burst.
    static let shutterLag = 0.1

    init(width: Int, height: Int, seed: UInt64, shake: Double, workers: Workers) throws {
        (self.width, self.height, self.workers) = (width, height, workers)
        let painting = try Painting(view: View(width: width, height: height), seed: seed, workers: workers)
        camera = try Camera(painting: painting, shake: HandShake(seed: seed, strength: shake), workers: workers)
    }

    var device: DeviceLimits {
        var device = DeviceLimits()
        (device.frameWidth, device.frameHeight, device.maxFrames) = (width, height, 8)
        device.noise.shotPerISO = sensor.shotPerISO
        (device.noise.readElectrons, device.noise.readFloor) = (sensor.readElectrons, sensor.readFloor)
        return device
    }

    // MARK: Viewfinder

    var previewWidth: Int { min(480, width) }
    var previewHeight: Int { (previewWidth * height / width) & ~1 }

    /// Viewfinder frame `index` as the image processor gives it: BGRA.
    func preview(_ index: Int) throws -> [UInt8] {
        let shot = Camera.Shot(
            start: Double(index) * Self.previewPace, exposureSeconds: Self.previewPace, iso: Self.previewISO)
        let light = try camera.light(shot, width: previewWidth, height: previewHeight, instants: 2)
        let mosaic = try sensor.expose(
            light, iso: shot.iso, binned: 4, seed: UInt64(5000 + index), workers: workers)
        let linear = try Developing(sensor: sensor).linear(mosaic, workers: workers)
        let planes = try Developing.coded(linear, maxCode: 255)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(previewWidth * previewHeight * 4)
        for y in 0..<previewHeight {
            for x in 0..<previewWidth {
                for plane in planes.reversed() { bytes.append(UInt8(plane[x, y])) }
                bytes.append(255)
            }
        }
        return bytes
    }

    // MARK: Burst

    /// A raw frame as the sensor gives it: 12 bits in 16, rows without padding.
    func frame(_ planned: PlannedFrame, start: Double, index: Int) throws -> [UInt16] {
        let shot = Camera.Shot(start: start, exposureSeconds: planned.exposureSeconds, iso: planned.iso)
        let light = try camera.light(shot, width: width, height: height, instants: 4)
        let mosaic = try sensor.expose(light, iso: planned.iso, seed: UInt64(1000 + index), workers: workers)
        var samples: [UInt16] = []
        samples.reserveCapacity(width * height)
        for y in 0..<height { samples += mosaic.samples(y) }
        return samples
    }

    /// What the frame's numbers mean.
    func description(iso: Double) -> SensorDescription {
        var description = SensorDescription(
            pattern: .rggb, black: Double(sensor.pedestal), white: Double(sensor.fullScale))
        description.neutral = [1 / Double(sensor.redGain), 1, 1 / Double(sensor.blueGain)]
        description.noise = [sensor.noise(iso: iso)]
        // D65, the white of the scene's own sRGB.
        description.calibrations = [.init(illuminant: 21, colourMatrix: sensor.fromXYZ)]
        return description
    }
}
