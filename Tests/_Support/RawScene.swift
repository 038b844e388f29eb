public import NightfuseCore

/// Raw frames of a rendered scene: smooth colours with texture, sampled through a mosaic with the noise of a sensor.
public struct RawScene: Sendable {
    public var width = 128
    public var height = 96
    public var pattern: [UInt8] = [0, 1, 1, 2]
    public var noise = NoiseModel(shot: 0.0004, read: 0.002)
    public var black = 4096.0
    public var white = 65535.0
    public var neutral = [0.5, 1, 0.625]
    /// Light of the brightest parts, of which 1 saturates green.
    public var brightness = 0.3
    /// Strength of the waves of light, 0 (none) to 1.
    public var texture = 1.0
    /// Whether noise stands in the file; false: the frame does not tell.
    public var tellsNoise = true
    public var orientation = 1
    public var crop: (x: Int, y: Int, width: Int, height: Int)?
    public var isLinear = false
    /// Added to every sample, light.
    public var blackDrift = 0.0
    /// Strength (sigma) of what rows share, light.
    public var rowNoise = 0.0
    /// Samples that shine by themselves, and by how much.
    public var hot: [(x: Int, y: Int)] = []
    public var hotLight = 0.3

    public init() {}

    /// Camera light of a colour at a place, before white balance: 0 to `brightness` x neutral.
    public func light(_ x: Double, _ y: Double, _ colour: Int) -> Double {
        let u = x / 23 + y / 41
        let v = x / 37 - y / 19
        let wave = 0.5 + texture * (0.24 * sine(u) + 0.16 * sine(2.3 * v) + 0.03 * sine(2.9 * u + 1.3 * v))
        let tint = 1 + 0.2 * sine(0.6 * v + 0.25 * Double(colour))
        return brightness * neutral[colour] * wave * tint / 1.2
    }

    /// sin(2 pi t), by its series around the nearest zero (no maths library is at hand here).
    private func sine(_ t: Double) -> Double {
        let turn = t - t.rounded()
        // |turn| <= 1/2: fold to a quarter turn.
        let quarter = turn > 0.25 ? 0.5 - turn : turn < -0.25 ? -0.5 - turn : turn
        let a = 2 * Double.pi * quarter
        let s = a * a
        return a * (1 - s / 6 * (1 - s / 20 * (1 - s / 42 * (1 - s / 72))))
    }

    /// A frame of the scene moved by (dx, dy) pixels.
    public func frame(_ name: String, dx: Double = 0, dy: Double = 0, seed: UInt64) throws(NightfuseError) -> RawFrame {
        var random = SeededRandom(seed: seed)
        var planes: [Plane<UInt16>] = []
        for _ in 0..<(isLinear ? 3 : 1) { planes.append(try Plane(width: width, height: height)) }
        let places = Set(hot.map { $0.y * width + $0.x })
        for y in 0..<height {
            let shared = rowNoise * random.normal() + blackDrift
            for x in 0..<width {
                for plane in 0..<planes.count {
                    let colour = isLinear ? plane : Int(pattern[(y & 1) * 2 + (x & 1)])
                    let clean = light(Double(x) + dx, Double(y) + dy, colour)
                    let own = places.contains(y * width + x) ? hotLight : 0
                    let noisy = min(clean + own + noise.variance(clean).squareRoot() * random.normal(), 1) + shared
                    let code = (noisy * (white - black) + black).rounded()
                    planes[plane][x, y] = UInt16(min(max(code, 0), white))
                }
            }
        }
        var info = CaptureInfo()
        info.orientation = orientation
        info.exposureSeconds = 1.0 / 15
        info.iso = 1600
        return RawFrame(
            planes: planes, layout: isLinear ? .linear : .mosaic(pattern),
            black: [Double](repeating: black, count: planes.count), blackRows: 1, blackColumns: 1,
            white: [Double](repeating: white, count: planes.count), neutral: neutral, calibrations: [],
            baselineExposure: 0, noise: tellsNoise ? [noise] : [], gainMaps: [], badPixels: [],
            crop: crop ?? (0, 0, width, height), info: info, name: name, bits: 16, compression: "none", notes: [])
    }

    /// The whole burst: frames moved by different fractions of pixels.
    public func burst(_ count: Int = 8) throws(NightfuseError) -> [RawFrame] {
        var frames: [RawFrame] = []
        for i in 0..<count {
            let step = Double(i)
            frames.append(
                try frame(
                    "frame \(i)", dx: 1.37 * step, dy: -0.73 * step, seed: 100 + UInt64(i)))
        }
        return frames
    }
}
