#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Android)
    internal import Android
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Where the camera looked, frame by frame, and how fast it moved with the noise of that taken out.
struct Trajectory {
    struct Sample {
        var time: Double
        /// Samples of level 0 since the first frame; roll in radians.
        var x: Double
        var y: Double
        var roll: Double
        var sigma: Double
        var rollSigma: Double
    }

    /// Speeds, in samples of level 0 (or radians) a second.
    struct Speed {
        /// Mean square of the speed's components together.
        var meanSquare = 0.0
        /// Standard deviation over time of what could be told apart from noise.
        var spread = 0.0
        /// Velocity at the end.
        var last = 0.0
    }

    /// Enough for a second at 60 frames a second.
    static let capacity = 64
    static let memory = 1.0

    private var samples: [Sample] = []

    init() { samples.reserveCapacity(Self.capacity + 1) }

    var count: Int { samples.count }
    var last: Sample? { samples.last }

    mutating func add(_ sample: Sample) {
        samples.append(sample)
        var old = 0
        while old < samples.count - 1,
            samples.count - old > Self.capacity || samples[old].time < sample.time - Self.memory
        {
            old += 1
        }
        if old > 0 { samples.removeFirst(old) }
    }

    mutating func removeAll() { samples.removeAll(keepingCapacity: true) }

    /// A guess of the velocity now, samples of level 0 a second; 0 where the last positions are not known well.
    var lastVelocity: (x: Double, y: Double) {
        guard samples.count >= 2 else { return (0, 0) }
        let a = samples[max(samples.count - 3, 0)]
        let b = samples[samples.count - 1]
        guard max(a.sigma, b.sigma) < 0.3 else { return (0, 0) }
        let dt = max(b.time - a.time, 1e-3)
        return ((b.x - a.x) / dt, (b.y - a.y) / dt)
    }

    /// Mean velocity, over about the time the motion field remembers, of what would stay with the sensor (and so go
    /// against the scene).
    var drift: (x: Double, y: Double) {
        guard let b = samples.last, let a = samples.first(where: { $0.time > b.time - 0.35 }), a.time < b.time else {
            return (0, 0)
        }
        let dt = b.time - a.time
        return ((a.x - b.x) / dt, (a.y - b.y) / dt)
    }

    /// Where the camera could be seen; at most 32 samples, evenly thinned: more adds nothing at a hand's few hertz.
    private var thinned: [Sample] {
        let known = samples.filter { $0.sigma < Self.unknown }
        let step = (known.count + 31) / 32
        guard step > 0 else { return [] }
        return stride(from: known.count - 1, through: 0, by: -step).map { known[$0] }.reversed()
    }

    /// Positions known less well than this (samples) are no positions.
    private static let unknown = 2.0

    /// Speed of the shift; nil with fewer than two frames.
    func translation() -> Speed? {
        let s = thinned
        guard s.count >= 2 else { return nil }
        let times = s.map(\.time)
        let sigmas = s.map(\.sigma)
        let x = SmoothVelocity(times: times, positions: s.map(\.x), sigmas: sigmas)
        let y = SmoothVelocity(times: times, positions: s.map(\.y), sigmas: sigmas)
        var speed = Speed()
        var mean = 0.0
        var square = 0.0
        for i in x.mean.indices {
            speed.meanSquare += x.mean[i] * x.mean[i] + x.variance[i] + y.mean[i] * y.mean[i] + y.variance[i]
            let length = (x.mean[i] * x.mean[i] + y.mean[i] * y.mean[i]).squareRoot()
            mean += length
            square += length * length
        }
        let n = Double(x.mean.count)
        speed.meanSquare /= n
        speed.spread = max(square / n - mean * mean / (n * n), 0).squareRoot()
        return speed
    }

    /// Mean square of the roll's rate; nil with fewer than two frames.
    func rollMeanSquare() -> Double? {
        let s = thinned
        guard s.count >= 2 else { return nil }
        let roll = SmoothVelocity(times: s.map(\.time), positions: s.map(\.roll), sigmas: s.map(\.rollSigma))
        var sum = 0.0
        for i in roll.mean.indices { sum += roll.mean[i] * roll.mean[i] + roll.variance[i] }
        return sum / Double(roll.mean.count)
    }
}

/// Velocity along a path seen with noise: a Gaussian process whose strength is the most probable one given the positions.
///
/// The mean square of the velocity is that of the posterior, mean and variance together. It is neither raised by the noise
/// (as the plain differences' would be) nor lowered by smoothing: the standard deviation of the prior takes up what there is.
struct SmoothVelocity {
    /// Mean and variance of the velocity in each interval.
    private(set) var mean: [Double]
    private(set) var variance: [Double]

