internal import NightfuseCore
internal import NightfuseKernels

/// Resamples rows of a frame onto the reference.
struct WarpedRows {
    let item: Merge.Contribution
    let kernel: InterpolationKernel
    let width: Int
    let height: Int

    init(_ item: Merge.Contribution, kernel: InterpolationKernel, width: Int, height: Int) {
        (self.item, self.kernel, self.width, self.height) = (item, kernel, width, height)
    }

    /// Rows of three channels, `stride` apart, and 1 where they lie inside the frame.
    func fill(
        _ rows: Range<Int>, from x0: Int = 0, count: Int? = nil, to outputs: [MutableRow<Float>],
        stride: Int, valid: MutableRow<Float>
    ) {
        let w = count ?? width
        let room = Floats(2 * w * rows.count)
        let memory = room.base
        let (limitX, limitY) = (Float(width - 1), Float(height - 1))
        var (lowest, highest) = (Float.infinity, -Float.infinity)
        for y in rows {
            let xs = memory + 2 * w * (y - rows.lowerBound)
            let ys = xs + w
            item.field.positions(row: y, from: x0, count: w, level: 0, xs: xs, ys: ys)
            let inside = valid + (y - rows.lowerBound) * stride
            for x in 0..<w {
                inside[x] = xs[x] > -0.5 && xs[x] < limitX + 0.5 && ys[x] > -0.5 && ys[x] < limitY + 0.5 ? 1 : 0
                xs[x] = min(max(xs[x], -1), limitX + 1)
                ys[x] = min(max(ys[x], -1), limitY + 1)
                lowest = min(lowest, ys[x])
                highest = max(highest, ys[x])
            }
        }
        let first = floorInt(lowest) - 3
        let keeper = SourceRows()
        let source = keeper.fill(
            item.frame, wanted: WantedSamples(all: first...floorInt(highest) + 4, width: item.frame.width),
            scale: 1 / item.radianceScale)
        let pointers = [source.red, source.green, source.blue]
        for y in rows {
            let k = y - rows.lowerBound
            let (xs, ys) = (memory + 2 * w * k, memory + 2 * w * k + w)
            for x in 0..<w { ys[x] -= Float(first) }
            resampleRow(
                pointers, stride: source.stride, xs: Row(xs), ys: Row(ys), count: w, kernel: kernel,
                outputs: outputs.map { $0 + k * stride })
        }
        withExtendedLifetime(keeper) {}
    }
}
