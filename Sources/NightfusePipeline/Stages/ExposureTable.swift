internal import NightfuseCore

/// Noise of the base exposure and of another one by the mean of a sample of the base exposure, and how much the other's
/// blacks are lifted more.
struct ExposureTable {
    struct Entry {
        var own: Float
        var other: Float
        var lift: Float
    }
    private let entries: [Entry]

    init(own: NoiseModel, other: NoiseModel, clips: Bool) {
        let (a, b) = (ClippedNoise(noise: own, clips: clips), ClippedNoise(noise: other, clips: clips))
        entries = (0..<512).map { i in
            // Even in the square root of the mean, 0 to 1.
            let mean = Double(i) / 511 * Double(i) / 511
            let x = a.signal(mean: mean)
            let m = b.moments(x)
            return Entry(
                own: Float(max(a.moments(x).variance, 1e-14)), other: Float(max(m.variance, 1e-14)),
                lift: clips ? Float(m.mean - mean) : 0)
        }
    }

    func entry(_ mean: Float) -> Entry { entries[Int(min(max(mean, 0), 1).squareRoot() * 511)] }
}
