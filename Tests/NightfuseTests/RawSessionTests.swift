import Nightfuse
import NightfuseCore
import NightfuseTestSupport
import Testing

private let workers = Workers(threads: 2)

private func fuse(_ frames: [RawFrame], _ change: (inout FusionOptions) -> Void = { _ in }) throws -> FusionResult {
    var options = FusionOptions()
    (options.look, options.bits, options.reference) = (.none, 16, .index(0))
    change(&options)
    let session = FusionSession(options: options, workers: workers)
    for frame in frames { try session.add(frame) }
    return try session.finish()
}

/// Mean squared error of linear light against the scene, over the middle of the picture.
private func error(_ picture: Picture, _ scene: RawScene) -> Double {
    var sum = 0.0
    var count = 0.0
    for y in 16..<picture.height - 16 {
        for x in 16..<picture.width - 16 {
            for c in 0..<3 {
                let got = ColourSpace.sRGB.transfer.linear(Double(picture.planes[c][x, y]) / 65535)
                let d = got - scene.light(Double(x), Double(y), c) / scene.neutral[c]
                sum += d * d
                count += 1
            }
        }
    }
    return sum / count
}

@Suite("Raw bursts")
struct RawSessionTests {
    @Test(arguments: [true, false])
    func eightFramesAreFarCleanerThanOne(tellsNoise: Bool) throws {
        var scene = RawScene()
        scene.tellsNoise = tellsNoise
        let frames = try scene.burst()
        let merged = try fuse(frames) { $0.strength = 0 }
        let single = try fuse([frames[0]]) { $0.strength = 0 }
        #expect(merged.frames.allSatisfy { $0.used && $0.weight > 0.4 })
        #expect(error(merged.picture, scene) < 0.22 * error(single.picture, scene))
        let clean = try fuse(frames)
        #expect(error(clean.picture, scene) < 0.8 * error(merged.picture, scene))
        let noise = scene.noise
        #expect(merged.noise.shot > 0.5 * noise.shot && merged.noise.shot < 1.6 * noise.shot)
    }

    @Test func faultsOfTheSensorLeaveLittle() throws {
        var scene = RawScene()
        let clean = try error(fuse(scene.burst()).picture, scene)
        scene.hot = (0..<30).map { ($0 * 37 % 120 + 4, $0 * 23 % 88 + 4) }
        scene.rowNoise = 0.3 * scene.noise.read
        let dirty = try error(fuse(scene.burst()).picture, scene)
        #expect(dirty < 1.5 * clean)
    }

    @Test func driftingBlackIsBroughtTogether() throws {
        var scene = RawScene()
        scene.brightness = 0.05
        var frames: [RawFrame] = []
        for i in 0..<6 {
            scene.blackDrift = [0.003, -0.003, 0, 0.002, -0.002, 0][i]
            frames.append(try scene.frame("\(i)", dx: 1.3 * Double(i), dy: 0.6 * Double(i), seed: UInt64(i)))
        }
        let result = try fuse(frames)
        #expect(result.frames.allSatisfy { $0.weight > 0.4 })
        var bias = 0.0
        for y in 16..<80 {
            for x in 16..<112 {
                bias +=
                    ColourSpace.sRGB.transfer.linear(Double(result.picture.planes[1][x, y]) / 65535)
                    - scene.light(Double(x), Double(y), 1)
            }
        }
        #expect(abs(bias / Double(64 * 96)) < 0.0006)
    }

    @Test func theResultDoesNotDependOnThreads() throws {
        let frames = try RawScene().burst(4)
        func codes(_ threads: Int) throws -> [UInt16] {
            var options = FusionOptions()
            options.bits = 16
            let session = FusionSession(options: options, workers: Workers(threads: threads))
            for frame in frames { try session.add(frame) }
            let picture = try session.finish().picture
            return picture.planes.flatMap { plane in
                (0..<plane.height).flatMap { y in (0..<plane.width).map { plane[$0, y] } }
            }
        }
        #expect(try codes(1) == codes(3))
    }

    @Test func cropAndOrientationGiveThePictureItsSize() throws {
        var scene = RawScene()
        scene.crop = (3, 5, 101, 80)
        scene.orientation = 6
        let result = try fuse(scene.burst(2))
        #expect((result.picture.width, result.picture.height) == (80, 101))
        #expect(result.picture.info.orientation == 1)
        // The crop's corner is the upright picture's upper right.
        let expected = scene.light(13, 15, 1)
        let got = ColourSpace.sRGB.transfer.linear(Double(result.picture.planes[1][79 - 10, 10]) / 65535)
        #expect(abs(got / expected - 1) < 0.12)
    }

    @Test func threeSamplesAPixelAreFusedToo() throws {
        var scene = RawScene()
        scene.isLinear = true
        let frames = try scene.burst(6)
        let result = try fuse(frames)
        #expect(error(result.picture, scene) < 0.2 * error(try fuse([frames[0]]) { $0.strength = 0 }.picture, scene))
    }

    @Test func saturatedAreasAreWhite() throws {
        var scene = RawScene()
        scene.brightness = 3
        let picture = try fuse(scene.burst(4)).picture
        var (whites, duller) = (0, 0)
        for y in 0..<picture.height {
            for x in 0..<picture.width {
                let least = (0..<3).map { scene.light(Double(x), Double(y), $0) / scene.neutral[$0] }.min() ?? 0
                guard least > 1.3 else { continue }
                let codes = (0..<3).map { Int(picture.planes[$0][x, y]) }
                whites += 1
                // Where light falls off within two samples, colours are interpolated across the rim.
                #expect(codes.allSatisfy { $0 > 65535 * 95 / 100 })
                if codes.contains(where: { $0 < 65535 * 97 / 100 }) { duller += 1 }
                // Magenta would lack green.
                #expect(codes[1] > 65535 * 97 / 100)
            }
        }
        #expect(whites > 500 && duller < whites / 100)
    }

    @Test func otherMosaicsAndPicturesDoNotBelong() throws {
        let session = FusionSession(options: FusionOptions(), workers: workers)
        var scene = RawScene()
        try session.add(scene.frame("a", seed: 1))
        scene.pattern = [2, 1, 1, 0]
        let odd = try scene.frame("b", seed: 2)
        #expect(throws: NightfuseError.self) { try session.add(odd) }
        scene.pattern = [0, 2, 1, 1]
        let broken = try scene.frame("c", seed: 3)
        #expect(throws: NightfuseError.self) { try session.add(broken) }
    }

    @Test func withoutColourMatrixTheAssumptionIsTold() throws {
        #expect(try fuse(RawScene().burst(1)).notes.contains { $0.contains("colour matrix") })
    }
}
