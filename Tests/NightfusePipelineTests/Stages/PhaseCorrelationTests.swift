import NightfuseCore
import NightfusePipeline
import NightfuseTestSupport
import Testing

@Suite("Phase correlation")
struct PhaseCorrelationTests {
    private func plane(_ width: Int, _ height: Int, noise: Double, seed: UInt64, _ light: (Double, Double) -> Double)
        throws
        -> Plane<Float>
    {
        var random = SeededRandom(seed: seed)
        let plane = try Plane<Float>(width: width, height: height)
        for y in 0..<height {
            for x in 0..<width { plane[x, y] = Float(light(Double(x), Double(y)) + noise * random.normal()) }
        }
        return plane
    }

    private let scene = TestScene(seed: 3, level: 3, width: 120, height: 90)

    @Test(arguments: [(0, 0), (7, -4), (-18, 12), (1, 20)], [0.05, 0.5])
    func theShiftOfAPictureComesFirst(shift: (Int, Int), noise: Double) throws {
        let a = try plane(120, 90, noise: noise, seed: 1) { scene.light($0, $1).1 }
        let b = try plane(120, 90, noise: noise, seed: 2) { scene.light($0 - Double(shift.0), $1 - Double(shift.1)).1 }
        let found = PhaseCorrelation(reference: a).shifts(to: b, noiseVariance: Float(noise * noise), count: 1)
        // Under noise the highest sample of the peak may be a neighbour of its middle.
        let slack = noise < 0.1 ? 0.0 : 1
        #expect(
            found.count == 1 && abs(found[0].x - Double(shift.0)) <= slack
                && abs(found[0].y - Double(shift.1)) <= slack,
            "\(found)")
    }

    @Test(arguments: [(1, 1), (16, 1), (5, 40)])
    func flatPlanesHaveCandidatesToo(width: Int, height: Int) throws {
        let flat = try Plane<Float>(width: width, height: height)
        #expect(!PhaseCorrelation(reference: flat).shifts(to: flat, noiseVariance: 1, count: 4).isEmpty)
    }
}
