import Foundation
import NightfuseCore
import NightfuseMetering
import NightfuseTestSupport

/// A scene of the tests' own making, seen by a simulated preview camera: texture, a hand's or tripod's motion, a disc that
/// moves by itself, shade over the left half, a light that flickers, shot and read noise, sRGB and 8 bits.
///
/// Lengths are in preview pixels, times in seconds; the full frame is twice the preview.
struct RenderedScene {
    var width = 192
    var height = 144
    var seed: UInt64 = 1
    /// Radiance of white: the fraction of full scale at ISO 100 in one second.
    var white = 1.0
    var shadeEV = 0.0
    /// Where the camera looks at a time, and how it is turned (radians).
    var camera: @Sendable (Double) -> (x: Double, y: Double, roll: Double) = { _ in (0, 0, 0) }
    /// Where the disc's middle is at a time, from the picture's middle; nil: there is none.
    var subject: (@Sendable (Double) -> (x: Double, y: Double))?
    var subjectRadius = 30.0
    /// The light changes by this share up and down, so often a second; rows are read out one after the other.
    var flickerHz = 0.0
    var flickerDepth = 0.3
    var readout = 1.0 / 60
    var exposure = 1.0 / 30
    var iso = 1600.0
    /// Noise of the preview: that of ISO / 4, binned.
    var noise = SensorNoise()
    var framesPerSecond = 30.0
    /// Everything brighter than white by this factor in a small square; 0: none.
    var lamp = 0.0

    private static let margin = 64

    /// A hand: two slow swings an axis, `speed` rms in preview pixels a second.
    static func hand(_ speed: Double, seed: UInt64 = 3) -> @Sendable (Double) -> (x: Double, y: Double, roll: Double) {
        var random = SeededRandom(seed: seed)
        let f = (0..<4).map { _ in 1 + 2.5 * random.uniform() }
        let p = (0..<4).map { _ in 2 * Double.pi * random.uniform() }
        // Each swing's velocity has an rms of 1 / sqrt 2 of its amplitude; four of them make sqrt 2.
        let scale = speed / 2.0.squareRoot()
        @Sendable func swing(_ k: Int, _ t: Double) -> Double { sin(2 * .pi * f[k] * t + p[k]) / (2 * .pi * f[k]) }
        return { t in (scale * (swing(0, t) + swing(1, t)), scale * (swing(2, t) + swing(3, t)), 0) }
    }

    /// Rms speed of a path over a time, in preview pixels a second.
    static func rms(
        _ path: (Double) -> (x: Double, y: Double, roll: Double), from: Double, to: Double
    ) -> Double {
        let n = 200
        var sum = 0.0
        for i in 0..<n {
            let a = path(from + (to - from) * Double(i) / Double(n))
            let b = path(from + (to - from) * Double(i + 1) / Double(n))
            sum += (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)
        }
        return (sum / Double(n)).squareRoot() * Double(n) / (to - from)
    }

    /// Feeds `count` frames to a meter, from time `start` on.
    func feed(_ meter: PreviewMeter, count: Int = 15, start: Double = 0) throws {
        let painter = ScenePainter(self)
        for i in 0..<count {
            let time = start + Double(i) / framesPerSecond
            let frame = painter.frame(at: time, index: Int(time * 1000))
            try frame.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                try meter.add(
                    base, width: width, height: height, stride: width * 3, layout: .rgb,
                    tags: PreviewTags(exposureSeconds: exposure, iso: iso, timeSeconds: time))
            }
        }
    }

    /// What a fresh meter says after `count` frames.
    func reading(count: Int = 15) throws -> SceneReading? {
        let meter = PreviewMeter(frameWidth: width * 2, frameHeight: height * 2)
        try feed(meter, count: count)
        return meter.reading()
    }
}

/// Draws a scene's frames: textures and noise are made once.
final class ScenePainter {
    private let scene: RenderedScene
    private let ground: Texture
    private let figure: Texture
    private let normals: [Float]

    init(_ scene: RenderedScene) {
        self.scene = scene
        ground = Texture(seed: scene.seed)
        figure = Texture(seed: scene.seed &+ 77)
        var random = SeededRandom(seed: scene.seed &+ 1234)
        normals = (0..<8192).map { _ in Float(random.normal()) }
    }

