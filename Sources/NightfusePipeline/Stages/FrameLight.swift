package import NightfuseCore
internal import NightfuseKernels

/// A frame's light as exposure and alignment look at it, from one pass over its codes.
package struct FrameLight: Sendable {
    /// (R + 2 G + B) / 4 of linear light on the frame's own scale, at pyramid level `base` (0 full size, 1 half).
    package let luma: Plane<Float>
    package let base: Int
    /// Mean of the same over blocks of 8 x 8 pixels; minus infinity where a sample is clipped.
    package let blocks: Plane<Float>

    /// Costs a table look-up a sample.
    package init(_ frame: FrameData, workers: Workers) throws(NightfuseError) {
        base = LumaPyramid.baseLevel(width: frame.width, height: frame.height)
        luma = try Plane(
            width: base == 0 ? frame.width : (frame.width + 1) / 2,
            height: base == 0 ? frame.height : (frame.height + 1) / 2, isZero: false)
        blocks = try Plane(width: (frame.width + 7) / 8, height: (frame.height + 7) / 8)
        switch frame.samples {
        case .bytes(let planes): try fill(frame, codes: planes, workers: workers)
        case .words(let planes): try fill(frame, codes: planes, workers: workers)
        }
    }

    private func fill<Code: FixedWidthInteger & UnsignedInteger & BitwiseCopyable & Sendable>(
        _ frame: FrameData, codes planes: [Plane<Code>], workers: Workers
    ) throws(NightfuseError) {
        let width = frame.width
        // The first code that may have been clipped at white; curves rise.
        let clip =
            frame.clippedCode ?? frame.linear.firstIndex { $0 >= frame.whiteClip } ?? Int(Code.max) + 1
        try workers.bands(
            blocks.height, grain: 4, scratch: { LightScratch<Code>(width: width) }
        ) { (work, _, rows) throws(NightfuseError) in
            for by in rows {
                work.clear()
                let last = min(by * 8 + 8, frame.height)
                for y in by * 8..<last { for plane in planes { work.raisePeaks(plane.row(y)) } }
                for y in stride(from: by * 8, to: last, by: 1 << base) {
                    lumaRow(frame, y: y, last: last, work)
                }
                let out = blocks.mutableRow(by)
                for bx in 0..<blocks.width {
                    let columns = bx * 8..<min(bx * 8 + 8, width)
                    let (sum, peak) = work.block(columns)
                    out[bx] =
                        Int(peak) >= clip ? -.infinity : 0.25 * sum / Float(columns.count * (last - by * 8))
                }
            }
        }
    }

    /// A row of luma, from one row of pixels or from two.
    private func lumaRow<Code>(_ frame: FrameData, y: Int, last: Int, _ work: LightScratch<Code>) {
        let (sum, width) = (work.sum, frame.width)
        let out = luma.mutableRow(y >> base)
        if base == 0 {
            frame.lumaRow(y, into: sum)
            for x in 0..<width { out[x] = sum[x] * 0.25 }
            work.addColumns(share: 1)
            return
        }
        // The last of an odd number of rows stands for the one below it too.
        let isAlone = y + 1 >= last
        frame.lumaRow(y, adding: isAlone ? y : y + 1, into: sum)
        work.addColumns(share: isAlone ? 0.5 : 1)
        sum[width] = sum[width - 1]
        for x in 0..<luma.width { out[x] = (sum[2 * x] + sum[2 * x + 1]) * (0.25 * 0.25) }
    }
}

/// Sums of a row of blocks.
private final class LightScratch<Code: FixedWidthInteger & UnsignedInteger & BitwiseCopyable> {
    private let width: Int
    private let columns: MutableRow<Float>
    private let peaks: MutableRow<Code>
    /// A row, and one sample more.
    let sum: MutableRow<Float>
    private let floats: Floats
    private let codes: Room<Code>

    init(width: Int) {
        self.width = width
        (floats, codes) = (Floats(2 * width + 1), Room(width))
        (columns, sum, peaks) = (floats.base, floats.base + width, codes.base)
    }

    func clear() {
        columns.update(repeating: 0, count: width)
        peaks.update(repeating: 0, count: width)
    }

    func raisePeaks(_ row: Row<Code>) {
        if let row = row as? Row<UInt16>, let peaks = peaks as? MutableRow<UInt16> {
            return NightfuseKernels.raisePeaks(row, count: width, in: peaks)
        }
        for x in 0..<width { peaks[x] = max(peaks[x], row[x]) }
    }

    func addColumns(share: Float) {
        for x in 0..<width { columns[x] += sum[x] * share }
    }

    func block(_ range: Range<Int>) -> (sum: Float, peak: Code) {
        var (total, peak) = (Float(0), Code(0))
        for x in range {
            total += columns[x]
            peak = max(peak, peaks[x])
        }
        return (total, peak)
    }
}

/// Mean light of blocks alone; see ``FrameLight``.
package func blockLight(_ frame: FrameData, workers: Workers) throws(NightfuseError) -> Plane<Float> {
    try FrameLight(frame, workers: workers).blocks
}
