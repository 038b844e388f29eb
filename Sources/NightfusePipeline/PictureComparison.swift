#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif
public import NightfuseCore

/// How near a picture is to another that is taken for the truth; all on sRGB-coded values, 0 to 1, over the whole
/// picture.
public struct PictureComparison: Equatable, Sendable {
    /// Peak signal to noise ratio over all samples, dB; 120 (a mean square of 1e-12) where nothing differs.
    public let psnr: Double
    /// Structural similarity, at most 1: uniform windows of 7 x 7 (the largest odd window that fits where a side is
    /// shorter), sample covariance, K1 = 0.01, K2 = 0.03, windows inside the picture only, mean over the colours.
    /// The defaults of scikit-image's `structural_similarity` with `data_range=1`.
    public let ssim: Double
    /// Gradient of the picture over the truth's, mean over the truth's strongest 3 % of edges, both softened by
    /// sigma 0.8: below 1 is softer than the truth. Nil where the truth has no edge.
    public let sharpness: Double?

    /// Compares two pictures of one size. A grey one counts as three equal colours beside a coloured one; another
    /// colour space is brought to sRGB first, what it cannot hold clamped.
    ///
    /// Cost: about 200 operations a sample; memory 24 bytes a pixel beside the pictures.
    /// - Throws: `.argument` where the sizes differ; `.limit` where there is no memory.
    public init(_ picture: Picture, truth: Picture, workers: Workers) throws(NightfuseError) {
        guard picture.width == truth.width, picture.height == truth.height else {
            throw .argument(
                "\(picture.name) is \(picture.width) x \(picture.height), \(truth.name) is "
                    + "\(truth.width) x \(truth.height): pictures to compare need one size")
        }
        let count = picture.isGrey && truth.isGrey ? 1 : 3
        let got = try codedPlanes(of: picture, count: count, workers)
        let want = try codedPlanes(of: truth, count: count, workers)
        var error = 0.0
        var similarity = 0.0
        for channel in 0..<count {
            error += try meanSquare(got[channel], want[channel], workers)
            similarity += try meanSSIM(got[channel], want[channel], workers)
        }
        psnr = -10 * log10(max(error / Double(count), 1e-12))
        ssim = similarity / Double(count)
        sharpness = try edgeRatio(try mean(of: got), try mean(of: want), workers)
    }
}

/// Rows of a band in the loops here: enough work to be worth a thread, small enough to share out.
private let grain = 64

/// The picture's samples as sRGB-coded values, 0 to 1.
private func codedPlanes(of picture: Picture, count: Int, _ workers: Workers) throws(NightfuseError) -> [Plane<Float>] {
    let scale = 1 / Float(picture.maxCode)
    let isSRGB = picture.colour.isNearlySRGB
    let table: [Float] =
        (0...picture.maxCode).map { code in
            let coded = Double(code) / Double(picture.maxCode)
            return isSRGB ? Float(code) * scale : Float(picture.colour.transfer.linear(coded))
        }
    var planes: [Plane<Float>] = []
    for source in try picture.samples.words() {
        let plane = try Plane<Float>(width: picture.width, height: picture.height)
        try workers.bands(picture.height, grain: grain) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let (from, to) = (source.row(y), plane.mutableRow(y))
                for x in 0..<plane.width { to[x] = table[min(Int(from[x]), table.count - 1)] }
            }
        }
        planes.append(plane)
    }
    if !isSRGB { try convertToSRGB(planes, from: picture.colour, workers) }
    return planes.count == 1 && count == 3 ? [planes[0], planes[0], planes[0]] : planes
}

/// Linear light of another colour space to sRGB-coded values, in place.
private func convertToSRGB(
    _ planes: [Plane<Float>], from colour: ColourSpace, _ workers: Workers
) throws(NightfuseError) {
    guard let fromXYZ = ColourSpace.sRGB.toXYZ.inverse else { return }
    let m = (fromXYZ * colour.toXYZ).m
    let (width, height) = (planes[0].width, planes[0].height)
    @Sendable func coded(_ value: Double) -> Float { Float(TransferFunction.sRGB.coded(value)) }
    guard planes.count == 3 else {
        try workers.bands(height, grain: grain) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let grey = planes[0].mutableRow(y)
                for x in 0..<width { grey[x] = coded(Double(grey[x])) }
            }
        }
        return
    }
    try workers.bands(height, grain: grain) { (_, rows) throws(NightfuseError) in
        for y in rows {
            let (r, g, b) = (planes[0].mutableRow(y), planes[1].mutableRow(y), planes[2].mutableRow(y))
            for x in 0..<width {
                let (red, green, blue) = (Double(r[x]), Double(g[x]), Double(b[x]))
                r[x] = coded(m[0] * red + m[1] * green + m[2] * blue)
                g[x] = coded(m[3] * red + m[4] * green + m[5] * blue)
                b[x] = coded(m[6] * red + m[7] * green + m[8] * blue)
            }
        }
    }
}

