internal import NightfuseCore
internal import NightfuseKernels
internal import NightfusePipeline
internal import NightfuseTestSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A burst without noise of which everything is known: where every point of the first frame lies in every other, what
/// hides it, and what each frame would show.
struct KnownBurst {
    /// What a point of the first frame shows.
    enum Part { case still, mover, edge }

    let width: Int
    let height: Int
    /// Clean linear light of every frame, 1 = the scene's white.
    let clean: [[Plane<Float>]]
    /// From pixels of the first frame to those of each.
    let motion: [Matrix3]
    /// The mover's middle in each, in pixels of the first frame: it is a disc that goes straight.
    private let middles: [(x: Double, y: Double)]
    private let radius: Double

    /// - Parameter count: frames.
    init(_ scene: FineScene, seed: UInt64, count: Int, workers: Workers) throws(NightfuseError) {
        (width, height) = (scene.width, scene.height)
        var random = SeededRandom(seed: seed &* 7919 &+ 11)
        let (w, h) = (Double(width), Double(height))
        radius = 0.09 * min(w, h)
        let from = (
            x: w * (0.1 + 0.8 * random.uniform()), y: h * (0.1 + 0.8 * random.uniform())
        )
        let start = (x: w * (0.3 + 0.4 * random.uniform()), y: h * (0.3 + 0.4 * random.uniform()))
        // A walker's 2 to 6 pixels a frame.
        let (heading, speed) = (2 * .pi * random.uniform(), 2 + 4 * random.uniform())
        middles = (0..<count).map {
            (start.x + speed * cos(heading) * Double($0), start.y + speed * sin(heading) * Double($0))
        }
        motion = Self.hand(&random, count: count, width: w, height: h)
        let source = try Source(scene, workers: workers)
        var clean: [[Plane<Float>]] = []
        for i in 0..<count {
            let disc = Disc(x: middles[i].x, y: middles[i].y, fromX: from.x, fromY: from.y, radius: radius)
            clean.append(
                try source.frame(motion[i].inverse ?? .identity, disc, width: width, height: height, workers: workers))
        }
        self.clean = clean
    }

    /// Drift and shake of a couple of pixels a frame, a turn of a tenth of a degree a frame, and what a camera that pans
    /// does to perspective.
    private static func hand(_ random: inout SeededRandom, count: Int, width: Double, height: Double) -> [Matrix3] {
        let drift = (x: 2 * random.normal(), y: 2 * random.normal(), roll: 0.12 * random.normal())
        var (x, y, roll) = (0.0, 0.0, 0.0)
        let (cx, cy) = ((width - 1) / 2, (height - 1) / 2)
        let f = width
        return (0..<count).map { i in
            if i == 0 { return .identity }
            x += drift.x + random.normal()
            y += drift.y + random.normal()
            roll += drift.roll + 0.06 * random.normal()
            // A camera's pan shifts the picture and, with a lens as long as the frame is wide, bends it.
            let (pan, nod) = (x / f, y / f)
            let (c, s) = (cos(roll * .pi / 180), sin(roll * .pi / 180))
            let centre = Matrix3([1, 0, -cx, 0, 1, -cy, 0, 0, 1])
            let back = Matrix3([1, 0, cx, 0, 1, cy, 0, 0, 1])
            let turn = Matrix3([c, -s, 0, s, c, 0, 0, 0, 1])
            let right = Matrix3([cos(pan), 0, f * sin(pan), 0, 1, 0, -sin(pan) / f, 0, cos(pan)])
            let down = Matrix3([1, 0, 0, 0, cos(nod), f * sin(nod), 0, -sin(nod) / f, cos(nod)])
            return back * (right * (down * (turn * centre)))
        }
    }

    static func apply(_ m: Matrix3, _ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let w = m.m[6] * x + m.m[7] * y + m.m[8]
        return ((m.m[0] * x + m.m[1] * y + m.m[2]) / w, (m.m[3] * x + m.m[4] * y + m.m[5]) / w)
    }

    private func distance(_ x: Double, _ y: Double, frame: Int) -> Double {
        hypot(x - middles[frame].x, y - middles[frame].y)
    }

    /// What pixel (x, y) of the first frame shows; within two pixels of the mover's edge, neither.
    func part(_ x: Int, _ y: Int) -> Part {
        let d = distance(Double(x), Double(y), frame: 0)
        return d > radius + 2 ? .still : d < radius - 2 ? .mover : .edge
    }

    /// Where pixel (x, y) of the first frame lies in another; the edge of the mover goes with it.
    func position(_ x: Int, _ y: Int, frame: Int) -> (x: Double, y: Double) {
        var (u, v) = (Double(x), Double(y))
        if part(x, y) != .still {
            u += middles[frame].x - middles[0].x
            v += middles[frame].y - middles[0].y
        }
        return Self.apply(motion[frame], u, v)
    }

