public import NightfuseCore

/// A mosaic sensor and the numbers of its noise: on a scale where full scale is 1, variance =
/// k n x + (read k n)^2 + floor^2 at ISO n, as in `device.json`.
public struct Sensor: Sendable {
    /// k: shot noise variance for each ISO, at full signal.
    public var shotPerISO = 2.2e-6
    public var readElectrons = 1.6
    public var readFloor = 0.0013
    /// Codes of the analogue-digital converter: black pedestal and full scale.
    public var pedestal: Float = 256
    public var fullScale: Float = 4095
    /// Gains of red and blue that make this light white, against green.
    public var redGain: Float = 1.22
    public var blueGain: Float = 1.46

    /// Linear sRGB to this sensor's colours; white stays white.
    static let colours: [Vector] = [Vector(0.72, 0.22, 0.06), Vector(0.12, 0.76, 0.12), Vector(0.03, 0.24, 0.73)]

    public init() {}

    /// XYZ to this sensor's raw colours under D65, which is white in the scene (a DNG's ColorMatrix).
    public var fromXYZ: Matrix3 {
        let gains = Matrix3([1 / Double(redGain), 0, 0, 0, 1, 0, 0, 0, 1 / Double(blueGain)])
        let toSensor = Matrix3(Self.colours.flatMap { [Double($0.x), Double($0.y), Double($0.z)] })
        // IEC 61966-2-1: XYZ under D65 to linear sRGB.
        let toSRGB = Matrix3([
            3.2404542, -1.5371385, -0.4985314, -0.9692660, 1.8760108, 0.0415560, 0.0556434, -0.2040259, 1.0572252,
        ])
        return gains * (toSensor * toSRGB)
    }

    /// Variance of the noise is `shot * x + read^2`.
    public func noise(iso: Double) -> NoiseModel {
        let k = shotPerISO * iso
        return NoiseModel(shot: k, read: (readElectrons * readElectrons * k * k + readFloor * readFloor).squareRoot())
    }

    /// What the converter gives for this light: one plane of codes, red at (0, 0), green, green, blue.
    /// Light above full scale is cut off, noise below black is kept by the pedestal.
    ///
    /// - Parameter binned: photosites that make one sample; more than 1 for a preview.
    public func expose(
        _ light: [Plane<Float>], iso: Double, binned: Int = 1, seed: UInt64, workers: Workers
    ) throws(NightfuseError) -> Plane<UInt16> {
        let out = try Plane<UInt16>(width: light[0].width, height: light[0].height)
        let model = noise(iso: iso)
        let (shot, read2) = (Float(model.shot) / Float(binned), Float(model.read * model.read) / Float(binned))
        let span = fullScale - pedestal
        try workers.bands(out.height, grain: 8) { (_, rows) in
            for y in rows {
                var random = SplitMix(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(y))
                let (r, g, b) = (light[0].row(y), light[1].row(y), light[2].row(y))
                let to = out.mutableRow(y)
                for x in 0..<out.width {
                    let colour = (y & 1) + (x & 1)
                    let filter = Self.colours[colour]
                    let gain = colour == 0 ? 1 / redGain : colour == 2 ? 1 / blueGain : 1
                    let signal = (filter.x * r[x] + filter.y * g[x] + filter.z * b[x]) * gain
                    let kept = min(max(signal, 0), 4)
                    let noisy = kept + (shot * kept + read2).squareRoot() * random.normal()
                    to[x] = UInt16(min(max(noisy * span + pedestal + 0.5, 0), fullScale))
                }
            }
        }
        return out
    }
}

/// A small, fast source of repeatable noise.
struct SplitMix {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Standard normal, as the sum of twelve 16-bit uniforms less six (tails end at six sigma).
    mutating func normal() -> Float {
        var sum = 0
        for _ in 0..<3 {
            let bits = next()
            sum += Int(bits & 0xFFFF) + Int(bits >> 16 & 0xFFFF) + Int(bits >> 32 & 0xFFFF) + Int(bits >> 48)
        }
        return (Float(sum) + 6) * 0x1p-16 - 6
    }
}
