public import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Halves a plane with the separable filter (1 3 3 1) / 8, whose centre lies between samples: output sample (x, y)
/// stands at (2x + 0.5, 2y + 0.5) of the input.
///
/// Any finite values; edges repeat. White noise of variance v leaves with v (20/64)^2. The output must be
/// (width + 1) / 2 by (height + 1) / 2. About 8 operations an input sample.
public func downsampleBinomial(
    _ input: Plane<Float>, into output: Plane<Float>, workers: Workers
) throws(NightfuseError) {
    precondition(output.width == (input.width + 1) / 2 && output.height == (input.height + 1) / 2)
    let width = input.width
    let last = input.height - 1
    try workers.bands(output.height, grain: 32) { (_, rows) throws(NightfuseError) in
        let room = Floats(width + 4)
        for y in rows {
            let a = input.row(max(2 * y - 1, 0))
            let b = input.row(min(2 * y, last))
            let c = input.row(min(2 * y + 1, last))
            let d = input.row(min(2 * y + 2, last))
            #if arch(x86_64)
                if KernelLevel.isV3 {
                    NightfuseLoopsV3.halveRows(
                        a, b, c, d, width: width, count: output.width, line: room.base, into: output.mutableRow(y))
                    continue
                }
            #endif
            NightfuseLoops.halveRows(
                a, b, c, d, width: width, count: output.width, line: room.base, into: output.mutableRow(y))
        }
    }
}

/// Smooths a plane with (1 2 1) / 4 along both axes. Edges repeat. White noise of variance v leaves with
/// v (6/16)^2. Output of the input's size.
public func smoothBinomial(
    _ input: Plane<Float>, into output: Plane<Float>, workers: Workers
) throws(NightfuseError) {
    precondition(output.width == input.width && output.height == input.height)
    let width = input.width
    let last = input.height - 1
    try workers.bands(input.height, grain: 32) { (_, rows) throws(NightfuseError) in
        let room = Floats(width + 2)
        for y in rows {
            let a = input.row(max(y - 1, 0))
            let b = input.row(y)
            let c = input.row(min(y + 1, last))
            #if arch(x86_64)
                if KernelLevel.isV3 {
                    NightfuseLoopsV3.smoothRows(a, b, c, width: width, line: room.base, into: output.mutableRow(y))
                    continue
                }
            #endif
            NightfuseLoops.smoothRows(a, b, c, width: width, line: room.base, into: output.mutableRow(y))
        }
    }
}

/// Central differences along both axes, in units a sample; edges repeat (so the slope there is halved).
public func gradients(
    _ input: Plane<Float>, x gx: Plane<Float>, y gy: Plane<Float>, workers: Workers
) throws(NightfuseError) {
    let width = input.width
    let last = input.height - 1
    try workers.bands(input.height, grain: 32) { (_, rows) throws(NightfuseError) in
        for y in rows {
            let above = input.row(max(y - 1, 0))
            let here = input.row(y)
            let below = input.row(min(y + 1, last))
            let outX = gx.mutableRow(y)
            let outY = gy.mutableRow(y)
            for x in 0..<width { outY[x] = (below[x] - above[x]) * 0.5 }
            outX[0] = width > 1 ? (here[1] - here[0]) * 0.5 : 0
            outX[width - 1] = width > 1 ? (here[width - 1] - here[width - 2]) * 0.5 : 0
            if width > 2 { for x in 1..<(width - 1) { outX[x] = (here[x + 1] - here[x - 1]) * 0.5 } }
        }
    }
}

/// A row at twice the size: sample i of the output stands at (i + 0.5) / 2 - 0.5 of the input, linear in between, edges
/// repeated; added to `out`.
///
/// - Parameters:
///   - near, far: the input rows around the output row; the near one weighs three quarters.
///   - count: output samples; the rows have `(count + 1) / 2`.
///   - line: room for `(count + 1) / 2 + 2` values.
public func addUpsampledRow(
    near: Row<Float>, far: Row<Float>, count: Int, line: MutableRow<Float>,
    to out: MutableRow<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.addUpsampledRow(near: near, far: far, count: count, line: line, to: out)
        }
    #endif
    NightfuseLoops.addUpsampledRow(near: near, far: far, count: count, line: line, to: out)
}