    /// Whether another frame shows what pixel (x, y) of the first shows.
    func isSeen(_ x: Int, _ y: Int, frame: Int) -> Bool {
        let p = position(x, y, frame: frame)
        guard p.x >= 0, p.y >= 0, p.x <= Double(width - 1), p.y <= Double(height - 1) else { return false }
        return part(x, y) != .still || distance(Double(x), Double(y), frame: frame) > radius + 2
    }

    /// The true alignment, as well as an alignment field can hold it: tiles of the mover have its way.
    func field(frame: Int) -> AlignmentField {
        let centre = ((Double(width) - 1) / 2, (Double(height) - 1) / 2)
        let half = Double(max(width, height)) / 2
        let to = Matrix3([half, 0, centre.0, 0, half, centre.1, 0, 0, 1])
        let m = (to.inverse ?? .identity) * (motion[frame] * to)
        var field = AlignmentField(
            homography: Homography(m.m.map { $0 / m.m[8] }), width: width, height: height)
        field.spacing = TileAlignment.spacing(base: LumaPyramid.baseLevel(width: width, height: height))
        field.columns = (width + field.spacing - 1) / field.spacing
        field.rows = (height + field.spacing - 1) / field.spacing
        for row in 0..<field.rows {
            for column in 0..<field.columns {
                let x = min(column * field.spacing + field.spacing / 2, width - 1)
                let y = min(row * field.spacing + field.spacing / 2, height - 1)
                let (p, q) = (position(x, y, frame: frame), field.global(Double(x), Double(y)))
                field.localX.append(part(x, y) == .still ? 0 : Float(p.x - q.x))
                field.localY.append(part(x, y) == .still ? 0 : Float(p.y - q.y))
            }
        }
        return field
    }

    /// A disc cut out of the scene elsewhere.
    private struct Disc {
        var x, y, fromX, fromY, radius: Double
    }

    /// Renders frames: the mean over 4 x 4 points of every pixel.
    private struct Source {
        let planes: [PaddedPlane]
        let kernel = InterpolationKernel.lanczos(lobes: 3)

        init(_ scene: FineScene, workers: Workers) throws(NightfuseError) {
            var planes: [PaddedPlane] = []
            for plane in scene.planes { planes.append(try PaddedPlane(plane)) }
            self.planes = planes
        }

        func frame(
            _ toScene: Matrix3, _ disc: Disc, width: Int, height: Int, workers: Workers
        ) throws(NightfuseError) -> [Plane<Float>] {
            var out: [Plane<Float>] = []
            for _ in 0..<3 { out.append(try Plane(width: width, height: height)) }
            let result = out
            try workers.bands(height, grain: 8) { (_, rows) in
                for y in rows { self.addRow(y, toScene, disc, result) }
            }
            return result
        }

        private func addRow(_ y: Int, _ toScene: Matrix3, _ disc: Disc, _ out: [Plane<Float>]) {
            let fine = FineScene.fine
            let count = out[0].width * fine
            let offset = Double(FineScene.margin)
            func sample(_ v: Double) -> Float { Float((v + offset + 0.5) * Double(fine) - 0.5) }
            for j in 0..<fine {
                let v = Double(y) + (Double(j) + 0.5) / Double(fine) - 0.5
                var (xs, ys) = ([Float](repeating: 0, count: count), [Float](repeating: 0, count: count))
                var (us, vs, cover) = (xs, xs, xs)
                var isCovered = false
                for i in 0..<count {
                    let u = (Double(i) + 0.5) / Double(fine) - 0.5
                    let p = KnownBurst.apply(toScene, u, v)
                    (xs[i], ys[i]) = (sample(p.x), sample(p.y))
                    let (dx, dy) = (p.x - disc.x, p.y - disc.y)
                    // An edge a pixel wide.
                    cover[i] = Float(min(max(disc.radius - hypot(dx, dy) + 0.5, 0), 1))
                    if cover[i] > 0 { isCovered = true }
                    (us[i], vs[i]) = (sample(disc.fromX + dx), sample(disc.fromY + dy))
                }
                var (still, moving) = (xs, xs)
                for c in 0..<3 {
                    still.withMutableRow {
                        planes[c].sample(xs, ys, kernel: kernel, into: $0)
                    }
                    if isCovered {
                        moving.withMutableRow {
                            planes[c].sample(us, vs, kernel: kernel, into: $0)
                        }
                    }
                    let row = out[c].mutableRow(y)
                    for i in 0..<count {
                        let light = isCovered ? still[i] + (moving[i] - still[i]) * cover[i] : still[i]
                        row[i / fine] += max(light, 0) / Float(fine * fine)
                    }
                }
            }
        }
    }
}
