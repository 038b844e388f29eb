internal import NightfuseCodecs
internal import NightfuseCore
internal import NightfuseKernels
internal import NightfuseTestSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Linear light of a scene at four samples a pixel each way, 1 = white, so that any warp of it can be rendered.
struct FineScene {
    /// Samples a pixel of the frames, each way.
    static let fine = 4
    /// Pixels around the frame that a camera may turn to.
    static let margin = 64
    static let mostWidth = 512
    static let mostHeight = 384

    let name: String
    let planes: [Plane<Float>]

    /// Size of the frames taken of it.
    var width: Int { planes[0].width / Self.fine - 2 * Self.margin }
    var height: Int { planes[0].height / Self.fine - 2 * Self.margin }

    /// A clean photograph: reduced by a whole number, its middle cut out and enlarged.
    init(photo path: String, workers: Workers) throws(NightfuseError) {
        let bytes = try FileAccess.read(FilePath(path), limits: Limits())
        let picture = try decodePicture(bytes, name: path, limits: Limits())
        let (fullWidth, fullHeight) = (Self.mostWidth + 2 * Self.margin, Self.mostHeight + 2 * Self.margin)
        let shrink = max(1, min(picture.width / fullWidth, picture.height / fullHeight))
        // Whole multiples of eight pixels, so that no stage meets a ragged edge.
        let width = min(picture.width / shrink, fullWidth) & ~7
        let height = min(picture.height / shrink, fullHeight) & ~7
        guard width >= 2 * Self.margin + 128, height >= 2 * Self.margin + 96 else {
            throw .unsupported(path, "\(picture.width) x \(picture.height) pixels: too small, 256 x 224 are wanted")
        }
        name = String(path.split(separator: "/").last ?? "")
        let left = (picture.width / shrink - width) / 2
        let top = (picture.height / shrink - height) / 2
        let table = (0...picture.maxCode).map {
            Float(picture.colour.transfer.linear(Double($0) / Double(picture.maxCode)))
        }
        var planes: [Plane<Float>] = []
        for c in 0..<3 {
            let codes = picture.planes[picture.isGrey ? 0 : c]
            let small = try Plane<Float>(width: width, height: height)
            for y in 0..<height {
                for x in 0..<width {
                    var sum: Float = 0
                    for j in 0..<shrink {
                        let row = codes.row((top + y) * shrink + j) + (left + x) * shrink
                        for i in 0..<shrink { sum += table[Int(row[i])] }
                    }
                    small.mutableRow(y)[x] = sum / Float(shrink * shrink)
                }
            }
            planes.append(try Self.enlarged(small, workers: workers))
        }
        self.planes = planes
    }

    private static func enlarged(_ small: Plane<Float>, workers: Workers) throws(NightfuseError) -> Plane<Float> {
        let out = try Plane<Float>(width: small.width * fine, height: small.height * fine)
        let source = try PaddedPlane(small)
        let kernel = InterpolationKernel.lanczos(lobes: 4)
        func places(_ count: Int) -> [Float] { (0..<count).map { (Float($0) + 0.5) / Float(fine) - 0.5 } }
        let xs = places(out.width)
        let rows = places(out.height)
        try workers.bands(out.height, grain: 32) { (_, band) in
            for y in band {
                let ys = [Float](repeating: rows[y], count: xs.count)
                source.sample(xs, ys, kernel: kernel, into: out.mutableRow(y))
                for x in 0..<out.width { out.mutableRow(y)[x] = min(max(out.row(y)[x], 0), 1) }
            }
        }
        return out
    }

    /// Leaves: discs of all sizes, each with a tone, a tint and a weave of its own, laid over one another; the number of
    /// discs falls with the cube of their radius, which gives the statistics of photographs at every scale (Lee, Mumford
    /// and Huang, "Occlusion models for natural images", 2001). A lens blurs them by half a pixel.
    init(leavesSeed seed: UInt64, workers: Workers) throws(NightfuseError) {
        name = "leaves"
        let width = (Self.mostWidth + 2 * Self.margin) * Self.fine
        let height = (Self.mostHeight + 2 * Self.margin) * Self.fine
        var planes: [Plane<Float>] = []
        for _ in 0..<3 { planes.append(try Plane(width: width, height: height)) }
        for plane in planes { plane.fill(0.3) }
        var random = SeededRandom(seed: seed)
        // Radii of 1.5 to 80 pixels.
        let (least, most) = (1.5 * Double(Self.fine), 80 * Double(Self.fine))
        for _ in 0..<24_000 {
            let u = random.uniform()
            // Density r^-3: 1 / r^2 is uniform.
            let r = 1 / (1 / (least * least) * (1 - u) + u / (most * most)).squareRoot()
            let (cx, cy) = (random.uniform() * Double(width), random.uniform() * Double(height))
            let tone = 0.3 * exp(0.9 * random.normal())
            let tint = (0..<3).map { _ in Float(min(tone * exp(0.25 * random.normal()), 1)) }
            let weave = 0.15 * random.uniform()
            let (angle, length) = (random.uniform() * .pi, Double(Self.fine) * (3 + 6 * random.uniform()))
            let (kx, ky) = (2 * .pi / length * cos(angle), 2 * .pi / length * sin(angle))
            for y in max(Int(cy - r), 0)..<min(max(Int(cy + r) + 1, 0), height) {
                let dy = Double(y) - cy
                let reach = r * r - dy * dy
                guard reach > 0 else { continue }
                let half = reach.squareRoot()
                let (x0, x1) = (max(Int((cx - half).rounded(.up)), 0), min(Int((cx + half).rounded(.up)), width))
                guard x0 < x1 else { continue }
                for x in x0..<x1 {
                    let light = Float(1 + weave * cos(kx * Double(x) + ky * Double(y)))
                    for c in 0..<3 { planes[c].mutableRow(y)[x] = min(tint[c] * light, 1) }
                }
            }
        }
        // Eight passes of variance 1/2: a standard deviation of two samples.
        let other = try Plane<Float>(width: width, height: height)
        for plane in planes {
            for _ in 0..<4 {
                try smoothBinomial(plane, into: other, workers: workers)
                try smoothBinomial(other, into: plane, workers: workers)
            }
        }
        self.planes = planes
    }
}

/// A copy of a plane with its edges repeated, to be sampled anywhere.
struct PaddedPlane: Sendable {
    private static let pad = 8
    private let plane: Plane<Float>
    private let width: Int
    private let height: Int

    init(_ source: Plane<Float>) throws(NightfuseError) {
        (width, height) = (source.width, source.height)
        plane = try Plane(width: width + 2 * Self.pad, height: height + 2 * Self.pad)
        for y in 0..<plane.height {
            let from = source.row(min(max(y - Self.pad, 0), height - 1))
            let to = plane.mutableRow(y)
            for x in 0..<plane.width { to[x] = from[min(max(x - Self.pad, 0), width - 1)] }
        }
    }

    /// Samples at positions in the source's own coordinates; those far outside count as the edge.
    func sample(
        _ xs: [Float], _ ys: [Float], kernel: InterpolationKernel, into out: MutableRow<Float>
    ) {
        let (px, py) = (xs.map { held($0, width) }, ys.map { held($0, height) })
        px.withRow { px in
            py.withRow { py in
                resampleRow(
                    [Row(plane.base)], stride: plane.stride, xs: px, ys: py, count: xs.count, kernel: kernel,
                    outputs: [out])
            }
        }
    }

    private func held(_ v: Float, _ size: Int) -> Float {
        min(max(v, -3), Float(size + 2)) + Float(Self.pad)
    }
}
