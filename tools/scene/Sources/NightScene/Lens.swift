internal import NightfuseCore

/// What a lens does to bright lights: most of the light stays, a little is spread in ever wider skirts.
enum Lens {
    /// Spread (standard deviation in pixels of a 1600 pixel frame) and share of each skirt.
    private static let skirts: [(sigma: Float, share: Float)] = [(2.2, 0.035), (9, 0.018), (36, 0.013), (120, 0.007)]

    /// Spreads light in place. `scale`: samples a pixel of a 1600 pixel frame.
    static func scatter(_ planes: [Plane<Float>], scale: Float, workers: Workers) throws(NightfuseError) {
        try workers.each(3) { (c) throws(NightfuseError) in
            let plane = planes[c]
            let sharp = try plane.copy()
            let kept = 1 - skirts.reduce(0) { $0 + $1.share }
            for y in 0..<plane.height { for x in 0..<plane.width { plane.mutableRow(y)[x] *= kept } }
            for skirt in skirts { try add(skirt.share, sigma: skirt.sigma * scale, of: sharp, to: plane) }
        }
    }

    private static func add(
        _ share: Float, sigma: Float, of sharp: Plane<Float>, to plane: Plane<Float>
    ) throws(NightfuseError) {
        // Wide skirts are smooth: they are made small and enlarged again.
        var shrink = 1
        while sigma / Float(shrink * 2) > 3, sharp.width / (shrink * 2) > 8, sharp.height / (shrink * 2) > 8 {
            shrink *= 2
        }
        let small = try reduced(sharp, by: shrink)
        // Three boxes in a row come close to a Gaussian of variance 3 (w^2 - 1) / 12.
        let radius = max(1, Int((((4 * sigma * sigma / Float(shrink * shrink)) + 1).squareRoot() - 1) / 2 + 0.5))
        let other = try Plane<Float>(width: small.width, height: small.height)
        for _ in 0..<3 {
            box(small, other, radius, stepX: true)
            box(other, small, radius, stepX: false)
        }
        let s = 1 / Float(shrink)
        for y in 0..<plane.height {
            let row = plane.mutableRow(y)
            let fy = min(max((Float(y) + 0.5) * s - 0.5, 0), Float(small.height - 1))
            let y0 = Int(fy), y1 = min(y0 + 1, small.height - 1)
            let v = fy - Float(y0)
            let (a, b) = (small.row(y0), small.row(y1))
            for x in 0..<plane.width {
                let fx = min(max((Float(x) + 0.5) * s - 0.5, 0), Float(small.width - 1))
                let x0 = Int(fx), x1 = min(x0 + 1, small.width - 1)
                let u = fx - Float(x0)
                row[x] += share * mix(mix(a[x0], a[x1], u), mix(b[x0], b[x1], u), v)
            }
        }
    }

    private static func reduced(_ p: Plane<Float>, by k: Int) throws(NightfuseError) -> Plane<Float> {
        let small = try Plane<Float>(width: (p.width + k - 1) / k, height: (p.height + k - 1) / k)
        for y in 0..<small.height {
            for x in 0..<small.width {
                var sum: Float = 0
                for j in 0..<k {
                    for i in 0..<k { sum += p.row(min(y * k + j, p.height - 1))[min(x * k + i, p.width - 1)] }
                }
                small.mutableRow(y)[x] = sum / Float(k * k)
            }
        }
        return small
    }

    /// Running mean of 2 radius + 1 samples along x or y; edges repeat.
    private static func box(_ from: Plane<Float>, _ to: Plane<Float>, _ radius: Int, stepX: Bool) {
        let (lines, length) = stepX ? (from.height, from.width) : (from.width, from.height)
        let step = stepX ? 1 : from.stride, jump = stepX ? from.stride : 1
        let stepTo = stepX ? 1 : to.stride, jumpTo = stepX ? to.stride : 1
        let scale = 1 / Float(2 * radius + 1)
        for line in 0..<lines {
            let source = from.base + line * jump, target = to.base + line * jumpTo
            var sum: Float = 0
            for i in -radius...radius { sum += source[min(max(i, 0), length - 1) * step] }
            for i in 0..<length {
                target[i * stepTo] = sum * scale
                sum += source[min(i + radius + 1, length - 1) * step] - source[max(i - radius, 0) * step]
            }
        }
    }
}