    /// Linear radiance at a place of the scene, white = 1.
    private func light(_ x: Double, _ y: Double, subject: (x: Double, y: Double)?) -> Double {
        var value = ground.at(x, y)
        if let subject {
            let dx = x - subject.x
            let dy = y - subject.y
            if dx * dx + dy * dy < scene.subjectRadius * scene.subjectRadius { value = figure.at(dx, dy) }
        }
        if scene.lamp > 0, abs(x + 40) < 3, abs(y + 30) < 3 { value = scene.lamp }
        guard scene.shadeEV > 0 else { return value }
        let across = min(max((x / Double(scene.width) + 0.05) / 0.1, 0), 1)
        return value * exp2(-scene.shadeEV * (1 - across))
    }

    /// RGB, 8 bits, row after row.
    func frame(at time: Double, index: Int) -> [UInt8] {
        let s = scene
        let view = s.camera(time + s.exposure / 2)
        let subject = s.subject.map { $0(time + s.exposure / 2) }
        let gain = s.white * s.exposure * s.iso / 100
        let model = s.noise.model(iso: s.iso / 4)
        var random = SeededRandom(seed: s.seed &+ UInt64(index) &* 977)
        var out = [UInt8](repeating: 0, count: s.width * s.height * 3)
        let (c, n) = (cos(view.roll), sin(view.roll))
        let w = 2 * Double.pi * s.flickerHz
        for y in 0..<s.height {
            var light = gain
            if s.flickerHz > 0 {
                let start = time + s.readout * Double(y) / Double(s.height)
                light *= 1 + s.flickerDepth * (cos(w * start) - cos(w * (start + s.exposure))) / (w * s.exposure)
            }
            for x in 0..<s.width {
                let px = Double(x) + 0.5 - Double(s.width) / 2
                let py = Double(y) + 0.5 - Double(s.height) / 2
                // Content at r lies at turn(r) + view: look up the other way round.
                let ux = px - view.x
                let uy = py - view.y
                let value = self.light(c * ux + n * uy, c * uy - n * ux, subject: subject) * light
                let deviation = Float((model.shot * value + model.read * model.read).squareRoot())
                let bits = random.next()
                for k in 0..<3 {
                    let tint = Float(1.15 - 0.15 * Double(k))
                    let noise = normals[Int(truncatingIfNeeded: (bits >> (UInt64(k) * 13)) & 8191)] * deviation
                    out[(y * s.width + x) * 3 + k] = Self.code(Float(value) * tint + noise)
                }
            }
        }
        return out
    }

    private static let codes: [UInt8] = (0...4096).map {
        UInt8((TransferFunction.sRGB.coded(Double($0) / 4096) * 255).rounded())
    }

    private static func code(_ v: Float) -> UInt8 { codes[Int(min(max(v, 0), 1) * 4096 + 0.5)] }
}

/// Smooth random texture, 0.05 to 0.9: noise on lattices of 3 to 40 pixels, interpolated.
private struct Texture {
    private let layers: [(step: Double, values: [Double])]
    private static let side = 64

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        layers = [3.0, 6, 13, 40].map { step in
            (step, (0..<Self.side * Self.side).map { _ in random.uniform() })
        }
    }

    func at(_ x: Double, _ y: Double) -> Double {
        var sum = 0.0
        for (step, values) in layers {
            let u = x / step + 1000
            let v = y / step + 1000
            let i = Int(u)
            let j = Int(v)
            func smooth(_ t: Double) -> Double { t * t * (3 - 2 * t) }
            let fx = smooth(u - Double(i))
            let fy = smooth(v - Double(j))
            func value(_ a: Int, _ b: Int) -> Double { values[(b % Self.side) * Self.side + a % Self.side] }
            let top = value(i, j) + (value(i + 1, j) - value(i, j)) * fx
            let bottom = value(i, j + 1) + (value(i + 1, j + 1) - value(i, j + 1)) * fx
            sum += top + (bottom - top) * fy
        }
        let unit = sum / Double(layers.count)
        // Contrast around the middle, as photographs have it.
        return min(max(0.05 + 0.85 * (unit - 0.25) * 2, 0.05), 0.9)
    }
}
