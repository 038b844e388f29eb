#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How a camera turns in the hand: slow drift, tremor around 9 Hz, a little roll. A pure function of time.
public struct HandShake: Sendable {
    /// The camera's turn against its first direction, radians: right, down, clockwise as seen in the picture.
    public struct Turn: Sendable {
        public var right = 0.0
        public var down = 0.0
        public var roll = 0.0
    }

    private struct Wave: Sendable {
        var hertz: Double, amplitude: Double, phase: Double
    }

    private var right: [Wave] = []
    private var down: [Wave] = []
    private var roll: [Wave] = []

    /// - Parameter strength: 1 is a calm hand (about 20 px/s rms in a frame 1600 pixels wide); 0 a tripod.
    public init(seed: UInt64, strength: Double = 1) {
        let salt = UInt32(truncatingIfNeeded: seed) &+ 7000
        var count = 0
        func wave(_ low: Double, _ high: Double, _ amplitude: Double) -> Wave {
            count += 1
            let hertz = low + (high - low) * Double(Grain.cell(count, 1, salt))
            return Wave(
                hertz: hertz, amplitude: strength * amplitude, phase: 2 * .pi * Double(Grain.cell(count, 2, salt)))
        }
        // Radians. Drift carries the picture by several pixels a frame, tremor blurs it by about one.
        for _ in 0..<2 {
            right += [wave(0.3, 0.6, 2.6e-3), wave(0.8, 1.4, 1.3e-3), wave(7, 9, 1.9e-4), wave(9, 12, 1.3e-4)]
            down += [wave(0.3, 0.6, 2.2e-3), wave(0.8, 1.4, 1.1e-3), wave(7, 9, 2.1e-4), wave(9, 12, 1.4e-4)]
            roll += [wave(0.4, 0.9, 1.6e-3), wave(6, 9, 1e-4)]
        }
    }

    /// The turn at a time in seconds.
    public func turn(at time: Double) -> Turn {
        func sum(_ waves: [Wave]) -> Double {
            waves.reduce(0) { $0 + $1.amplitude * sin(2 * .pi * $1.hertz * time + $1.phase) }
        }
        return Turn(right: sum(right), down: sum(down), roll: sum(roll))
    }
}