extension ColourSpace {
    /// Whether numbers mean what they mean in sRGB, to a tenth of an 8-bit step: profiles of sRGB differ in rounding.
    fileprivate var isNearlySRGB: Bool {
        let near = zip(toXYZ.m, ColourSpace.sRGB.toXYZ.m).allSatisfy { abs($0 - $1) < 1e-3 }
        return near
            && (0...64).allSatisfy { i in
                let x = Double(i) / 64
                return abs(TransferFunction.sRGB.coded(transfer.linear(x)) - x) < 1e-3
            }
    }
}

/// Mean of the planes.
private func mean(of planes: [Plane<Float>]) throws(NightfuseError) -> Plane<Float> {
    guard planes.count == 3 else { return planes[0] }
    let result = try Plane<Float>(width: planes[0].width, height: planes[0].height)
    for y in 0..<result.height {
        let (r, g, b, to) = (planes[0].row(y), planes[1].row(y), planes[2].row(y), result.mutableRow(y))
        for x in 0..<result.width { to[x] = (r[x] + g[x] + b[x]) / 3 }
    }
    return result
}

private func meanSquare(_ a: Plane<Float>, _ b: Plane<Float>, _ workers: Workers) throws(NightfuseError) -> Double {
    let sums = try Plane<Double>(width: 1, height: (a.height + grain - 1) / grain)
    try workers.bands(a.height, grain: grain) { (band, rows) throws(NightfuseError) in
        var sum = 0.0
        for y in rows {
            let (p, q) = (a.row(y), b.row(y))
            for x in 0..<a.width {
                let d = Double(p[x]) - Double(q[x])
                sum += d * d
            }
        }
        sums.mutableRow(band)[0] = sum
    }
    return total(sums) / Double(a.width * a.height)
}

private func total(_ sums: Plane<Double>) -> Double {
    var total = 0.0
    for y in 0..<sums.height { total += sums.row(y)[0] }
    return total
}

/// Mean structural similarity of one channel (Wang, Bovik, Sheikh, Simoncelli 2004), windows as
/// ``PictureComparison/ssim`` says.
private func meanSSIM(_ a: Plane<Float>, _ b: Plane<Float>, _ workers: Workers) throws(NightfuseError) -> Double {
    let side = min(a.width, a.height, 7)
    let window = side % 2 == 0 ? side - 1 : side
    let (columns, rows) = (a.width - window + 1, a.height - window + 1)
    let sums = try Plane<Double>(width: 1, height: (rows + grain - 1) / grain)
    try workers.bands(rows, grain: grain) { (band, rows) throws(NightfuseError) in
        let scratch = try Plane<Double>(width: a.width, height: 5)
        var sum = 0.0
        for y in rows {
            columnSums(a, b, from: y, count: window, into: scratch)
            for x in 0..<columns { sum += windowSSIM(scratch, at: x, window) }
        }
        sums.mutableRow(band)[0] = sum
    }
    return total(sums) / Double(columns * rows)
}

/// For each column, the sums of a, b, a a, b b and a b over `count` rows from `y`.
private func columnSums(
    _ a: Plane<Float>, _ b: Plane<Float>, from y: Int, count: Int, into sums: Plane<Double>
) {
    sums.fill(0)
    let (sa, sb, saa, sbb, sab) = (
        sums.mutableRow(0), sums.mutableRow(1), sums.mutableRow(2), sums.mutableRow(3), sums.mutableRow(4)
    )
    for row in y..<y + count {
        let (p, q) = (a.row(row), b.row(row))
        for x in 0..<a.width {
            let (u, v) = (Double(p[x]), Double(q[x]))
            sa[x] += u
            sb[x] += v
            saa[x] += u * u
            sbb[x] += v * v
            sab[x] += u * v
        }
    }
}

private func windowSSIM(_ sums: Plane<Double>, at x: Int, _ window: Int) -> Double {
    var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
    let (sa, sb, saa, sbb, sab) = (sums.row(0), sums.row(1), sums.row(2), sums.row(3), sums.row(4))
    for i in x..<x + window {
        a += sa[i]
        b += sb[i]
        aa += saa[i]
        bb += sbb[i]
        ab += sab[i]
    }
    let count = Double(window * window)
    // Sample covariance; a window of one sample has none.
    let unbiased = count > 1 ? count / (count - 1) : 0
    (a, b) = (a / count, b / count)
    let varianceA = unbiased * (aa / count - a * a)
    let varianceB = unbiased * (bb / count - b * b)
    let covariance = unbiased * (ab / count - a * b)
    let (c1, c2) = (0.01 * 0.01, 0.03 * 0.03)
    return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
}

