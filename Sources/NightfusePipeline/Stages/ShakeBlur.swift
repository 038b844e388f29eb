#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// How a frame is blurred against the merge: the straight path a shaking hand drew during the exposure, and a round
/// spread for all else.
package struct ShakeBlur: Sendable, Equatable {
    /// Path from the exposure's begin to its end, in pixels (its sense does not matter).
    package var x = 0.0
    package var y = 0.0
    /// Standard deviation of the round part, in pixels.
    package var spread = 0.0
    package init(x: Double = 0, y: Double = 0, spread: Double = 0) { (self.x, self.y, self.spread) = (x, y, spread) }

    /// What is left of a wave of (fx, fy) cycles a pixel; negative where the path turns it over.
    package func response(_ fx: Double, _ fy: Double) -> Double {
        let turn = Double.pi * (fx * x + fy * y)
        let path = abs(turn) < 1e-6 ? 1 : sin(turn) / turn
        return path * exp(-2 * Double.pi * Double.pi * spread * spread * (fx * fx + fy * fy))
    }

    /// The longest path looked for; tiles of 32 hold no longer one.
    package static let longest = 12.0
}
