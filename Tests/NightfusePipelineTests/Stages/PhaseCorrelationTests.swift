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

    @Test(arguments: [(0, 0), (7, -4), (-18, 12), (1, 20)], [0.05, 2])
    func theShiftOfAPictureComesFirst(shift: (Int, Int), noise: Double) throws {
        let a = try plane(120, 90, noise: noise, seed: 1) { scene.light($0, $1).1 }
        let b = try plane(120, 90, noise: noise, seed: 2) { scene.light($0 - Double(shift.0), $1 - Double(shift.1)).1 }
        let found = PhaseCorrelation(reference: a).shifts(to: b, noiseVariance: Float(noise * noise), count: 1)
        #expect(found.count == 1 && found[0].x == Double(shift.0) && found[0].y == Double(shift.1))
    }

    /// A mover in the middle, brighter than the scene: its shift comes first, and the scene's next.
    @Test func slopesOfAPeakAreNoCandidates() throws {
        let front = TestScene(seed: 4, level: 6, width: 36, height: 30)
        func light(_ x: Double, _ y: Double, _ shift: (Double, Double), _ mover: (Double, Double)) -> Double {
            let (u, v) = (x - 42 - mover.0, y - 30 - mover.1)
            return u >= 0 && v >= 0 && u < 36 && v < 30 ? front.light(u, v).1 : scene.light(x - shift.0, y - shift.1).1
        }
        let a = try plane(120, 90, noise: 0.1, seed: 1) { light($0, $1, (0, 0), (0, 0)) }
        let b = try plane(120, 90, noise: 0.1, seed: 2) { light($0, $1, (-13, 6), (-4, 2)) }
        let found = PhaseCorrelation(reference: a).shifts(to: b, noiseVariance: 0.01, count: 4)
        #expect(found.contains { $0.x == -13 && $0.y == 6 }, "\(found)")
        #expect(found.contains { $0.x == -4 && $0.y == 2 }, "\(found)")
    }

    @Test(arguments: [(1, 1), (16, 1), (5, 40)])
    func flatPlanesHaveCandidatesToo(width: Int, height: Int) throws {
        let flat = try Plane<Float>(width: width, height: height)
        #expect(!PhaseCorrelation(reference: flat).shifts(to: flat, noiseVariance: 1, count: 4).isEmpty)
    }
}
