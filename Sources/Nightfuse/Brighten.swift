/// `brighten`: how much light a photograph gets, and how much of its noise goes with it.
struct BrightenPlan {
    /// 0 to 1.
    let amount: Double
    /// Noise reduction in step with the lift: what is left as it was keeps its grain.
    let strength: Double
    /// Whether there is no light at all in the photograph.
    let isBlack: Bool

    /// A quarter of the way to day is where the finish counts a picture as wholly dark, and takes all its noise out.
    private static let wholly = 0.25

    /// - Parameter reference: the photograph.
    init(
        _ choice: Brightening, strength: Double, reference: FrameData, colour: ColourSpace, workers: Workers
    ) throws(NightfuseError) {
        isBlack = frameIsBlack(reference)
        switch choice {
        case _ where isBlack: amount = 0
        case .amount(let amount): self.amount = min(max(amount, 0), 1)
        case .auto:
            amount = try brightenAmount(for: try linearImage(reference, workers), colour: colour, workers: workers)
        }
        self.strength = strength * min(amount / BrightenPlan.wholly, 1)
    }
}

/// Whether every sample of a picture stands at the lowest code, so that no gain can show anything.
private func frameIsBlack(_ frame: FrameData) -> Bool {
    guard frame.maxCode > 0 else { return false }
    return switch frame.samples {
    case .bytes(let planes): planes.allSatisfy(isZero)
    case .words(let planes): planes.allSatisfy(isZero)
    }
}

private func isZero<Sample: FixedWidthInteger>(_ plane: Plane<Sample>) -> Bool {
    (0..<plane.height).allSatisfy { y in
        let row = plane.row(y)
        return (0..<plane.width).allSatisfy { row[$0] == 0 }
    }
}

/// The frame in linear light, as it is.
private func linearImage(_ frame: FrameData, _ workers: Workers) throws(NightfuseError) -> LinearImage {
    let image = try LinearImage(width: frame.width, height: frame.height)
    try workers.bands(frame.height, grain: 64) { (_, rows) throws(NightfuseError) in
        for channel in 0..<3 {
            for y in rows {
                frame.linearRow(
                    channel: channel, y: y, from: 0, count: frame.width, into: image.planes[channel].mutableRow(y))
            }
        }
    }
    return image
}
