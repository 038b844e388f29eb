package import NightfuseCore

// Loops over rows; the kernels of the same names say what they do.

package func doubleRow(_ input: Row<Float>, count: Int, into out: MutableRow<Float>) {
    for x in 0..<count / 2 {
        out[2 * x] = input[x]
        out[2 * x + 1] = input[x]
    }
    if count % 2 == 1 { out[count - 1] = input[count / 2] }
}

package func differenceRow(
    _ a: Row<Float>, _ b: Row<Float>, count: Int, into out: MutableRow<Float>,
    addingSquaresTo squares: MutableRow<Float>
) {
    for x in 0..<count { out[x] = a[x] - b[x] }
    for x in 0..<count { squares[x] += out[x] * out[x] }
}

package func accumulateRow(
    _ values: Row<Float>, weight: Row<Float>, count: Int, into sums: MutableRow<Float>
) {
    for x in 0..<count { sums[x] += weight[x] * values[x] }
}

/// One row of `downsampleBinomial`: four input rows, `count` output samples of `width` input ones.
package func halveRows(
    _ a: Row<Float>, _ b: Row<Float>, _ c: Row<Float>, _ d: Row<Float>,
    width: Int, count: Int, line: MutableRow<Float>, into out: MutableRow<Float>
) {
    let padded = line + 1
    for x in 0..<width { padded[x] = ((a[x] + d[x]) + 3 * (b[x] + c[x])) * 0.125 }
    line[0] = padded[0]
    padded[width] = padded[width - 1]
    padded[width + 1] = padded[width - 1]
    for x in 0..<count {
        let p = line + 2 * x
        out[x] = ((p[0] + p[3]) + 3 * (p[1] + p[2])) * 0.125
    }
}

/// One row of `smoothBinomial`.
package func smoothRows(
    _ a: Row<Float>, _ b: Row<Float>, _ c: Row<Float>, width: Int,
    line: MutableRow<Float>, into out: MutableRow<Float>
) {
    let padded = line + 1
    for x in 0..<width { padded[x] = (a[x] + c[x] + 2 * b[x]) * 0.25 }
    line[0] = padded[0]
    padded[width] = padded[width - 1]
    for x in 0..<width { out[x] = (line[x] + line[x + 2] + 2 * line[x + 1]) * 0.25 }
}

package func addUpsampledRow(
    near: Row<Float>, far: Row<Float>, count: Int, line: MutableRow<Float>,
    to out: MutableRow<Float>
) {
    let half = (count + 1) / 2
    let middle = line + 1
    for x in 0..<half { middle[x] = 0.75 * near[x] + 0.25 * far[x] }
    middle[-1] = middle[0]
    middle[half] = middle[half - 1]
    for x in 0..<count / 2 {
        out[2 * x] += 0.75 * middle[x] + 0.25 * middle[x - 1]
        out[2 * x + 1] += 0.75 * middle[x] + 0.25 * middle[x + 1]
    }
    if count % 2 == 1 { out[count - 1] += 0.75 * middle[half - 1] + 0.25 * middle[half - 2 < 0 ? 0 : half - 2] }
}

package func projectRow(_ a: ProjectionArguments, count: Int, xs: MutableRow<Float>, ys: MutableRow<Float>) {
    let (first, step, scale, offset) = (a.first, a.step, a.scale, a.offset)
    for i in 0..<count {
        let d = Double(i)
        let inverse = scale / (first.w + step.w * d)
        xs[i] = Float((first.x + step.x * d) * inverse + offset.x)
        ys[i] = Float((first.y + step.y * d) * inverse + offset.y)
    }
}
