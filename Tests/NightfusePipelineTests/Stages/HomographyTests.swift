import NightfusePipeline
import Testing

@Suite("Homography")
struct HomographyTests {
    private let a = Homography([1.02, -0.03, 0.1, 0.04, 0.98, -0.05, 0.01, -0.02, 1])
    private let b = Homography([0.99, 0.02, -0.2, -0.01, 1.01, 0.07, -0.015, 0.005, 1])

    @Test func theInverseLeadsBack() throws {
        let inverse = try #require(a.inverse)
        for (x, y) in [(0.0, 0.0), (1, -0.7), (-0.4, 0.9)] {
            let p = a.apply(x, y)
            let q = inverse.apply(p.x, p.y)
            #expect(abs(q.x - x) < 1e-12 && abs(q.y - y) < 1e-12)
        }
        #expect(inverse.after(a).largestShift(width: 100, height: 50) < 1e-10)
    }

    @Test func afterGoesFirstThroughTheOther() {
        for (x, y) in [(0.0, 0.0), (1, -0.7), (-0.4, 0.9)] {
            let p = b.apply(x, y)
            let q = a.apply(p.x, p.y)
            let r = a.after(b).apply(x, y)
            #expect(abs(q.x - r.x) < 1e-12 && abs(q.y - r.y) < 1e-12)
        }
    }

    @Test func aSingularMapHasNoInverse() {
        #expect(Homography([0, 0, 0, 0, 0, 0, 0, 0, 1]).inverse == nil)
        #expect(Homography([1, 2, 0, 2, 4, 0, 0, 0, 1]).inverse == nil)
    }

    @Test func aTurnAndAShiftAreMeasured() {
        let turn = Homography([0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1])
        #expect(abs(turn.rotation - 0.643_501_108_793) < 1e-9)
        #expect(abs(Homography.translation(0.3, 0.4).largestShift(width: 200, height: 100) - 50) < 1e-9)
    }
}
