#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What the preview says about the scene and the hand that holds the camera.
///
/// Speeds are in pixels of the full frame a second, with the preview's own noise taken out. Radiance is in units of
/// what gives full scale at ISO 100 in one second.
public struct SceneReading: Equatable, Sendable {
    /// Preview frames read so far that still count (the older ones are forgotten).
    public var frameCount = 0
    /// Size of the frames that will be shot, in pixels.
    public var frameWidth = 0
    /// Height of the frames that will be shot, in pixels.
    public var frameHeight = 0

    // MARK: Light

    /// Whether it is dark enough for a night shot. Hysteresis: on below ``PreviewMeter/nightOnLuminance``, off above
    /// ``PreviewMeter/nightOffLuminance``.
    public var nightMode = false
    /// Mean radiance, lamps counted as far as they are known: the fraction of full scale it gives at ISO 100 in one
    /// second (about 4 cd/m^2 a unit at f/1.8).
    public var meanLuminance = 0.0
    /// How many stops the shadows that matter lie below the mid-tones. Black that holds nothing does not count.
    public var shadowDepthEV = 0.0
    /// Radiance of those shadows (a tenth of what is more than black is darker), and of the mid-tones (the middle of the
    /// brighter 70 %).
    public var shadowRadiance = 0.0
    /// Radiance of the mid-tones.
    public var midtoneRadiance = 0.0
    /// Radiance that the finished picture shows as white: what is brighter is lamps and glints.
    public var whiteRadiance = 0.0
    /// How many stops those shadows lie below the noise of one preview frame; negative where they stand above it.
    public var shadowsBelowNoiseEV = 0.0
    /// From the shadows that matter to the brightest that is known, in stops.
    public var dynamicRangeEV = 0.0
    /// Share of the picture with a colour at full scale, 0 to 1.
    public var clippedFraction = 0.0
    /// Stops by which the brightest of what clips is known to lie above the usual preview's full scale (from frames
    /// with less exposure); 0 where nothing clips, nil where only "more" is known.
    public var highlightHeadroomEV: Double?
    /// How much of the picture has which radiance (of luma, over cells of the preview).
    public var radiance = RadianceHistogram()
    /// The same of each pixel's brightest colour; what clips in the preview counts with the preview's full scale.
    public var peaks = RadianceHistogram()
    /// Mains flicker: 100 or 120, 0 for none, nil where it cannot be known.
    public var flickerHz: Int?

    // MARK: Motion

    /// Rms speed of the camera, translation and roll together, over the last second; nil: cannot be known (one frame).
    public var cameraMotion: Double?
    /// Standard deviation of the camera's speed over the last second.
    public var cameraMotionSpread = 0.0
    /// Rms rate of roll, degrees a second.
    public var rollDegreesPerSecond = 0.0
    /// Whether the camera stands still (on a tripod or a wall).
    public var steady = false
    /// Rms speed of what moves by itself, relative to the scene; 0 where nothing does; nil: cannot be known.
    public var subjectMotion: Double?
    /// Share of the picture that moves by itself, 0 to 1, as large as it is.
    public var subjectFraction = 0.0
    /// The same, a pixel in the middle of the picture counting 3 times one in a corner.
    public var subjectWeight = 0.0
    /// Speed of the slowest 10, 50 and 90 % of what moves by itself.
    public var subjectSpeedQuantiles = [0.0, 0.0, 0.0]
    /// Speed expected of the subject while the shot is taken (a little after the preview).
    public var subjectMotionAhead = 0.0
    /// Mean radiance of what moves by itself; 0 where nothing does.
    public var subjectRadiance = 0.0
    /// What motion blur costs: mean square error of the sRGB-coded picture (full scale 1) for a blur of one pixel of the full
    /// frame; it grows with the square of the blur's length.
    public var blurCost = 0.0

    /// Nothing is known yet.
    public init() {}
}

/// Shares of the picture by radiance, in bins of a third of a stop.
public struct RadianceHistogram: Equatable, Sendable {
    /// Bins a stop.
    public static let binsPerStop = 3
    /// Number of bins.
    public static let count = 96
    /// log2 of the lowest bin's centre: 2^-20 of full scale at ISO 100 in one second.
    public static let lowestEV = -20.0

    /// Share of each bin; they sum to 1 (or to 0 before the first frame). The first takes all that is darker.
    public var shares = [Double](repeating: 0, count: RadianceHistogram.count)

    /// An empty histogram.
    public init() {}

    /// Radiance at the centre of a bin.
    public static func radiance(_ bin: Int) -> Double { exp2(lowestEV + Double(bin) / Double(binsPerStop)) }

    /// The bin that a radiance falls into.
    public static func bin(_ radiance: Double) -> Int {
        guard radiance > 0 else { return 0 }
        let position = (log2(radiance) - lowestEV) * Double(binsPerStop) + 0.5
        return min(max(Int(position), 0), count - 1)
    }

    /// Adds a share of the picture, split between the two bins whose centres lie around its radiance, so that a small change
    /// of the light makes a small change here.
    public mutating func add(_ radiance: Double, share: Double) {
        let position = radiance > 0 ? (log2(radiance) - Self.lowestEV) * Double(Self.binsPerStop) : 0
        let bin = min(max(Int(position), 0), Self.count - 2)
        let upper = min(max(position - Double(bin), 0), 1)
        shares[bin] += share * (1 - upper)
        shares[bin + 1] += share * upper
    }
}
