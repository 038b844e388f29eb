/// Three planes resampled along a row whose positions are all but evenly spaced: eight pixels at a time.
///
/// In a warp by a camera's motion, eight neighbours stand on almost the same phase. Their weights are interpolated
/// linearly from those of the first and the last, the columns are filtered for all eight at once, then the rows. That is
/// exact to second order in the drift of the phase over the run, which is at most ``largestDrift``; where positions turn
/// or spread faster (0.5 degrees and more), and at edges, every pixel is taken for itself.
public struct WarpKernel: Sendable {
    /// The kernel of single pixels.
    public let kernel: InterpolationKernel
    /// Rows of eight weights at phases -1/16 to 1 + 1/16, 256 a sample.
    let table: [SIMD8<Float>]

    /// Samples by which the phase may drift over a run: the weights' curvature then leaves less than 1/500 of a sample's
    /// contrast (a windowed sinc bends by at most pi^2 / 3 a square sample).
    static let largestDrift: Float = 1.0 / 16
    /// Samples by which the middle of a run may lie off the line.
    static let largestBend: Float = 1.0 / 64
    static let margin: Float = 1.0 / 16

    public init(_ profile: (Double) -> Double) {
        kernel = InterpolationKernel(profile: profile)
        let steps = InterpolationKernel.phases
        table = (0...(steps + steps / 8)).map { index in
            let fraction = Double(index) / Double(steps) - Double(Self.margin)
            let taps = (0..<8).map { profile(Double($0) - 3 - fraction) }
            let sum = taps.reduce(0, +)
            return SIMD8<Float>(taps.map { Float($0 / sum) })
        }
    }

    /// Windowed sinc with `lobes` lobes, 2 to 4; see ``InterpolationKernel/lanczos(lobes:)``.
    public static func lanczos(lobes: Double) -> WarpKernel { WarpKernel(InterpolationKernel.lanczosProfile(lobes)) }
}

/// What ``warpRow(_:_:nodes:count:limit:into:inside:)`` reads: three planes of one shape, the frame's own rows from
/// `firstRow` on, padded.
public struct WarpSource {
    /// Sample (0, `firstRow`) of every plane.
    public var red, green, blue: UnsafePointer<Float>
    public var stride: Int
    public var firstRow: Int

    public init(
        red: UnsafePointer<Float>, green: UnsafePointer<Float>, blue: UnsafePointer<Float>, stride: Int, firstRow: Int
    ) {
        (self.red, self.green, self.blue, self.stride, self.firstRow) = (red, green, blue, stride, firstRow)
    }
}

/// Resamples a row of `count` pixels.
///
/// - Parameters:
///   - nodes: positions in the source at columns 0, 4, 8, ... of the row; `count / 4 + 3` of them.
///   - size: the source's size; positions within half a pixel of it are inside, farther ones are taken at its edge.
///   - outputs: `count` values for each plane, and 1 where the position is inside, else 0.
///
/// For every position clamped to one sample beyond the source, rows and columns `floor - 3 ... floor + 4` must be
/// readable, in columns five more (the caller pads by 8). About 40 multiplications a pixel and plane in runs.
public func warpRow(
    _ source: WarpSource, kernel: WarpKernel, nodes: (x: UnsafePointer<Float>, y: UnsafePointer<Float>), count: Int,
    size: (width: Int, height: Int),
    into outputs: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>),
    inside: UnsafeMutablePointer<Float>
) {
    let (limitX, limitY) = (Float(size.width) - 0.5, Float(size.height) - 0.5)
    kernel.table.withUnsafeBufferPointer { wide in
        kernel.kernel.weights.withUnsafeBufferPointer { single in
            guard let wide = wide.baseAddress, let single = single.baseAddress else { return }
            var x = 0
            while x < count {
                let k = x / 4
                let (ax, ay) = (nodes.x[k], nodes.y[k])
                let (bx, by) = (nodes.x[k + 2], nodes.y[k + 2])
                // A pixel's step, and the drift of the phase over the seven steps of the run.
                let (stepX, stepY) = ((bx - ax) * 0.125, (by - ay) * 0.125)
                let (driftX, driftY) = (7 * (stepX - 1), 7 * stepY)
                let bend = max(abs(nodes.x[k + 1] - (ax + bx) * 0.5), abs(nodes.y[k + 1] - (ay + by) * 0.5))
                let (endX, endY) = (ax + 7 * stepX, ay + 7 * stepY)
                let isInside =
                    min(ax, endX) > -0.5 && max(ax, endX) < limitX && min(ay, endY) > -0.5
                    && max(ay, endY) < limitY
                if count - x >= 8 && isInside && abs(driftX) <= WarpKernel.largestDrift
                    && abs(driftY) <= WarpKernel.largestDrift && bend <= WarpKernel.largestBend
                {
                    warpRun(
                        source, wide, start: (ax, ay), drift: (driftX, driftY),
                        into: (outputs.0 + x, outputs.1 + x, outputs.2 + x))
                    UnsafeMutableRawPointer(inside + x).storeBytes(
                        of: SIMD8<Float>(repeating: 1), as: SIMD8<Float>.self)
                } else {
                    for i in x..<min(x + 8, count) {
                        let node = i / 4
                        let t = Float(i % 4) * 0.25
                        let px = nodes.x[node] + (nodes.x[node + 1] - nodes.x[node]) * t
                        let py = nodes.y[node] + (nodes.y[node + 1] - nodes.y[node]) * t
                        inside[i] = px > -0.5 && px < limitX && py > -0.5 && py < limitY ? 1 : 0
                        let (cx, cy) = (min(max(px, -1), limitX + 0.5), min(max(py, -1), limitY + 0.5))
                        let sample = warpPixel(source, single, cx, cy)
                        (outputs.0[i], outputs.1[i], outputs.2[i]) = (sample.x, sample.y, sample.z)
                    }
                }
                x += 8
            }
        }
    }
}

