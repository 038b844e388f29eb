/// The last second of a gyroscope's rates.
struct Gyroscope {
    private var samples: [GyroscopeSample] = []
    private static let capacity = 512

    init() { samples.reserveCapacity(Self.capacity + 1) }

    var last: GyroscopeSample? { samples.last }

    mutating func add(_ sample: GyroscopeSample) {
        samples.append(sample)
        var old = 0
        while samples.count - old > Self.capacity || samples[old].timeSeconds < sample.timeSeconds - Trajectory.memory {
            old += 1
        }
        if old > 0 { samples.removeFirst(old) }
    }

    mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

    /// Mean square and spread of the speed in the middle of the frame (radians a second; small angles), and mean square of
    /// the roll's rate; nil with fewer than two samples.
    var speed: (meanSquare: Double, spread: Double, rollMeanSquare: Double)? {
        guard samples.count >= 2 else { return nil }
        let n = Double(samples.count)
        var square = 0.0
        var sum = 0.0
        var roll = 0.0
        for s in samples {
            let v2 = s.x * s.x + s.y * s.y
            square += v2
            sum += v2.squareRoot()
            roll += s.z * s.z
        }
        return (square / n, max(square / n - sum * sum / (n * n), 0).squareRoot(), roll / n)
    }
}
