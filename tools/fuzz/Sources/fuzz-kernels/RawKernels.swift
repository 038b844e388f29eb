import NightfuseCore
import NightfuseKernels

/// Samples that kernels may read before the first and behind the last of a row.
private let margin = 16

func checkDemosaic(_ samples: Samples, _ count: Int, choice: Int) {
    let stride = count + 2 * margin
    let field = samples.row(stride * 5)
    let site = BayerRow(colour: choice & 1 == 0 ? 0 : 2, parity: choice >> 1 & 1)
    var planes = [[Float]](repeating: [Float](repeating: 0, count: (count + 7) & ~7), count: 3)
    field.withRow { start in
        let rows = (0..<5).map { start + $0 * stride + margin }
        var (red, green, blue) = (planes[0], planes[1], planes[2])
        red.withMutableRow { red in
            green.withMutableRow { green in
                blue.withMutableRow { demosaicRow(rows, count: count, site: site, red: red, green: green, blue: $0) }
            }
        }
        planes = [red, green, blue]
    }
    func at(_ dx: Int, _ dy: Int) -> Double { Double(field[(dy + 2) * stride + margin + dx]) }
    for x in 0..<count {
        let near = at(x - 1, 0) + at(x + 1, 0)
        let upright = at(x, -1) + at(x, 1)
        let (far, farUpright) = (at(x - 2, 0) + at(x + 2, 0), at(x, -2) + at(x, 2))
        let corners = at(x - 1, -1) + at(x + 1, -1) + at(x - 1, 1) + at(x + 1, 1)
        // The filters of the paper, in eighths.
        let (own, green, other): (Double, Double, Double)
        if (x & 1) == site.parity {
            own = at(x, 0)
            green = (4 * at(x, 0) + 2 * (near + upright) - far - farUpright) / 8
            other = (6 * at(x, 0) + 2 * corners - 1.5 * (far + farUpright)) / 8
        } else {
            own = (5 * at(x, 0) + 4 * near - far - corners + 0.5 * farUpright) / 8
            green = at(x, 0)
            other = (5 * at(x, 0) + 4 * upright - farUpright - corners + 0.5 * far) / 8
        }
        expect(planes[site.colour][x], own, within: 2e-6, "own colour at \(x)")
        expect(planes[1][x], green, within: 2e-6, "green at \(x)")
        expect(planes[2 - site.colour][x], other, within: 2e-6, "other colour at \(x)")
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
