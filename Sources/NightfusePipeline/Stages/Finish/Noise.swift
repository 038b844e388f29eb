internal import NightfuseCore
internal import NightfuseKernels

/// The noise of luma for each block: the residual-noise plane of any size brought to the blocks' grid, or, without
/// one, a single estimate from the picture itself.
func blockSigma(
    _ residual: Plane<Float>?, image: LinearImage, matrix: [Float], blocks: FinishBlocks
) throws(NightfuseError) -> Plane<Float> {
    let sigma = try Plane<Float>(width: blocks.width, height: blocks.height)
    guard let residual else {
        sigma.fill(quietSigma(image, matrix: matrix))
        return sigma
    }
    for y in 0..<sigma.height {
        let from = residual.row(min((2 * y + 1) * residual.height / (2 * sigma.height), residual.height - 1))
        for x in 0..<sigma.width {
            let value = from[min((2 * x + 1) * residual.width / (2 * sigma.width), residual.width - 1)]
            sigma.mutableRow(y)[x] = value > 0 && value.isFinite ? value : 0
        }
    }
    return sigma
}

/// Noise of luma from the quietest quarter of up to 4096 places in the darker half of the picture.
///
/// At each place the mean absolute response of Immerkaer's mask (1 -2 1; -2 4 -2; 1 -2 1), whose gain is 6, over a
/// 6 x 6 neighbourhood; sigma = sqrt(pi / 2) x mean / 6 (Immerkaer 1996). The quiet quarter reads about a tenth low
/// where nothing but noise is there, and is not misled by texture. 0 for pictures too small to say.
private func quietSigma(_ image: LinearImage, matrix m: [Float]) -> Float {
    let side = 8
    guard image.width >= side, image.height >= side else { return 0 }
    let weights = (0..<3).map { lumaOf(m[$0], m[3 + $0], m[6 + $0]) }
    let columns = min(64, image.width / side)
    let rows = min(64, image.height / side)
    var places = [(light: Float, sigma: Float)]()
    var tile = [Float](repeating: 0, count: side * side)
    for row in 0..<rows {
        for column in 0..<columns {
            let top = (image.height - side) * row / max(rows - 1, 1)
            let left = (image.width - side) * column / max(columns - 1, 1)
            var sum: Float = 0
            for y in 0..<side {
                let lines = image.planes.map { $0.row(top + y) + left }
                for x in 0..<side {
                    let luma = lines[0][x] * weights[0] + lines[1][x] * weights[1] + lines[2][x] * weights[2]
                    tile[y * side + x] = luma
                    sum += luma
                }
            }
            var response: Float = 0
            for y in 1..<side - 1 {
                for x in 1..<side - 1 {
                    let i = y * side + x
                    let cross = tile[i - 1] + tile[i + 1] + tile[i - side] + tile[i + side]
                    let corners = tile[i - side - 1] + tile[i - side + 1] + tile[i + side - 1] + tile[i + side + 1]
                    response += abs(4 * tile[i] - 2 * cross + corners)
                }
            }
            let mean = response / Float((side - 2) * (side - 2))
            if mean.isFinite { places.append((sum / Float(side * side), 1.2533 * mean / 6)) }
        }
        ScratchPlanes.letGo()
    }
    let middle = quantile(places.map(\.light).sorted(), 0.5)
    return quantile(places.filter { $0.light <= middle }.map(\.sigma).sorted(), 0.25)
}
