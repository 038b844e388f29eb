/// What a raw frame's numbers mean: levels, colours and noise of its sensor.
public struct SensorDescription: Equatable, Sendable {
    /// Colours of a mosaic's first two rows, from the left.
    public enum Pattern: CaseIterable, Sendable {
        /// Red, green; green, blue.
        case rggb
        /// Green, red; blue, green.
        case grbg
        /// Green, blue; red, green.
        case gbrg
        /// Blue, green; green, red.
        case bggr

        /// 0 red, 1 green, 2 blue.
        var cell: [UInt8] {
            switch self {
            case .rggb: [0, 1, 1, 2]
            case .grbg: [1, 0, 2, 1]
            case .gbrg: [1, 2, 0, 1]
            case .bggr: [2, 1, 1, 0]
            }
        }
    }

    /// Where which colour is.
    public var pattern: Pattern
    /// Black level of the pattern's four places, first row first, in the samples' own numbers.
    public var black: [Double]
    /// The number at which samples saturate, above every black level.
    public var white: Double
    /// Raw red, green and blue of a white object in the scene's light, each above 0, on any scale; nil: unknown.
    public var neutral: [Double]?
    /// Colour of the sensor under one light or two; empty: unknown, and colours stay the sensor's own.
    public var calibrations: [RawFrame.Calibration] = []
    /// Stops to add when developing. Default 0.
    public var baselineExposureEV = 0.0
    /// Noise of the signal on a scale where black is 0 and white 1, at the frame's ISO: one entry for all colours or one
    /// each for red, green and blue. Empty: unknown, and measured.
    public var noise: [NoiseModel] = []

    /// A sensor with the same black level everywhere.
    public init(pattern: Pattern, black: Double, white: Double) {
        (self.pattern, self.black, self.white) = (pattern, [black, black, black, black], white)
    }

    /// The neutral with 1 as its largest.
    var scaledNeutral: [Double]? {
        guard let neutral, let most = neutral.max() else { return nil }
        return neutral.map { $0 / most }
    }

    /// Throws `.argument` where the description makes no sense for samples of so many bits.
    func check(name: String, bits: Int) throws(NightfuseError) {
        guard black.count == 4, black.allSatisfy({ $0.isFinite && $0 >= 0 }) else {
            throw .argument("\(name): black is \(black); four levels of at least 0 are wanted")
        }
        let most = Double(1 << bits)
        guard white.isFinite, white <= most, white > (black.max() ?? 0) else {
            throw .argument("\(name): white is \(white); it must be above black (\(black)) and at most \(Int(most))")
        }
        if let neutral, neutral.count != 3 || !neutral.allSatisfy({ $0.isFinite && $0 > 0 }) {
            throw .argument("\(name): neutral is \(neutral); three numbers above 0 are wanted")
        }
        guard baselineExposureEV.isFinite, abs(baselineExposureEV) <= 16 else {
            throw .argument("\(name): baseline exposure is \(baselineExposureEV); -16 to 16 stops are wanted")
        }
        guard [0, 1, 3].contains(noise.count) else {
            throw .argument("\(name): \(noise.count) entries of noise; none, one or three are wanted")
        }
        for model in noise {
            guard model.shot.isFinite, model.read.isFinite, model.shot >= 0, model.read >= 0 else {
                throw .argument(
                    "\(name): noise is shot \(model.shot), read \(model.read); both must be at least 0")
            }
        }
        guard calibrations.count <= 2 else {
            throw .argument("\(name): \(calibrations.count) calibrations; at most two are wanted")
        }
        for matrix in calibrations.flatMap({ [$0.colourMatrix, $0.forwardMatrix].compactMap { $0 } }) {
            guard matrix.m.allSatisfy(\.isFinite), matrix.inverse != nil else {
                throw .argument("\(name): a colour matrix is not finite, or cannot be inverted")
            }
        }
    }
}
