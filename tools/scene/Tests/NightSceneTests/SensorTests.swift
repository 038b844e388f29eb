import NightScene
import NightfuseCore
import Testing

@Suite("The sensor")
struct SensorTests {
    private let workers = Workers(threads: 2)

    private func flat(_ level: Float, _ size: Int = 128) throws -> [Plane<Float>] {
        try (0..<3).map { _ in
            let plane = try Plane<Float>(width: size, height: size)
            plane.fill(level)
            return plane
        }
    }

    /// Mean and variance of the green samples, on a scale where full scale is 1.
    private func green(_ mosaic: Plane<UInt16>, _ sensor: Sensor) -> (mean: Double, variance: Double) {
        var (sum, square, count) = (0.0, 0.0, 0.0)
        for y in 0..<mosaic.height {
            for x in 0..<mosaic.width where (x + y) & 1 == 1 {
                let v = (Double(mosaic[x, y]) - Double(sensor.pedestal)) / Double(sensor.fullScale - sensor.pedestal)
                (sum, square, count) = (sum + v, square + v * v, count + 1)
            }
        }
        let mean = sum / count
        return (mean, square / count - mean * mean)
    }

    @Test(arguments: [(Float(0.05), 3200.0), (0.2, 3200), (0.2, 400), (0.5, 6400)])
    func noiseHasTheVarianceOfTheDeviceFile(level: Float, iso: Double) throws {
        let sensor = Sensor()
        let mosaic = try sensor.expose(try flat(level), iso: iso, seed: 5, workers: workers)
        let measured = green(mosaic, sensor)
        let k = 2.2e-6 * iso
        let expected = k * Double(level) + (1.6 * k) * (1.6 * k) + 0.0013 * 0.0013
        // 8192 samples: the variance is known to 1.6 % (one sigma).
        #expect(abs(measured.variance / expected - 1) < 0.08)
        #expect(abs(measured.mean - Double(level)) < 5 * (expected / 8192).squareRoot() + 1e-4)
    }

    @Test func noiseBelowBlackIsKeptByThePedestal() throws {
        let sensor = Sensor()
        let measured = green(try sensor.expose(try flat(0), iso: 3200, seed: 9, workers: workers), sensor)
        #expect(abs(measured.mean) < 1e-3)
    }

    @Test func sameSeedSameCodesWhateverTheThreads() throws {
        let sensor = Sensor()
        let one = try sensor.expose(try flat(0.1), iso: 3200, seed: 3, workers: Workers(threads: 1))
        let four = try sensor.expose(try flat(0.1), iso: 3200, seed: 3, workers: Workers(threads: 4))
        let other = try sensor.expose(try flat(0.1), iso: 3200, seed: 4, workers: Workers(threads: 1))
        var equal = true
        var differ = 0
        for y in 0..<one.height {
            for x in 0..<one.width {
                equal = equal && one[x, y] == four[x, y]
                differ += one[x, y] == other[x, y] ? 0 : 1
            }
        }
        #expect(equal)
        #expect(differ > one.width * one.height / 2)
    }

    @Test(arguments: [(Float(0.4), Float(0.2), Float(0.1)), (0.05, 0.3, 0.6), (0.5, 0.5, 0.5)])
    func developingGivesBackTheColourOfAnEvenSurface(red: Float, green: Float, blue: Float) throws {
        let sensor = Sensor()
        let light = try flat(0)
        for (plane, level) in zip(light, [red, green, blue]) { plane.fill(level) }
        // ISO 50 has next to no noise.
        let mosaic = try sensor.expose(light, iso: 50, seed: 1, workers: workers)
        let linear = try Developing(sensor: sensor).linear(mosaic, workers: workers)
        for (plane, level) in zip(linear, [red, green, blue]) {
            var sum: Float = 0
            for y in 16..<112 { for x in 16..<112 { sum += plane[x, y] } }
            #expect(abs(sum / 9216 - level) < 0.004)
        }
    }
}
