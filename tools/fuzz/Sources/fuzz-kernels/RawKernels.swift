import NightfuseCore
import NightfuseKernels

/// Samples that kernels may read before the first and behind the last of a row.
private let margin = 16

func checkDemosaic(_ samples: Samples, _ count: Int, choice: Int) {
    // Rows y - 3 ... y + 3; differences of the rows y - 1 ... y + 1 are made of them.
    let stride = ((count + 7) & ~7) + 3 * margin
    let field = samples.row(stride * 7)
    let site = BayerRow(colour: choice & 1 == 0 ? 0 : 2, parity: choice >> 1 & 1)
    let beside = BayerRow(colour: 2 - site.colour, parity: 1 - site.parity)
    let evenness = max(samples[0], 0) + 1e-3
    let padded = (count + 7) & ~7
    var light = [Float](repeating: 0, count: 3 * padded)
    field.withRow { start in
        withRoom(of: Float.self, count: 3 * stride) { found in
            found.update(repeating: 0, count: 3 * stride)
            for dy in -1...1 {
                mosaicDifferenceRow(
                    (1...5).map { start + ((dy + $0) * stride + margin) }, count: count, site: dy == 0 ? site : beside,
                    evenness: evenness, into: found + ((dy + 1) * stride + margin))
            }
            let here = Row(found + (stride + margin))
            light.withMutableRow {
                demosaicRow(
                    start + (3 * stride + margin),
                    differences: (above: here - stride, here: here, below: here + stride), count: count, site: site,
                    red: $0, green: $0 + padded, blue: $0 + 2 * padded)
            }
        }
    }
    func at(_ x: Int, _ y: Int) -> Double { Double(field[(y + 3) * stride + margin + x]) }
    /// What the sample differs from green, 0 where it is green.
    func difference(_ x: Int, _ y: Int) -> Double {
        guard (x & 1) == (y == 0 ? site : beside).parity else { return 0 }
        let (a, b) = (2 * at(x, y) - at(x - 2, y) - at(x + 2, y), 2 * at(x, y) - at(x, y - 2) - at(x, y + 2))
        let (across, down) = ((at(x - 1, y) + at(x + 1, y)) / 2 + a / 4, (at(x, y - 1) + at(x, y + 1)) / 2 + b / 4)
        let (p, q) = (abs(at(x - 1, y) - at(x + 1, y)) + abs(a), abs(at(x, y - 1) - at(x, y + 1)) + abs(b))
        let (wx, wy) = (Double(evenness) + q * q, Double(evenness) + p * p)
        return at(x, y) - (wx * across + wy * down) / (wx + wy)
    }
    for x in 0..<count {
        // Where a colour is not at hand the nearest differences stand for it.
        let isSite = (x & 1) == site.parity
        let green = at(x, 0) - difference(x, 0)
        let own = green + (isSite ? difference(x, 0) : (difference(x - 1, 0) + difference(x + 1, 0)) / 2)
        let corners = difference(x - 1, -1) + difference(x + 1, -1) + difference(x - 1, 1) + difference(x + 1, 1)
        let other = green + (isSite ? corners / 4 : (difference(x, -1) + difference(x, 1)) / 2)
        expect(light[site.colour * padded + x], own, within: 1e-5, "own colour at \(x)")
        expect(light[padded + x], green, within: 1e-5, "green at \(x)")
        expect(light[(2 - site.colour) * padded + x], other, within: 1e-5, "other colour at \(x)")
    }
}

func checkSpots(_ samples: Samples, _ count: Int) {
    let field = samples.row((count + 2 * margin) * 3)
    let stride = count + 2 * margin
    let (shot, read): ((Float, Float), (Float, Float)) = ((0.01, 0.02), (0.0005, 0.001))
    var found: [Int] = []
    field.withRow { start in
        let rows = (0..<3).map { start + $0 * stride + margin }
        brightSpots(rows[1], above: rows[0], below: rows[2], count: count, shot: shot, read: read) { found.append($0) }
    }
    var expected: [Int] = []
    for x in 0..<count {
        let at = { (dx: Int, row: Int) in field[row * stride + margin + x + dx] }
        let largest = max(max(at(-2, 1), at(2, 1)), max(at(0, 0), at(0, 2)))
        let over = max(at(0, 1) - largest, 0)
        let limit = x & 1 == 0 ? shot.0 * max(largest, 0) + read.0 : shot.1 * max(largest, 0) + read.1
        if over * over > limit { expected.append(x) }
    }
    precondition(found == expected, "spots at \(found), not \(expected)")
}

func checkLook(_ samples: Samples, _ width: Int) throws(NightfuseError) {
    var settings = LookSettings()
    // As a balance against yellow light has them; others make what it takes come near nothing, and a quotient by that jumps.
    settings.redGain = 1 - abs(samples[0]) / 2
    settings.blueGain = 1 + abs(samples[1]) / 2
    settings.black = max(samples[2], 0) / 50
    settings.constantGain = samples[3] * 4
    settings.white = 1 + max(samples[4], 0) * 3
    if samples[5] > 0 { settings.mostOfCast = samples[5] }
    var planes: [Plane<Float>] = []
    // Below black luma may come near nothing while its channels do not, and their quotient is then any number.
    for c in 0..<3 {
        let plane = try samples.plane(width, 1, from: 6 + c * width)
        for x in 0..<width { plane[x, 0] = max(plane[x, 0], 0) }
        planes.append(plane)
    }
    let before = (0..<width).map { x in planes.map { Double($0[x, 0]) } }
    applyLook(planes, settings, rows: 0..<1)
    for x in 0..<width {
        let reference = lookReference(before[x], settings, slope: 0, offset: Double(settings.constantGain), sigma: 0)
        for c in 0..<3 {
            let value = planes[c][x, 0]
            precondition(value.isFinite)
            // The kernel's promise is 2e-4 of full scale; gains of many stops lift rounding with them.
            expect(value, reference[c], within: 2e-3 * max(1, abs(reference[c])), "look of \(before[x])")
        }
    }
}
