internal import CShuffles
package import NightfuseCore

// Rows of raw frames; the kernels of the same names say what the loops do.

private typealias V = SIMD8<Float>

/// Eight samples of 16 bits.
@inline(__always)
private func loadWords(_ p: UnsafePointer<UInt16>) -> V { nfk_load_words(p) }

/// Two values by turns.
@inline(__always)
private func byTurns(_ pair: (Float, Float)) -> V { V(pair.0, pair.1, pair.0, pair.1, pair.0, pair.1, pair.0, pair.1) }

package func sensorLightRow(
    _ samples: UnsafePointer<UInt16>, black: UnsafePointer<Float>, factor: UnsafePointer<Float>, ceiling: Float,
    count: Int, into out: UnsafeMutablePointer<Float>
) {
    let top = V(repeating: ceiling)
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        store(nfk_lesser((loadWords(samples + x) - load(black + x)) * load(factor + x), top), out + x)
    }
    for x in vectors..<count { out[x] = min((Float(samples[x]) - black[x]) * factor[x], ceiling) }
}

package func lowerRow(
    _ row: UnsafeMutablePointer<Float>, by offsets: (Float, Float), below clip: Float, count: Int
) {
    let (both, zero) = (byTurns(offsets), V())
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let value = load(row + x)
        store(value - zero.replacing(with: both, where: value .< clip), row + x)
    }
    for x in vectors..<count where row[x] < clip { row[x] -= x & 1 == 0 ? offsets.0 : offsets.1 }
}

package func stabiliseRow(_ row: UnsafeMutablePointer<Float>, _ curve: LightCurve, count: Int) {
    let (read, readSquared, shot) = (curve.read, curve.read * curve.read, curve.bend * 4)
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let m = load(row + x)
        let sigma = nfk_root(nfk_multiply_add(nfk_greater(m, V()), V(repeating: shot), V(repeating: readSquared)))
        store((m + m) / (sigma + read), row + x)
    }
    for x in vectors..<count {
        let m = row[x]
        row[x] = (m + m) / ((max(m, 0) * shot + readSquared).squareRoot() + read)
    }
}

package func lightRow(
    _ codes: UnsafePointer<UInt16>, _ curve: LightCurve, black: Float, count: Int, into out: UnsafeMutablePointer<Float>
) {
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) { store(light(codes + x, curve) - black, out + x) }
    for x in vectors..<count { out[x] = curve.light(codes[x]) - black }
}

package func lumaRow(
    _ red: UnsafePointer<UInt16>, _ green: UnsafePointer<UInt16>, _ blue: UnsafePointer<UInt16>, _ curve: LightCurve,
    black: Float, adds: Bool, count: Int, into out: UnsafeMutablePointer<Float>
) {
    let vectors = count & ~7
    for x in stride(from: 0, to: vectors, by: 8) {
        let g = light(green + x, curve)
        let sum = (light(red + x, curve) + (g + g) + light(blue + x, curve)) - black
        store(adds ? load(out + x) + sum : sum, out + x)
    }
    for x in vectors..<count {
        let sum = (curve.light(red[x]) + 2 * curve.light(green[x]) + curve.light(blue[x])) - black
        out[x] = adds ? out[x] + sum : sum
    }
}

@inline(__always)
private func light(_ codes: UnsafePointer<UInt16>, _ curve: LightCurve) -> V {
    let u = nfk_multiply_add(loadWords(codes), V(repeating: curve.step), V(repeating: curve.first))
    let above = nfk_greater(u, V())
    return nfk_multiply_add(above * above, V(repeating: curve.bend), u * curve.read)
}

// MARK: Demosaic

/// Of the rows above, here and below.
package typealias DifferenceRows = (MosaicArguments.Input, MosaicArguments.Input, MosaicArguments.Input)

package func mosaicDifferenceRow(_ a: MosaicArguments, evenness: Float, into out: MosaicArguments.Output) {
    let (far1, near1, here, near2, far2) = a.rows
    // Blocks of eight begin at even columns: where the colour beside green stands is the same for all.
    let even = V(1, 0, 1, 0, 1, 0, 1, 0)
    let isSite = a.parity == 0 ? even : V(repeating: 1) - even
    let least = V(repeating: 2 * evenness)
    for x in stride(from: -8, to: a.count + 1, by: 8) {
        let centre = load(here + x)
        let (left, right) = (load(here + x - 1), load(here + x + 1))
        let (up, down) = (load(near1 + x), load(near2 + x))
        // Curvature of the site's own colour.
        let curveX = (centre + centre) - (load(here + x - 2) + load(here + x + 2))
        let curveY = (centre + centre) - (load(far1 + x) + load(far2 + x))
        let greenX = (left + right) * 0.5 + curveX * 0.25
        let greenY = (up + down) * 0.5 + curveY * 0.25
        let steepX = nfk_greater(left - right, right - left) + nfk_greater(curveX, -curveX)
        let steepY = nfk_greater(up - down, down - up) + nfk_greater(curveY, -curveY)
        let (powerX, powerY) = (steepX * steepX, steepY * steepY)
        // From -1, all along columns, to 1, all along the row.
        let lean = (powerY - powerX) / (least + (powerX + powerY))
        let green = ((greenX + greenY) + (greenX - greenY) * lean) * 0.5
        store((centre - green) * isSite, out + x)
    }
}

