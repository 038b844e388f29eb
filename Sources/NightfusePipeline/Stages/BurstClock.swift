/// When the frames of a burst were taken, as their exposures tell: one after the other, in the reference's exposures.
///
/// Clocks of files are too coarse for it, as a rule. Frames that came before the reference count as if after it, which
/// changes the sign of what moved, not how far it got.
package struct BurstClock: Sendable {
    /// From the middle of the reference to that of the frame told of last.
    package private(set) var elapsed = 0.0
    /// That frame's exposure.
    package private(set) var exposure = 1.0
    /// Between one exposure's end and the next one's begin.
    private let gap: Double

    /// A sensor's rows are read in about this time (seconds), which lies between exposures.
    private static let readout = 1.0 / 60

    /// - Parameter seconds: the reference's exposure time, where it is known.
    package init(seconds: Double?) { gap = seconds.map { Self.readout / $0 } ?? 0 }

    /// Goes on to the next frame, `exposure` times as long as the reference.
    package mutating func next(exposure: Double) {
        elapsed += (self.exposure + exposure) / 2 + gap
        self.exposure = exposure
    }

    /// How far (pixels) something may have moved until now, if that it is smeared by no more than `smear` pixels beyond what
    /// it is in the reference; no limit for a frame that is hardly longer.
    package func reach(smear: Double) -> Double {
        exposure > Self.alike ? smear * elapsed / (exposure * exposure - 1).squareRoot() : .infinity
    }

    /// Exposures up to so many times the reference's smear alike.
    private static let alike = 1.3
}
