import NightfuseCore
import NightfuseKernels
import NightfuseTestSupport
import Testing

@Suite("Windows of the tile search")
struct TileSystemTests {
    private func noise(_ width: Int, _ height: Int, seed: UInt64) throws -> Plane<Float> {
        var random = SeededRandom(seed: seed)
        let plane = try Plane<Float>(width: width, height: height)
        for y in 0..<height { for x in 0..<width { plane[x, y] = Float(random.normal()) } }
        return plane
    }

    /// A sample, edges repeated.
    private func at(_ plane: Plane<Float>, _ x: Int, _ y: Int) -> Double {
        Double(plane[min(max(x, 0), plane.width - 1), min(max(y, 0), plane.height - 1)])
    }

    @Test(
        arguments: [(0, 0), (8, 4), (20, 11), (24, 20)], [(Float(0), Float(0)), (0.4, -0.7), (-3.25, 6.5), (40, -40)])
    func sumsAreThoseOfSlopesAndErrors(start: (x: Int, y: Int), vector: (x: Float, y: Float)) throws {
        let (image, warped) = (try noise(37, 29, seed: 1), try noise(37, 29, seed: 2))
        let end = (x: min(start.x + 16, 37), y: min(start.y + 16, 29))
        let window = TileArguments(
            image: Row(image.base), imageStride: image.stride, warped: Row(warped.base), warpedStride: warped.stride,
            warpedWidth: 37, warpedHeight: 29, x0: start.x, y0: start.y, x1: end.x, y1: end.y)
        let found = tileSystem(window, vector.x, vector.y)
        let whole = (x: Int(vector.x.rounded(.down)), y: Int(vector.y.rounded(.down)))
        let part = (x: Double(vector.x) - Double(whole.x), y: Double(vector.y) - Double(whole.y))
        var expected = [0.0, 0, 0, 0, 0]
        for y in start.y..<end.y {
            for x in start.x..<end.x {
                let (u, v) = (x + whole.x, y + whole.y)
                let top = at(warped, u, v) * (1 - part.x) + at(warped, u + 1, v) * part.x
                let bottom = at(warped, u, v + 1) * (1 - part.x) + at(warped, u + 1, v + 1) * part.x
                let error = top * (1 - part.y) + bottom * part.y - at(image, x, y)
                let sx = (at(image, x + 1, y) - at(image, x - 1, y)) / 2
                let sy = (at(image, x, y + 1) - at(image, x, y - 1)) / 2
                for (k, product) in [sx * sx, sx * sy, sy * sy, sx * error, sy * error].enumerated() {
                    expected[k] += product
                }
            }
        }
        let sums = [found.xx, found.xy, found.yy, found.ex, found.ey]
        for (a, b) in zip(sums, expected) { #expect(abs(Double(a) - b) < 1e-3) }
    }
}