/// Eight neighbours at once.
@inline(__always)
private func warpRun(
    _ source: WarpSource, _ table: UnsafePointer<SIMD8<Float>>, start: (x: Float, y: Float),
    drift: (x: Float, y: Float),
    into outputs: (UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>, UnsafeMutablePointer<Float>)
) {
    typealias V = SIMD8<Float>
    let scale = Float(InterpolationKernel.phases)
    // Whole samples by the middle of the run, so that the phases straddle 0 or 1 by half the drift at most.
    let wholeX = floorInt(start.x + 0.5 * drift.x)
    let wholeY = floorInt(start.y + 0.5 * drift.y)
    let phaseX = start.x - Float(wholeX) + WarpKernel.margin
    let phaseY = start.y - Float(wholeY) + WarpKernel.margin
    let xA = floatPointer(table, Int(phaseX * scale + 0.5))
    let xB = floatPointer(table, Int((phaseX + drift.x) * scale + 0.5))
    let yA = floatPointer(table, Int(phaseY * scale + 0.5))
    let yB = floatPointer(table, Int((phaseY + drift.y) * scale + 0.5))
    // Sixteen columns, three to the left of the first pixel and five to the right of the last; each row's weight goes
    // on along the line through the first and the last pixel.
    let left = V(-3, -2, -1, 0, 1, 2, 3, 4) * (1.0 / 7)
    let right = V(5, 6, 7, 8, 9, 10, 11, 12) * (1.0 / 7)
    let along = V(0, 1, 2, 3, 4, 5, 6, 7) * (1.0 / 7)
    let offset = (wholeY - source.firstRow - 3) * source.stride + wholeX - 3
    var (r0, r1, g0, g1, b0, b1) = (V(), V(), V(), V(), V(), V())
    var row = offset
    for t in 0..<8 {
        let (a, b) = (yA[t], yB[t])
        // Kernels of six taps leave the first or the last row alone, mostly both.
        if a != 0 || b != 0 {
            let (base, rise) = (V(repeating: a), V(repeating: b - a))
            let (w0, w1) = (base + rise * left, base + rise * right)
            r0 += load(source.red + row) * w0
            r1 += load(source.red + row + 8) * w1
            g0 += load(source.green + row) * w0
            g1 += load(source.green + row + 8) * w1
            b0 += load(source.blue + row) * w0
            b1 += load(source.blue + row + 8) * w1
        }
        row += source.stride
    }
    var columns = (r0, r1, g0, g1, b0, b1)
    withUnsafeBytes(of: &columns) { buffer in
        guard let p = buffer.baseAddress else { return }
        var (red, green, blue) = (V(), V(), V())
        for t in 0..<8 {
            let (a, b) = (xA[t], xB[t])
            if a != 0 || b != 0 {
                let w = V(repeating: a) + V(repeating: b - a) * along
                red += p.loadUnaligned(fromByteOffset: 4 * t, as: V.self) * w
                green += p.loadUnaligned(fromByteOffset: 64 + 4 * t, as: V.self) * w
                blue += p.loadUnaligned(fromByteOffset: 128 + 4 * t, as: V.self) * w
            }
        }
        UnsafeMutableRawPointer(outputs.0).storeBytes(of: red, as: V.self)
        UnsafeMutableRawPointer(outputs.1).storeBytes(of: green, as: V.self)
        UnsafeMutableRawPointer(outputs.2).storeBytes(of: blue, as: V.self)
    }
}

@inline(__always)
private func load(_ p: UnsafePointer<Float>) -> SIMD8<Float> {
    UnsafeRawPointer(p).loadUnaligned(as: SIMD8<Float>.self)
}

/// The eight weights of a row of the table.
@inline(__always)
private func floatPointer(_ table: UnsafePointer<SIMD8<Float>>, _ row: Int) -> UnsafePointer<Float> {
    UnsafeRawPointer(table + row).assumingMemoryBound(to: Float.self)
}

/// One position.
private func warpPixel(
    _ source: WarpSource, _ weights: UnsafePointer<SIMD8<Float>>, _ x: Float, _ y: Float
) -> SIMD4<Float> {
    typealias V = SIMD8<Float>
    let (wholeX, wholeY) = (floorInt(x), floorInt(y))
    let last = InterpolationKernel.phases - 1
    let wx = weights[min(Int((x - Float(wholeX)) * Float(InterpolationKernel.phases)), last)]
    let wy = floatPointer(weights, min(Int((y - Float(wholeY)) * Float(InterpolationKernel.phases)), last))
    var row = (wholeY - source.firstRow - 3) * source.stride + wholeX - 3
    var (r, g, b) = (V(), V(), V())
    for t in 0..<8 {
        let w = wy[t]
        if w != 0 {
            r += load(source.red + row) * w
            g += load(source.green + row) * w
            b += load(source.blue + row) * w
        }
        row += source.stride
    }
    return SIMD4((r * wx).sum(), (g * wx).sum(), (b * wx).sum(), 0)
}
