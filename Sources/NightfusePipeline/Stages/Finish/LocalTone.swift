internal import NightfuseCore
internal import NightfuseKernels

/// A tone curve that acts on large shapes and leaves small contrast alone, on a small picture of stops.
///
/// Local Laplacian filter (Paris, Hasinoff and Kautz 2011) in the fast form of Aubry et al. 2014: the pyramid of the
/// result takes each coefficient from the pyramid of the picture remapped about the value that the picture has there.
/// Contrast within one stop of that value is kept, what goes beyond follows the curve; edges make no halos, because
/// none is ever blurred across. Remapped pictures are made for values one stop apart; between them, linear.
///
/// - Parameter stops: log2 of light. Cost: about 16 pyramids of the small picture; deterministic.
func localTone(
    _ stops: Plane<Float>, curve table: [Float], workers: Workers
) throws(NightfuseError) -> Plane<Float> {
    var pyramid = [stops]
    while min(pyramid[pyramid.count - 1].width, pyramid[pyramid.count - 1].height) >= 4 {
        pyramid.append(try halve(pyramid[pyramid.count - 1]))
    }
    let (low, high) = range(stops)
    let count = Int((high - low) / spacing) + 2
    let slots = Slots(count)
    let gaussian = pyramid
    try workers.each(count) { (k) throws(NightfuseError) in
        let middle = low + Float(k) * spacing
        slots[k] = try laplacian(remapped(stops, about: middle, table), levels: gaussian.count)
    }
    let top = gaussian.count - 1
    let result = try map(gaussian[top], table)
    return try collapse(result, gaussian: gaussian, layers: slots, low: low)
}

/// Stops between the values that pictures are remapped about, and the contrast that is kept on either side of them.
private let spacing: Float = 1
private let keptContrast: Float = 1

/// The pyramids of the remapped pictures. Unchecked: each slot is written by one band and read after all are done.
private final class Slots: @unchecked Sendable {
    private var layers: [[Plane<Float>]]
    private let base: UnsafeMutableBufferPointer<[Plane<Float>]>
    init(_ count: Int) {
        layers = []
        base = .allocate(capacity: count)
        base.initialize(repeating: [])
    }
    deinit {
        base.deinitialize()
        base.deallocate()
    }
    subscript(k: Int) -> [Plane<Float>] {
        get { base[k] }
        set { base[k] = newValue }
    }
    var count: Int { base.count }
}

private func range(_ plane: Plane<Float>) -> (Float, Float) {
    var (low, high) = (Float.infinity, -Float.infinity)
    for y in 0..<plane.height {
        let row = plane.row(y)
        for x in 0..<plane.width { (low, high) = (min(low, row[x]), max(high, row[x])) }
    }
    return (low, high)
}

private func map(_ plane: Plane<Float>, _ table: [Float]) throws(NightfuseError) -> Plane<Float> {
    let out = try Plane<Float>(width: plane.width, height: plane.height)
    table.withUnsafeBufferPointer { table in
        for y in 0..<plane.height {
            let (from, to) = (plane.row(y), out.row(y))
            for x in 0..<plane.width { to[x] = ToneCurve.value(table, at: from[x]) }
        }
    }
    return out
}

/// Within `keptContrast` of `middle`: the curve's value there plus the difference. Beyond: the curve, moved so that it
/// joins.
private func remapped(
    _ plane: Plane<Float>, about middle: Float, _ table: [Float]
) throws(NightfuseError) -> Plane<Float> {
    let out = try Plane<Float>(width: plane.width, height: plane.height)
    table.withUnsafeBufferPointer { table in
        for y in 0..<plane.height {
            let (from, to) = (plane.row(y), out.row(y))
            for x in 0..<plane.width {
                let kept = min(max(from[x] - middle, -keptContrast), keptContrast)
                to[x] = ToneCurve.value(table, at: from[x] - kept) + kept
            }
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
            let target = fine.row(y)
            for x in 0..<fine.width { target[x] -= row[x] }
        }
        out.append(fine)
        here = next
    }
    return out
}

private func collapse(
    _ coarsest: Plane<Float>, gaussian: [Plane<Float>], layers: Slots, low: Float
) throws(NightfuseError) -> Plane<Float> {
    var result = coarsest
    for level in stride(from: gaussian.count - 2, through: 0, by: -1) {
        let values = gaussian[level]
        let out = try Plane<Float>(width: values.width, height: values.height)
        let planes = (0..<layers.count).map { layers[$0][level] }
        try doubled(result, width: out.width, height: out.height) { y, row in
            let (value, target) = (values.row(y), out.row(y))
            let rows = planes.map { UnsafePointer($0.row(y)) }
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
