internal import NightfuseCore
internal import NightfuseKernels

/// Each kernel on one thread, over planes of the size asked for, against a copy that moves as many bytes.
struct KernelBenchmarks {
    let material: Material
    let runs: Int

    func run(megapixels: Double) throws(NightfuseError) {
        let (width, height) = Material.size(megapixels: megapixels)
        let one = Workers(threads: 1)
        let light = try material.light(width: width, height: height, index: 1)
        let other = try material.light(width: width, height: height, index: 2)
        let out = try Plane<Float>(width: width, height: height)
        let half = try Plane<Float>(width: (width + 1) / 2, height: (height + 1) / 2)
        let codes = try Plane<UInt16>(width: width, height: height)
        let pixels = width * height
        let copy = CopySpeed(capacity: max(pixels * 8, 1 << 20))
        defer { copy.release() }
        print("Kernels, \(width) x \(height), one thread, median of \(runs)")
        var table = Table("kernel", "ms", "ns/pixel", "MiB moved", "x copy")
        func add(_ name: String, bytesPerPixel: Double, _ body: () throws -> Void) {
            do {
                let seconds = try Timing.median(runs, body)
                let traffic = Int(bytesPerPixel * Double(pixels))
                table.add(
                    name, milliseconds(seconds), decimals(seconds * 1e9 / Double(pixels), 2), mebibytes(traffic),
                    decimals(seconds / copy.seconds(traffic: traffic, runs: runs), 1))
            } catch {
                table.add(name, "failed: \(error)")
            }
        }
        add("copy of a plane", bytesPerPixel: 8) {
            for y in 0..<height { out.mutableRow(y).update(from: light[0].row(y), count: width) }
        }
        add("downsampleBinomial", bytesPerPixel: 5) { try downsampleBinomial(light[0], into: half, workers: one) }
        add("smoothBinomial", bytesPerPixel: 8) { try smoothBinomial(light[0], into: out, workers: one) }
        add("gradients", bytesPerPixel: 12) { try gradients(light[0], x: out, y: other[2], workers: one) }
        add("boxRow5", bytesPerPixel: 8) {
            for y in 0..<height { boxRow5(light[0].row(y), count: width, into: out.mutableRow(y)) }
        }
        add("differenceRow", bytesPerPixel: 16) {
            for y in 0..<height {
                differenceRow(
                    light[0].row(y), other[0].row(y), count: width, squared: out.mutableRow(y),
                    mean: other[2].mutableRow(y))
            }
        }
        add("accumulateRow", bytesPerPixel: 16) {
            for y in 0..<height {
                accumulateRow(light[0].row(y), weight: other[0].row(y), count: width, into: out.mutableRow(y))
            }
        }
        resampling(light, out, width, height, add)
        let transfer = TransferTable(.sRGB, maxCode: 255)
        add("TransferTable.encode, dithered", bytesPerPixel: 6) {
            for y in 0..<height {
                transfer.encode(light[0].row(y), into: codes.mutableRow(y), count: width, row: y, dither: true)
            }
        }
        let blocks = try FinishBlocks(width: width, height: height, factor: 8)
        add("shrinkToBlocks, by 8", bytesPerPixel: 12) {
            shrinkToBlocks(light, matrix: [1, 0, 0, 0, 1, 0, 0, 0, 1], into: blocks, rows: 0..<blocks.height)
        }
        table.show()
    }

    /// Rows taken at slowly drifting sub-pixel places, as a turned camera asks for; all of the source stays inside.
    private func resampling(
        _ light: [Plane<Float>], _ out: Plane<Float>, _ width: Int, _ height: Int,
        _ add: (String, Double, () throws -> Void) -> Void
    ) {
        let count = width - 16
        let xs = (0..<count).map { Float($0) * 0.9995 + 4.3 }
        let kernel = InterpolationKernel.lanczos(lobes: 4)
        add("resampleRow, Lanczos 4", 8) {
            for y in 8..<height - 8 {
                let ys = [Float](repeating: Float(y) + 0.37, count: count)
                xs.withRow { xs in
                    ys.withRow { ys in
                        resampleRow(
                            [Row(light[0].base)], stride: light[0].stride, xs: xs, ys: ys, count: count,
                            kernel: kernel, outputs: [out.mutableRow(y)])
                    }
                }
            }
        }
        add("sampleBilinear", 8) {
            for y in 8..<height - 8 {
                let ys = [Float](repeating: Float(y) + 0.37, count: count)
                xs.withRow { xs in
                    ys.withRow { sampleBilinear(light[0], xs: xs, ys: $0, count: count, into: out.mutableRow(y)) }
                }
            }
        }
    }
}
