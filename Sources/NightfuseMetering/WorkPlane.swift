internal import NightfuseCore

/// A plane of coded luma (0 to 255) at one level of the meter's pyramid, with a border that repeats its edge, so that
/// neighbours can be read one sample beyond it.
struct WorkPlane {
    let width: Int
    let height: Int
    let stride: Int
    /// The sample at (0, 0).
    let origin: MutableRow<Float>
    private let memory: Plane<Float>

    private static let border = 4

    init(width: Int, height: Int) throws(NightfuseError) {
        memory = try Plane<Float>(width: width + 2 * Self.border, height: height + 2)
        (self.width, self.height, stride) = (width, height, memory.stride)
        origin = memory.base + memory.stride + Self.border
    }

    /// Row `y`, -1 to `height`, from its first sample on; the border lies before and after it.
    func row(_ y: Int) -> Row<Float> { Row(origin) + y * stride }
    /// The same to be written.
    func mutableRow(_ y: Int) -> MutableRow<Float> { origin + y * stride }

    /// Repeats the edge samples into the border. To be called after the inside was written.
    func closeBorder() {
        for y in 0..<height {
            let r = mutableRow(y)
            r[-1] = r[0]
            r[width] = r[width - 1]
        }
        (mutableRow(-1) - 1).update(from: row(0) - 1, count: width + 2)
        (mutableRow(height) - 1).update(from: row(height - 1) - 1, count: width + 2)
    }

    func copy(from other: WorkPlane) {
        for y in -1...height { (mutableRow(y) - 1).update(from: other.row(y) - 1, count: width + 2) }
    }

    /// Where `other` has a sample at (x + shiftX, y + shiftY), takes it.
    func take(_ other: WorkPlane, shiftX: Int, shiftY: Int) {
        let x0 = max(0, -shiftX)
        let x1 = min(width, width - shiftX)
        guard x1 > x0 else { return }
        for y in max(0, -shiftY)..<max(min(height, height - shiftY), max(0, -shiftY)) {
            (mutableRow(y) + x0).update(from: other.row(y + shiftY) + x0 + shiftX, count: x1 - x0)
        }
        closeBorder()
    }

    /// Means of 2 x 2 samples of `finer`, which is twice as wide and high.
    func halve(_ finer: WorkPlane) {
        for y in 0..<height {
            let a = finer.row(2 * y)
            let b = finer.row(2 * y + 1)
            let out = mutableRow(y)
            for x in 0..<width {
                out[x] = (a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1]) * 0.25
            }
        }
        closeBorder()
    }

    /// Fills this plane with `rough` smoothed by (1 2 1) / 4 in both directions.
    ///
    /// Central differences see too little of the finest detail's slope (at a period of 3 samples less than half), so that
    /// motion would be overrated by a third on sharp pictures. Without the finest detail they are right within a tenth.
    func smooth(_ rough: WorkPlane) {
        typealias V = SIMD4<Float>
        for y in 0..<height {
            let (above, middle, below) = (rough.row(y - 1), rough.row(y), rough.row(y + 1))
            let out = mutableRow(y)
            // Sums of columns, the next four always ready.
            func column(_ at: Int) -> V {
                let m = load4(middle + at)
                return load4(above + at) + (m + m) + load4(below + at)
            }
            var before = column(-4)
            var now = column(0)
            for x in 0..<(width + 3) / 4 {
                let after = column(4 * x + 4)
                let left = V(before[3], now[0], now[1], now[2])
                let right = V(now[1], now[2], now[3], after[0])
                store4((left + (now + now) + right) * 0.0625, out + 4 * x)
                before = now
                now = after
            }
        }
        closeBorder()
    }

    /// Moves every sample `share` of the way to that of `other`.
    func approach(_ other: WorkPlane, share: Float) {
        for y in -1...height {
            let a = mutableRow(y)
            let b = other.row(y)
            for x in -1...width { a[x] += (b[x] - a[x]) * share }
        }
    }
}

/// The same picture at full, half, quarter and eighth size.
struct WorkPyramid {
    static let levels = 4
    let planes: [WorkPlane]
    /// `width` and `height` are multiples of 16.
    init(width: Int, height: Int) throws(NightfuseError) {
        var planes: [WorkPlane] = []
        for level in 0..<Self.levels { planes.append(try WorkPlane(width: width >> level, height: height >> level)) }
        self.planes = planes
    }

    subscript(level: Int) -> WorkPlane { planes[level] }

    /// Fills the coarser levels from the finest; `rough` is scratch.
    func build(through rough: WorkPyramid) {
        for level in 1..<Self.levels {
            rough[level].halve(planes[level - 1])
            planes[level].smooth(rough[level])
        }
    }

    func copy(from other: WorkPyramid) { for level in 0..<Self.levels { planes[level].copy(from: other[level]) } }

    func approach(_ other: WorkPyramid, share: Float) {
        for level in 0..<Self.levels { planes[level].approach(other[level], share: share) }
    }
}
