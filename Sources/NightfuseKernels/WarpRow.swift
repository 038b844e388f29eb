public import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Three planes resampled along a row whose positions are all but evenly spaced: eight pixels at a time.
///
/// In a warp by a camera's motion, eight neighbours stand on almost the same phase. Their weights are interpolated
/// linearly from those of the first and the last, the columns are filtered for all eight at once, then the rows. That is
/// exact to second order in the drift of the phase over the run, which is at most a sixteenth of a sample; where positions turn
/// or spread faster (0.5 degrees and more), and at edges, every pixel is taken for itself.
public struct WarpKernel: Sendable {
    /// The kernel of single pixels.
    public let kernel: InterpolationKernel
    /// Rows of eight weights at phases -1/16 to 1 + 1/16, 256 a sample.
    let table: [SIMD8<Float>]

    private static let margin = 1.0 / 16

    public init(_ profile: (Double) -> Double) {
        kernel = InterpolationKernel(profile: profile)
        let steps = InterpolationKernel.phases
        table = (0...(steps + steps / 8)).map { index in
            let fraction = Double(index) / Double(steps) - Self.margin
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
    public var red, green, blue: Row<Float>
    public var stride: Int
    public var firstRow: Int

    public init(
        red: Row<Float>, green: Row<Float>, blue: Row<Float>, stride: Int, firstRow: Int
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
    _ source: WarpSource, kernel: WarpKernel, nodes: (x: Row<Float>, y: Row<Float>), count: Int,
    size: (width: Int, height: Int),
    into outputs: (MutableRow<Float>, MutableRow<Float>, MutableRow<Float>),
    inside: MutableRow<Float>
) {
    kernel.table.withRow { runs in
        kernel.kernel.weights.withRow { pixels in
            let arguments = WarpArguments(
                red: source.red, green: source.green, blue: source.blue, stride: source.stride,
                firstRow: source.firstRow, runWeights: runs, pixelWeights: pixels, nodesX: nodes.x, nodesY: nodes.y,
                count: count, limitX: Float(size.width) - 0.5, limitY: Float(size.height) - 0.5, outputs: outputs,
                inside: inside)
            #if arch(x86_64)
                if KernelLevel.isV3 { return NightfuseLoopsV3.warpRow(arguments) }
            #endif
            NightfuseLoops.warpRow(arguments)
        }
    }
}

/// `count` positions along a row, as a homography has them: of each the quotient of two lines.
package func projectRow(_ line: ProjectionArguments, count: Int, xs: MutableRow<Float>, ys: MutableRow<Float>) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.projectRow(line, count: count, xs: xs, ys: ys) }
    #endif
    NightfuseLoops.projectRow(line, count: count, xs: xs, ys: ys)
}
