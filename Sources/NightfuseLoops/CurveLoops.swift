internal import CShuffles
package import NightfuseCore

// Rows through curves that are kept as tables; the stages of the same names say what they are.

private typealias V = SIMD8<Float>

package func stabiliseRow(
    _ curve: StabiliserArguments, _ input: Row<Float>, scale: Float, count: Int,
    into out: MutableRow<Float>
) {
    let (floor, ceiling, last) = (curve.floor, curve.ceiling, Float(curve.last))
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let value = load(input + x) * scale
        let held = nfk_lesser(nfk_greater(value, V(repeating: floor)), V(repeating: ceiling))
        let position = nfk_root(held - floor) * curve.scale
        let k = nfk_truncated(nfk_lesser(position, V(repeating: last)))
        let found = lookUp(curve.table, k)
        let inside = found.first + (found.second - found.first) * (position - nfk_as_floats(k))
        let slope = V(repeating: curve.slopeAbove).replacing(with: curve.slopeBelow, where: value .< held)
        store(inside + (value - held) * slope, out + x)
    }
    for x in vectors..<count {
        let value = input[x] * scale
        let held = min(max(value, floor), ceiling)
        let position = (held - floor).squareRoot() * curve.scale
        let k = Int(Int32(min(position, last)))
        let inside = curve.table[k] + (curve.table[k + 1] - curve.table[k]) * (position - Float(k))
        out[x] = inside + (value - held) * (value < held ? curve.slopeBelow : curve.slopeAbove)
    }
}

package func frameLevels(
    _ variances: Row<Float>, last: Int, size: Int, count: Int, offsets: MutableRow<Int32>,
    rises: MutableRow<Float>
) {
    let (last, size) = (Int32(last), Int32(size))
    for x in 0..<count {
        let frames = 1 / min(max(variances[x], 1e-6), 1)
        // The exponent of a number not below one is the level; what is above it, over it, is the share of the way.
        let level = min(Int32(bitPattern: frames.bitPattern >> 23) &- 127, last)
        let low = Float(bitPattern: UInt32(bitPattern: level &+ 127) << 23)
        offsets[x] = level &* size
        rises[x] = min(frames / low - 1, 1)
    }
}

package func unbiasRow(
    _ tables: Row<Float>, size: Int, top: Float, offsets: Row<Int32>, rises: Row<Float>,
    count: Int, row: MutableRow<Float>
) {
    let (scale, last) = (Float(size - 1) / top, Float(size - 2))
    let next = tables + size
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let position = nfk_lesser(nfk_greater(load(row + x), V()), V(repeating: top)) * scale
        let k = nfk_truncated(nfk_lesser(position, V(repeating: last)))
        let t = position - nfk_as_floats(k)
        let at = k &+ load(offsets + x)
        let (low, high) = (lookUp(tables, at), lookUp(next, at))
        let first = low.first + (low.second - low.first) * t
        let second = high.first + (high.second - high.first) * t
        store(first + (second - first) * load(rises + x), row + x)
    }
    for x in vectors..<count {
        let position = min(max(row[x], 0), top) * scale
        let k = Int(Int32(min(position, last)))
        let t = position - Float(k)
        let (a, b) = (tables + Int(offsets[x]) + k, next + Int(offsets[x]) + k)
        let first = a[0] + (a[1] - a[0]) * t
        let second = b[0] + (b[1] - b[0]) * t
        row[x] = first + (second - first) * rises[x]
    }
}

package func addBlockWeights(_ a: BlockWeightArguments) -> Float {
    let (first, second) = a.inside
    let (trust, share) = (a.trust, a.ratio)
    let (pairs, count) = (a.width / 2, (a.width + 1) / 2)
    for x in 0..<pairs { trust[x] *= (first[2 * x] * first[2 * x + 1]) * (second[2 * x] * second[2 * x + 1]) }
    if count > pairs { trust[pairs] *= first[2 * pairs] * second[2 * pairs] }
    for x in 0..<count { share[x] *= trust[x] }
    for x in 0..<count { a.weight[x] += share[x] }
    for x in 0..<count { a.weight2[x] += share[x] * trust[x] }
    if let other = a.other { for x in 0..<count { other[x] += share[x] } }
    var totals = V()
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) { totals += load(trust + x) }
    var total = laneSum(totals)
    for x in vectors..<count { total += trust[x] }
    return total
}

package func encodeRow(
    _ table: TransferArguments, _ light: Row<Float>, count: Int, phase first: UInt32, phaseStep: UInt32,
    into codes: MutableRow<UInt16>
) {
    let base = table.lowest.bitPattern >> table.shift
    let mask = (UInt32(1) << table.shift) - 1
    let scale = 1 / Float(UInt32(1) << table.shift)
    let step = table.dithers ? phaseStep : 0
    let lanes = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7) &* step
    var phase = first
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let value = load(light + x)
        let held = nfk_lesser(nfk_greater(value, V(repeating: table.lowest)), V(repeating: 1))
        let bits = bits(of: held)
        let at = SIMD8<Int32>(truncatingIfNeeded: (bits &>> table.shift) &- base)
        let share = nfk_as_floats(SIMD8<Int32>(truncatingIfNeeded: bits & mask)) * scale
        let found = lookUp(table.points, at)
        var coded = found.first + (found.second - found.first) * share
        if table.dithers {
            let here = lanes &+ phase
            // Up and down again in equal steps: without the fold the sequence's jumps show as lines.
            let fold = (here &<< 1) ^ (SIMD8<UInt32>(repeating: 0) &- (here &>> 31))
            coded += nfk_as_floats(SIMD8<Int32>(truncatingIfNeeded: fold &>> 16)) * 0x1p-16
        } else {
            coded += 0.5
        }
        // Eight words.
        unsafe nfk_store_words(nfk_truncated(V().replacing(with: coded, where: value .> V())), (codes + x).pointer(8))
        phase = phase &+ 8 &* step
    }
    for x in vectors..<count {
        let held = min(max(light[x], table.lowest), 1)
        let bits = held.bitPattern
        let i = Int((bits >> table.shift) &- base)
        let share = Float(bits & mask) * scale
        let coded = table.points[i] + (table.points[i + 1] - table.points[i]) * share
        let fold = phase < 0x8000_0000 ? phase << 1 : ~(phase << 1)
        let threshold = table.dithers ? Float(fold >> 16) * 0x1p-16 : 0.5
        codes[x] = light[x] > 0 ? UInt16(truncatingIfNeeded: Int32(coded + threshold)) : 0
        phase = phase &+ step
    }
}