/// Mean ratio of gradients where the truth's is above its 97th percentile; nil where there is no such place.
private func edgeRatio(
    _ got: Plane<Float>, _ want: Plane<Float>, _ workers: Workers
) throws(NightfuseError) -> Double? {
    guard want.width > 1, want.height > 1 else { return nil }
    let wanted = try gradient(try softened(want, workers), workers)
    let found = try gradient(try softened(got, workers), workers)
    let limit = percentile97(wanted)
    var sum = 0.0
    var count = 0
    for y in 0..<wanted.height {
        let (p, q) = (found.row(y), wanted.row(y))
        for x in 0..<wanted.width where Double(q[x]) > limit {
            sum += Double(p[x]) / Double(q[x])
            count += 1
        }
    }
    return count == 0 ? nil : sum / Double(count)
}

/// Gaussian of sigma 0.8 over seven samples each way, mirrored at the edges without repeating the edge sample.
private func softened(_ plane: Plane<Float>, _ workers: Workers) throws(NightfuseError) -> Plane<Float> {
    let bell = (-3...3).map { exp(-Double($0 * $0) / (2 * 0.8 * 0.8)) }
    let taps = bell.map { Float($0 / bell.reduce(0, +)) }
    let down = try Plane<Float>(width: plane.width, height: plane.height)
    let result = try Plane<Float>(width: plane.width, height: plane.height)
    try workers.bands(plane.height, grain: grain) { (_, rows) throws(NightfuseError) in
        for y in rows {
            let (middle, to) = (down.mutableRow(y), result.mutableRow(y))
            for (i, tap) in taps.enumerated() {
                let from = plane.row(mirrored(y + i - 3, plane.height))
                for x in 0..<plane.width { middle[x] += tap * from[x] }
            }
            for x in 0..<plane.width {
                var sum: Float = 0
                for i in 0..<7 { sum += taps[i] * middle[mirrored(x + i - 3, plane.width)] }
                to[x] = sum
            }
        }
    }
    return result
}

/// Index `i` folded back into `0 ..< count`: -1 is 1, `count` is `count - 2`.
private func mirrored(_ i: Int, _ count: Int) -> Int {
    if i >= 0, i < count { return i }
    if count == 1 { return 0 }
    let period = 2 * (count - 1)
    let folded = ((i % period) + period) % period
    return folded < count ? folded : period - folded
}

/// Length of the gradient: central differences, one-sided at the edges. Both sides must be longer than 1.
private func gradient(_ plane: Plane<Float>, _ workers: Workers) throws(NightfuseError) -> Plane<Float> {
    let result = try Plane<Float>(width: plane.width, height: plane.height)
    let (width, height) = (plane.width, plane.height)
    try workers.bands(height, grain: grain) { (_, rows) throws(NightfuseError) in
        for y in rows {
            let (top, bottom) = (max(y - 1, 0), min(y + 1, height - 1))
            let (above, here, below, to) = (plane.row(top), plane.row(y), plane.row(bottom), result.mutableRow(y))
            let vertical = 1 / Float(bottom - top)
            for x in 0..<width {
                let (left, right) = (max(x - 1, 0), min(x + 1, width - 1))
                let dx = (here[right] - here[left]) / Float(right - left)
                let dy = (below[x] - above[x]) * vertical
                to[x] = (dx * dx + dy * dy).squareRoot()
            }
        }
    }
    return result
}

/// The value that 97 % of the samples do not pass, interpolated between ranks.
private func percentile97(_ plane: Plane<Float>) -> Double {
    var values: [Float] = []
    values.reserveCapacity(plane.width * plane.height)
    for y in 0..<plane.height { values += plane.samples(y) }
    let rank = 0.97 * Double(values.count - 1)
    let low = Int(rank)
    select(low, in: &values)
    let next = values[(low + 1)...].min() ?? values[low]
    return Double(values[low]) + (Double(next) - Double(values[low])) * (rank - Double(low))
}

/// Orders `values` so far that rank `k` stands in its place, nothing smaller after it (Hoare 1961).
private func select(_ k: Int, in values: inout [Float]) {
    var (low, high) = (0, values.count - 1)
    while low < high {
        let pivot = values[(low + high) / 2]
        var (i, j) = (low, high)
        while i <= j {
            while values[i] < pivot { i += 1 }
            while values[j] > pivot { j -= 1 }
            if i <= j {
                values.swapAt(i, j)
                i += 1
                j -= 1
            }
        }
        if k <= j { high = j } else if k >= i { low = i } else { return }
    }
}
