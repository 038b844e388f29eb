import NightScene
import NightfuseCore
import Testing

@Suite("The street and the hand")
struct StreetTests {
    private static let view = View(width: 160, height: 120)
    private let workers = Workers(threads: 2)

    private func sum(_ planes: [Plane<Float>]) -> [Float] {
        planes.flatMap { plane in (0..<plane.height).map { y in (0..<plane.width).reduce(0) { $0 + plane[$1, y] } } }
    }

    @Test func sameSeedSameLight() throws {
        let shot = Camera.Shot(start: 0.4, exposureSeconds: 1.0 / 15, iso: 3200)
        let runs = try [1, 3].map { threads in
            let few = Workers(threads: threads)
            let painting = try Painting(view: Self.view, seed: 7, workers: few)
            let camera = try Camera(painting: painting, shake: HandShake(seed: 7), workers: few)
            return sum(try camera.light(shot, width: 160, height: 120))
        }
        #expect(runs[0] == runs[1])
    }

    @Test func lampsClipAndShadowsHoldSomething() throws {
        let painting = try Painting(view: Self.view, seed: 7, workers: workers)
        let camera = try Camera(painting: painting, shake: HandShake(seed: 7, strength: 0), workers: workers)
        let shot = Camera.Shot(start: 0.4, exposureSeconds: 1.0 / 15, iso: 2500)
        let green = try camera.light(shot, width: 160, height: 120)[1]
        var values: [Float] = []
        for y in 0..<120 { for x in 0..<160 { values.append(green[x, y]) } }
        values.sort()
        let clipped = values.filter { $0 > 1 }.count
        #expect(clipped > 20 && clipped < values.count / 20)
        #expect(values[values.count / 10] > 0.001 && values[values.count / 10] < 0.02)
        #expect(values.allSatisfy { $0.isFinite && $0 >= 0 })
    }

    @Test func onATripodOnlyTheWalkerMoves() throws {
        let painting = try Painting(view: Self.view, seed: 7, workers: workers)
        let camera = try Camera(painting: painting, shake: HandShake(seed: 7, strength: 0), workers: workers)
        func green(_ start: Double) throws -> Plane<Float> {
            try camera.light(
                Camera.Shot(start: start, exposureSeconds: 0.01, iso: 3200), width: 160, height: 120, instants: 1)[1]
        }
        let (a, b) = (try green(0.4), try green(1.2))
        var changed = 0
        for y in 0..<120 { for x in 0..<160 where abs(a[x, y] - b[x, y]) > 1e-6 { changed += 1 } }
        #expect(changed > 200 && changed < 160 * 120 / 6)
    }

    @Test func theHandMovesAsFastAsPhotographersDo() {
        let shake = HandShake(seed: 7)
        // 26 mm on a frame 1600 pixels wide: one radian is 1216 pixels.
        let step = 1.0 / 240
        var square = 0.0
        for number in 0..<480 {
            let a = shake.turn(at: Double(number) * step), b = shake.turn(at: Double(number + 1) * step)
            let (dx, dy) = ((b.right - a.right) / step * 1216, (b.down - a.down) / step * 1216)
            square += dx * dx + dy * dy
        }
        let speed = (square / 480).squareRoot()
        #expect(speed > 10 && speed < 60)
    }
}
