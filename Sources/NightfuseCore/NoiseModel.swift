/// Noise of one channel on a scale where full scale is 1: variance = shot x + read^2 at linear signal x.
public struct NoiseModel: Equatable, Sendable {
    /// Variance per unit of signal, at least 0.
    public var shot: Double
    /// Standard deviation at zero signal, at least 0.
    public var read: Double

    /// Noise of these two parts, both at least 0.
    public init(shot: Double, read: Double) { (self.shot, self.read) = (shot, read) }

    /// Variance at linear signal `x` (below zero counts as zero).
    public func variance(_ x: Double) -> Double { shot * max(x, 0) + read * read }
}