    /// A hand shakes at up to 4 or 5 hertz: velocities this far apart in time (s) have nearly forgotten each other ...
    private static let correlation = 0.06
    /// ... but for a drift that stays, with this share of the power.
    private static let drift = 0.3

    init(times: [Double], positions: [Double], sigmas: [Double]) {
        let n = times.count - 1
        mean = [Double](repeating: 0, count: n)
        variance = mean
        let step = (0..<n).map { max(times[$0 + 1] - times[$0], 1e-4) }
        // Everything as velocities: y = v + noise.
        let y = (0..<n).map { (positions[$0 + 1] - positions[$0]) / step[$0] }
        var noise = SquareMatrix(n)
        var prior = SquareMatrix(n)
        for i in 0..<n {
            for j in 0...i {
                let far = ((times[i] + times[i + 1]) - (times[j] + times[j + 1])) / 2 / Self.correlation
                prior[i, j] = Self.drift + (1 - Self.drift) * exp(-0.5 * far * far)
            }
            let a = sigmas[i] * sigmas[i]
            let b = sigmas[i + 1] * sigmas[i + 1]
            noise[i, i] = (a + b) / (step[i] * step[i])
            if i > 0 { noise[i, i - 1] = -a / (step[i] * step[i - 1]) }
        }
        // Strengths tried, as multiples of the largest velocity seen: 0 and from a thousandth up, in steps of 1.5 dB.
        let largest = y.reduce(0) { max($0, abs($1)) }
        guard largest > 0, largest.isFinite else { return }
        var best = (likelihood: -Double.infinity, strength: 0.0)
        for k in 0..<44 {
            let strength = k == 0 ? 0 : largest * largest * exp2(-20 + 0.5 * Double(k))
            var total = noise
            for i in 0..<n { for j in 0...i { total[i, j] += strength * prior[i, j] } }
            guard total.factor() else { continue }
            let half = total.solveLower(y)
            let likelihood = -0.5 * half.reduce(0) { $0 + $1 * $1 } - total.logDiagonal
            if likelihood > best.likelihood { best = (likelihood, strength) }
        }
        guard best.strength > 0 else { return }
        settle(y, strength: best.strength, prior: prior, noise: noise)
    }

    /// Posterior for the given strength: mean = K (K + N)^-1 y, variance = K - K (K + N)^-1 K.
    private mutating func settle(_ y: [Double], strength: Double, prior: SquareMatrix, noise: SquareMatrix) {
        let n = y.count
        var total = noise
        for i in 0..<n { for j in 0...i { total[i, j] += strength * prior[i, j] } }
        guard total.factor() else { return }
        let weights = total.solveUpper(total.solveLower(y))
        for i in 0..<n {
            let column = (0..<n).map { strength * (i >= $0 ? prior[i, $0] : prior[$0, i]) }
            var m = 0.0
            for j in 0..<n { m += column[j] * weights[j] }
            let c = total.solveLower(column)
            mean[i] = m
            variance[i] = max(strength - c.reduce(0) { $0 + $1 * $1 }, 0)
        }
    }
}

/// A small symmetric matrix: its lower half, then its Cholesky factor.
struct SquareMatrix {
    let n: Int
    private var values: [Double]

    init(_ n: Int) {
        self.n = n
        values = [Double](repeating: 0, count: n * n)
    }

    subscript(i: Int, j: Int) -> Double {
        get { values[i * n + j] }
        set { values[i * n + j] = newValue }
    }

    /// Turns the lower half into L with A = L L^T; false where A is not positive.
    mutating func factor() -> Bool {
        for j in 0..<n {
            var d = values[j * n + j]
            for k in 0..<j { d -= values[j * n + k] * values[j * n + k] }
            guard d > 0, d.isFinite else { return false }
            let root = d.squareRoot()
            values[j * n + j] = root
            for i in j + 1..<max(n, j + 1) {
                var sum = values[i * n + j]
                for k in 0..<j { sum -= values[i * n + k] * values[j * n + k] }
                values[i * n + j] = sum / root
            }
        }
        return true
    }

    /// L^-1 b, after ``factor()``.
    func solveLower(_ b: [Double]) -> [Double] {
        var x = b
        for i in 0..<n {
            for k in 0..<i { x[i] -= values[i * n + k] * x[k] }
            x[i] /= values[i * n + i]
        }
        return x
    }

    /// L^-T b, after ``factor()``.
    func solveUpper(_ b: [Double]) -> [Double] {
        var x = b
        for i in stride(from: n - 1, through: 0, by: -1) {
            for k in i + 1..<max(n, i + 1) { x[i] -= values[k * n + i] * x[k] }
            x[i] /= values[i * n + i]
        }
        return x
    }

    /// Sum of the logarithms of L's diagonal: half of log det A.
    var logDiagonal: Double {
        var sum = 0.0
        for i in 0..<n { sum += log(values[i * n + i]) }
        return sum
    }
}
