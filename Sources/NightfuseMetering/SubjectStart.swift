extension SubjectTrack {
    /// Finds the whole shift that brings most of what changes to match, over a span in which the fastest of the
    /// group's tiles go a sample or two; false where nothing changes.
    mutating func pickStart(_ group: [MotionSeed]) -> Bool {
        let ring = finder.ring
        let fastest = group.reduce(0) { max($0, $1.speed) }
        let shortest = Float(ring[ring.count - 1].time - ring[ring.count - 2].time)
        var level = 0
        while level < 2, fastest * shortest / Float(1 << level) > 2.2 { level += 1 }
        // Slow things need a longer look to move at all.
        let skip = max(1, min(nearest(1.6 * Float(1 << level) / (fastest * shortest)), ring.count - 1, 10))
        let changed = changedBlocks(level: level, skip: skip)
        guard !changed.isEmpty else { return false }
        let unit = Float(1 << level) / Float(ring[ring.count - 1].time - ring[ring.count - 1 - skip].time)
        let n = Float(group.count)
        let mean = SIMD2(group.reduce(0) { $0 + $1.x } / n, group.reduce(0) { $0 + $1.y } / n) / unit
        let spread = group.reduce(Float(0)) { sum, seed in
            let d = SIMD2(seed.x, seed.y) / unit - mean
            return sum + d.x * d.x + d.y * d.y
        }
        let radius = max((spread / n).squareRoot(), 1)
        var found: [(gain: Float, v: SIMD2<Float>)] = []
        for dy in -3...3 {
            for dx in -3...3 where dx != 0 || dy != 0 {
                let off = SIMD2(Float(dx), Float(dy)) - mean
                guard off.x * off.x + off.y * off.y <= radius * radius else { continue }
                let gain = matched(changed, shift: SIMD2(Float(dx), Float(dy)), level: level, skip: skip)
                found.append((gain, SIMD2(Float(dx), Float(dy)) * unit))
            }
        }
        // The tiles' own mean is no whole shift, and may be nearer.
        let own = mean * unit
        found.append((matched(changed, shift: mean, level: level, skip: skip), own))
        guard let best = found.max(by: { $0.gain < $1.gain }), best.gain > 0 else { return false }
        (x, y, doubt) = (best.v.x, best.v.y, 0.6 * unit)
        mark(changed, shift: best.v / unit, level: level, skip: skip)
        return true
    }

    /// Pairs of frames in which the start is searched.
    private static let searched = 5

    /// Blocks that differ from what they were by more than noise, with how much they differ (in units of noise).
    private func changedBlocks(level: Int, skip: Int) -> [(k: Int, l: Int, change: Float)] {
        let ring = finder.ring
        let newest = ring[ring.count - 1]
        var found: [(k: Int, l: Int, change: Float)] = []
        for l in 0..<rows {
            for k in 0..<columns {
                var change: Float = 0
                var samples: Float = 0
                for i in 0..<min(Self.searched, ring.count - skip) {
                    guard
                        let s = sums(
                            ring[ring.count - 1 - i], ring[ring.count - 1 - i - skip], level: level, k: k, l: l,
                            c: (0, 0), t: (0, 0))
                    else { continue }
                    change += s.dd
                    samples += s.n
                }
                change /= sigma2(newest, k, l, level: level)
                // Mean 1 a sample, variance 2, one sample in four independent: above chance by two deviations.
                if change > samples + 2 * (8 * samples).squareRoot() { found.append((k, l, change)) }
            }
        }
        return found
    }

    /// By how much (in units of noise) blocks match better, all told, when shifted than when left.
    private func matched(
        _ blocks: [(k: Int, l: Int, change: Float)], shift: SIMD2<Float>, level: Int, skip: Int
    ) -> Float {
        blocks.reduce(0) { $0 + max($1.change - rest($1, shift: shift, level: level, skip: skip), 0) }
    }

    /// What still differs of a block (in units of noise) when it is shifted.
    private func rest(
        _ block: (k: Int, l: Int, change: Float), shift: SIMD2<Float>, level: Int, skip: Int
    ) -> Float {
        let ring = finder.ring
        let there = (nearest(-shift.x), nearest(-shift.y))
        let u = SIMD2(shift.x + Float(there.0), shift.y + Float(there.1))
        var rest: Float = 0
        for i in 0..<min(Self.searched, ring.count - skip) {
            guard
                let s = sums(
                    ring[ring.count - 1 - i], ring[ring.count - 1 - i - skip], level: level, k: block.k, l: block.l,
                    c: (0, 0), t: there)
            else { return .infinity }
            rest += s.difference(at: u)
        }
        return rest / sigma2(ring[ring.count - 1], block.k, block.l, level: level)
    }

    /// Takes those blocks for moving that match clearly better when shifted.
    private mutating func mark(
        _ blocks: [(k: Int, l: Int, change: Float)], shift: SIMD2<Float>, level: Int, skip: Int
    ) {
        for block in blocks {
            let gain = block.change - rest(block, shift: shift, level: level, skip: skip)
            moving[block.l * columns + block.k] = gain > 0.25 * block.change
        }
    }
}
