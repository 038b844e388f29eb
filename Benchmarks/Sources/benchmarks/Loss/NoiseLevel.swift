internal import NightfuseCore
internal import NightfuseKernels
internal import NightfusePipeline
internal import NightfuseTestSupport

/// How dark the scene is and how strong the sensor's noise.
struct NoiseLevel {
    let name: String
    /// Light of the scene's white, 1 = full scale.
    let white: Double
    let noise: NoiseModel

    /// Gains 1, 2, 4 and 8 of the sensor of Mildenhall et al., "Burst denoising with kernel prediction networks", 2018,
    /// table 1, with 0.35 of its noise since the scene, too, is darker (white at 0.22); and the highest gain with as
    /// little light as makes the mean pixel's signal 0.3 of its noise.
    static func all(meanLight: Double) -> [NoiseLevel] {
        let table: [(name: String, shot: Double, read: Double)] = [
            ("gain 1", 2.5e-3, 6.3e-3), ("gain 2", 6.3e-3, 1.6e-2), ("gain 4", 1.6e-2, 3.6e-2),
            ("gain 8", 3.2e-2, 8.5e-2),
        ]
        var levels = table.map {
            NoiseLevel(name: $0.name, white: 0.22, noise: NoiseModel(shot: 0.35 * $0.shot, read: 0.35 * $0.read))
        }
        let noise = levels[3].noise
        // x / sqrt(shot x + read^2) = 0.3.
        let k = 0.09 * noise.shot
        let light = (k + (k * k + 4 * 0.09 * noise.read * noise.read).squareRoot()) / 2
        levels.append(NoiseLevel(name: "SNR 0.3", white: light / meanLight, noise: noise))
        return levels
    }

    /// Signal over noise of a pixel as bright as the mean.
    func signalToNoise(meanLight: Double) -> Double {
        let x = white * meanLight
        return x / noise.variance(x).squareRoot()
    }

    /// The noise as the pipeline wants it told.
    func estimation(like frame: FrameData) -> NoiseEstimation {
        var estimation = NoiseEstimation(frame: frame)
        estimation.channels = [noise, noise, noise]
        return estimation
    }

    /// A frame as a file holds it: clean light with noise, clipped at black and white, 16 bits.
    func frame(_ clean: [Plane<Float>], seed: UInt64, workers: Workers) throws(NightfuseError) -> FrameData {
        let transfer = TransferTable(.sRGB, maxCode: 65535)
        var planes: [Plane<UInt16>] = []
        for (c, light) in clean.enumerated() {
            let codes = try Plane<UInt16>(width: light.width, height: light.height)
            let (scale, noise) = (Float(white), noise)
            try workers.bands(light.height, grain: 16) { (band, rows) in
                var random = SeededRandom(seed: seed &* 1_000_003 &+ UInt64(c * 4099 + band))
                var line = [Float](repeating: 0, count: light.width)
                for y in rows {
                    for x in 0..<light.width {
                        let value = light.row(y)[x] * scale
                        line[x] = value + Float(noise.variance(Double(value)).squareRoot() * random.normal())
                    }
                    line.withRow {
                        transfer.encode($0, into: codes.mutableRow(y), count: light.width, row: y, dither: false)
                    }
                }
            }
            planes.append(codes)
        }
        var info = CaptureInfo()
        (info.exposureSeconds, info.iso) = (1.0 / 30, 3200)
        return FrameData(
            picture: Picture(planes: planes, maxCode: 65535, bits: 16, name: "frame \(seed)", info: info, format: "PNG")
        )
    }
}