package func demosaicRow(
    _ row: MosaicArguments.Input, _ differences: DifferenceRows, count: Int, own: MosaicArguments.Output,
    green: MosaicArguments.Output, other: MosaicArguments.Output
) {
    for x in stride(from: 0, to: count, by: 8) {
        let colours = colours(row, differences, x)
        store(colours.own, own + x)
        store(colours.green, green + x)
        store(colours.other, other + x)
    }
}

package func demosaicRow(
    _ row: MosaicArguments.Input, _ differences: DifferenceRows, count: Int, scale: Float, offset: Float,
    own: MosaicArguments.Codes, green: MosaicArguments.Codes, other: MosaicArguments.Codes
) {
    @inline(__always)
    func put(_ value: V, _ codes: MosaicArguments.Codes) {
        let code = nfk_multiply_add(value, V(repeating: scale), V(repeating: offset + 0.5))
        nfk_store_words(nfk_truncated(nfk_lesser(nfk_greater(code, V()), V(repeating: 65535))), codes)
    }
    for x in stride(from: 0, to: count, by: 8) {
        let colours = colours(row, differences, x)
        put(colours.own, own + x)
        put(colours.green, green + x)
        put(colours.other, other + x)
    }
}

/// Differences are 0 where green was sampled, so that each sum finds those that are there: the one at a site itself, or the two
/// or four beside it.
@inline(__always)
private func colours(
    _ row: MosaicArguments.Input, _ differences: DifferenceRows, _ x: Int
) -> (own: V, green: V, other: V) {
    let (above, here, below) = differences
    let own = load(here + x)
    let green = load(row + x) - own
    let across = (load(here + x - 1) + load(here + x + 1)) * 0.5
    let (up, down) = (load(above + x - 1) + load(above + x + 1), load(below + x - 1) + load(below + x + 1))
    let opposite = (load(above + x) + load(below + x)) * 0.5 + (up + down) * 0.25
    return (green + (own + across), green, green + opposite)
}

// MARK: Faults

package func brightSpots(
    _ row: UnsafePointer<Float>, above: UnsafePointer<Float>, below: UnsafePointer<Float>, count: Int,
    shot: (Float, Float), read: (Float, Float), found: (Int) -> Void
) {
    let (shots, reads) = (byTurns(shot), byTurns(read))
    for x in stride(from: 0, to: count, by: 8) {
        let beside = nfk_greater(load(row + x - 2), load(row + x + 2))
        let largest = nfk_greater(beside, nfk_greater(load(above + x), load(below + x)))
        let over = nfk_greater(load(row + x) - largest, V())
        let stands = over * over .> nfk_multiply_add(nfk_greater(largest, V()), shots, reads)
        if any(stands) { for k in 0..<min(8, count - x) where stands[k] { found(x + k) } }
    }
}

package func rowStretch(_ a: RowStretchArguments) -> RowStretchSums {
    let (gains, shots, reads) = (byTurns(a.gain), byTurns(a.shot), byTurns(a.read))
    let isGreen = byTurns(a.isGreen) .> 0
    var (same, sameTotal, beside, besideTotal) = (V(), V(), V(), V())
    // Adds how far samples lie above the mean of their neighbours, which together scatter by `spread` times a sample's
    // variance.
    @inline(__always)
    func add(
        _ samples: V, _ base: V, _ spread: Float, _ counts: SIMDMask<SIMD8<Int32>>, _ sum: inout V, _ total: inout V
    ) {
        let v = nfk_multiply_add(nfk_greater(base, V()), shots, reads) * spread
        let limit = nfk_root(v) * 3
        let d = nfk_lesser(nfk_greater(samples - base, -limit), limit) * gains
        let w = V().replacing(
            with: V(repeating: 1) / (v * gains * gains), where: nfk_greater(samples, base) .< a.clip .& counts)
        sum += w * d
        total += w
    }
    let all = V() .< 1
    for x in stride(from: a.start, to: a.start + RowStretchArguments.length, by: 8) {
        let samples = load(a.row + x)
        add(samples, (load(a.up2 + x) + load(a.down2 + x)) * 0.5, 1.5, all, &same, &sameTotal)
        // What the first and the last column have beside them lies outside of the picture.
        var counts = isGreen
        if x == 0 { counts[0] = false }
        if x + 8 >= a.width { counts[7] = false }
        let (above, below) = (load(a.up + x - 1) + load(a.up + x + 1), load(a.down + x - 1) + load(a.down + x + 1))
        let base = V().replacing(with: (above + below) * 0.25, where: counts)
        add(samples, base, 1.25, counts, &beside, &besideTotal)
    }
    return RowStretchSums(
        same: laneSum(same), sameTotal: laneSum(sameTotal), beside: laneSum(beside), besideTotal: laneSum(besideTotal))
}

package func raisePeaks(_ row: UnsafePointer<UInt16>, count: Int, in peaks: UnsafeMutablePointer<UInt16>) {
    for x in 0..<count { peaks[x] = max(peaks[x], row[x]) }
}
