package import NightfuseCore
internal import NightfuseKernels

extension Merge {
    /// A small picture of what was merged of raw frames, as the samples lie (not yet turned upright), not denoised: means over
    /// squares of the crop.
    ///
    /// Cost: one pass over the sums.
    ///
    /// - Parameters:
    ///   - longest: pixels of the longer side at most.
    ///   - clip: what light is held to from above, so that highlights are white.
    package func preview(
        crop: (x: Int, y: Int, width: Int, height: Int), longest: Int, clip: Float, workers: Workers
    ) throws(NightfuseError) -> LinearImage {
        let factor = max((max(crop.width, crop.height) + longest - 1) / longest, 1)
        let small = try LinearImage(width: max(crop.width / factor, 1), height: max(crop.height / factor, 1))
        let square = min(factor, min(crop.width, crop.height))
        try workers.bands(
            small.height, grain: 8, scratch: { Floats(4 * self.width) }
        ) { (work, _, rows) throws(NightfuseError) in
            let weights = work.base
            for y in rows {
                (weights + self.width).update(repeating: 0, count: 3 * self.width)
                for v in 0..<square {
                    let source = crop.y + y * factor + v
                    self.pixelWeights(source, into: weights)
                    for x in 0..<self.width { weights[x] = max(weights[x], 1e-6) }
                    for c in 0..<3 {
                        let (sums, columns) = (self.sums[c].row(source), weights + (c + 1) * self.width)
                        for x in 0..<self.width { columns[x] += min(sums[x] / weights[x], clip) }
                    }
                }
                for c in 0..<3 {
                    let (out, columns) = (small.planes[c].mutableRow(y), weights + (c + 1) * self.width)
                    for x in 0..<small.width {
                        var sum: Float = 0
                        for u in 0..<square { sum += columns[crop.x + x * factor + u] }
                        out[x] = sum / Float(square * square)
                    }
                }
            }
        }
        return small
    }

    /// Turns the sums of squared weights into what is left of one frame's noise variance, in place.
    func leaveVariance(workers: Workers) throws(NightfuseError) {
        try workers.bands(weight.height, grain: 32) { (_, rows) throws(NightfuseError) in
            for y in rows {
                let (weight, squares) = (self.weight.row(y), self.weight2.mutableRow(y))
                for x in 0..<self.weight.width {
                    let held = max(weight[x], 1e-6)
                    squares[x] /= held * held
                }
            }
        }
    }
}

extension Fusion {
    /// What the merge left of raw frames as a small picture; see ``Merge/preview(crop:longest:clip:workers:)``. The fusion is
    /// used up.
    package func preview(
        crop: (x: Int, y: Int, width: Int, height: Int), longest: Int, clip: Float
    ) throws(NightfuseError) -> Restored {
        let image = try merged.preview(crop: crop, longest: longest, clip: clip, workers: workers)
        try merged.leaveVariance(workers: workers)
        return Restored(image: image, blackDrift: blackDrift, variance: merged.weight2)
    }
}

extension RawDevelopment {
    /// Pixels of a preview's longer side at most: enough for a full screen of a phone or an overview of a computer's.
    private static let previewSide = 1280

    /// A preview of what was merged, for ``finish(_:workers:)``. The fusion is used up.
    package func preview(_ fusion: Fusion) throws(NightfuseError) -> Fusion.Restored {
        try fusion.preview(crop: reference.crop, longest: Self.previewSide, clip: Float(colour.clip))
    }

    /// The planes of a preview turned upright.
    package func upright(_ planes: [Plane<UInt16>]) throws(NightfuseError) -> [Plane<UInt16>] {
        let orientation = reference.info.orientation
        guard !isPicture, orientation != 1, let first = planes.first else { return planes }
        let placement = RawPlacement(crop: (0, 0, first.width, first.height), orientation: orientation)
        var turned: [Plane<UInt16>] = []
        for plane in planes {
            let out = try Plane<UInt16>(width: placement.width, height: placement.height)
            for y in 0..<plane.height { placement.put(plane.row(y), row: y, into: out) }
            turned.append(out)
        }
        return turned
    }
}
