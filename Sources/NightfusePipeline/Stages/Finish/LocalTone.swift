internal import NightfuseCore
internal import NightfuseKernels

/// The large shapes of a small picture of stops: small contrast smoothed away, edges left exactly where and as high as
/// they are. A tone curve read there acts on shapes and leaves small contrast alone.
///
/// Local Laplacian filter (Paris, Hasinoff and Kautz 2011) in the fast form of Aubry et al. 2014: the pyramid of the
/// result takes each coefficient from the pyramid of the picture remapped about the value that the picture has there.
/// The remapping flattens what is near that value and keeps what is far (see `remapped`); for edges it is the identity
/// on both sides, so that nothing bleeds across and no halo can come. To remap by the tone curve itself, as is usual,
/// was tried: where the curve bends, coarse levels that mix both sides of an edge left broad halos of 2 to 4 %.
///
/// - Parameter stops: log2 of light. Cost: some 16 pyramids of the small picture; the same for any number of threads.
func largeShapes(_ stops: Plane<Float>, workers: Workers) throws(NightfuseError) -> Plane<Float> {
    var pyramid = [stops]
    while min(pyramid[pyramid.count - 1].width, pyramid[pyramid.count - 1].height) >= 4 {
        pyramid.append(try halve(pyramid[pyramid.count - 1]))
    }
    let (low, high) = range(stops)
    let count = Int((high - low) / spacing) + 2
    let slots = BandResults<[Plane<Float>]>(count, [])
    let gaussian = pyramid
    try workers.each(count) { (k) throws(NightfuseError) in
        let middle = low + Float(k) * spacing
        slots.put(k, try laplacian(remapped(stops, about: middle), levels: gaussian.count))
    }
    return try collapse(gaussian[gaussian.count - 1], gaussian: gaussian, layers: slots.all, low: low)
}

/// Stops between the values that pictures are remapped about.
private let spacing: Float = 0.75
/// Contrast (stops) up to which a difference is small and smoothed away; from three times that on it is an edge.
private let smallContrast: Float = 0.5

private func range(_ plane: Plane<Float>) -> (Float, Float) {
    var (low, high) = (Float.infinity, -Float.infinity)
    for y in 0..<plane.height {
        let row = plane.row(y)
        for x in 0..<plane.width { (low, high) = (min(low, row[x]), max(high, row[x])) }
    }
    return (low, high)
}

/// `middle` within `smallContrast` of it, the picture itself beyond three times that, a straight ramp of slope 1.5
/// between: steeper would turn gradients round where the curve compresses most.
private func remapped(_ plane: Plane<Float>, about middle: Float) throws(NightfuseError) -> Plane<Float> {
    let out = try Plane<Float>(width: plane.width, height: plane.height)
    for y in 0..<plane.height {
        let (from, to) = (plane.row(y), out.mutableRow(y))
        for x in 0..<plane.width {
            let d = from[x] - middle
            let size = abs(d)
            let kept = min(max(1.5 * (size - smallContrast), 0), size)
            to[x] = middle + (d < 0 ? -kept : kept)
        }
    }
    return out
}

/// The differences of a picture's pyramid; the coarsest level, which the caller has its own of, is left out.
private func laplacian(_ picture: Plane<Float>, levels: Int) throws(NightfuseError) -> [Plane<Float>] {
    var out = [Plane<Float>]()
    var here = picture
    for _ in 1..<max(levels, 1) {
        let next = try halve(here)
        let fine = here
        try doubled(next, width: here.width, height: here.height) { y, row in
            let target = fine.mutableRow(y)
            for x in 0..<fine.width { target[x] -= row[x] }
        }
        out.append(fine)
        here = next
    }
    return out
}

private func collapse(
    _ coarsest: Plane<Float>, gaussian: [Plane<Float>], layers: [[Plane<Float>]], low: Float
) throws(NightfuseError) -> Plane<Float> {
    var result = coarsest
    for level in stride(from: gaussian.count - 2, through: 0, by: -1) {
        let values = gaussian[level]
        let out = try Plane<Float>(width: values.width, height: values.height)
        let planes = (0..<layers.count).map { layers[$0][level] }
        defer { withExtendedLifetime(planes) {} }
        try doubled(result, width: out.width, height: out.height) { y, row in
            let (value, target) = (values.row(y), out.mutableRow(y))
            let rows = planes.map { $0.row(y) }
            for x in 0..<out.width {
                let p = (value[x] - low) / spacing
                let k = min(max(Int(p), 0), rows.count - 2)
                let share = p - Float(k)
                target[x] = row[x] + rows[k][x] + (rows[k + 1][x] - rows[k][x]) * share
            }
        }
        result = out
    }
    return result
}
