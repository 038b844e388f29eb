internal import NightfuseCore

/// A preview buffer as the caller has it: borrowed for one call.
struct PreviewBuffer {
    let base: Row<UInt8>
    let width: Int
    let height: Int
    /// Bytes from row to row.
    let stride: Int
    let layout: PreviewLayout
}

/// Brings a preview of any size and layout to the meter's work size: at most ``mostSamples`` samples of coded luma, each
/// the mean of a block of `factor` x `factor` pixels. Luma is (R + 2 G + B) / 4: near enough to any standard's for
/// motion and light, and cheap.
final class PreviewIntake {
    /// 320 x 240 and a little more: enough to see motion of 3 px/s in the dark, small enough to be metered at 30 frames
    /// a second beside everything else.
    static let mostSamples = 90_000

    let width: Int
    let height: Int
    let factor: Int
    /// Multiples of 16, so that tiles fit all levels of the pyramid.
    let workWidth: Int
    let workHeight: Int
    private let left: Int
    private let top: Int
    private let sums: Plane<UInt16>

    init(width: Int, height: Int) throws(NightfuseError) {
        var factor = 1
        while (width / factor) * (height / factor) > Self.mostSamples { factor += 1 }
        (self.width, self.height, self.factor) = (width, height, factor)
        workWidth = width / factor & ~15
        workHeight = height / factor & ~15
        left = (width - workWidth * factor) / 2
        top = (height - workHeight * factor) / 2
        sums = try Plane<UInt16>(width: workWidth * factor * 4, height: 1)
    }

    /// Where the work picture's sample (x, y) begins in the buffer.
    func source(_ buffer: PreviewBuffer, x: Int, y: Int) -> Row<UInt8> {
        buffer.base + (top + y * factor) * buffer.stride + (left + x * factor) * buffer.layout.bytesPerPixel
    }

    /// Fills `plane` (work size) with coded luma, 0 to 255. About 0.1 ms for 640 x 480 RGB.
    func reduce(_ buffer: PreviewBuffer, into plane: WorkPlane) {
        let bytes = workWidth * factor * buffer.layout.bytesPerPixel
        let scale = 1 / Float(factor * factor * (buffer.layout == .luma ? 1 : 4))
        let column = sums.mutableRow(0)
        for y in 0..<workHeight {
            let first = source(buffer, x: 0, y: y)
            for i in 0..<bytes { column[i] = UInt16(first[i]) }
            for k in 1..<max(factor, 1) {
                let next = first + k * buffer.stride
                for i in 0..<bytes { column[i] &+= UInt16(next[i]) }
            }
            fold(Row(column), layout: buffer.layout, scale: scale, into: plane.mutableRow(y))
        }
        plane.closeBorder()
    }

    /// Adds up `factor` neighbours and the colours of one row of column sums.
    private func fold(
        _ column: Row<UInt16>, layout: PreviewLayout, scale: Float,
        into out: MutableRow<Float>
    ) {
        switch layout {
        case .luma:
            if factor == 1 {
                for x in 0..<workWidth { out[x] = Float(column[x]) * scale }
            } else if factor == 2 {
                for x in 0..<workWidth { out[x] = Float(UInt32(column[2 * x]) &+ UInt32(column[2 * x + 1])) * scale }
            } else {
                foldAny(column, step: 1, colours: 1, scale: scale, into: out)
            }
        case .rgb:
            if factor == 1 {
                for x in 0..<workWidth {
                    let p = column + 3 * x
                    out[x] = Float(UInt32(p[0]) &+ 2 &* UInt32(p[1]) &+ UInt32(p[2])) * scale
                }
            } else if factor == 2 {
                for x in 0..<workWidth {
                    let p = column + 6 * x
                    let green = UInt32(p[1]) &+ UInt32(p[4])
                    let rest = UInt32(p[0]) &+ UInt32(p[2]) &+ UInt32(p[3]) &+ UInt32(p[5])
                    out[x] = Float(2 &* green &+ rest) * scale
                }
            } else {
                foldAny(column, step: 3, colours: 3, scale: scale, into: out)
            }
        case .rgba, .bgra:
            foldAny(column, step: 4, colours: 3, scale: scale, into: out)
        }
    }

    private func foldAny(
        _ column: Row<UInt16>, step: Int, colours: Int, scale: Float,
        into out: MutableRow<Float>
    ) {
        for x in 0..<workWidth {
            var sum: UInt32 = 0
            var p = column + x * factor * step
            for _ in 0..<factor {
                sum &+= colours == 1 ? UInt32(p[0]) : UInt32(p[0]) &+ 2 &* UInt32(p[1]) &+ UInt32(p[2])
                p += step
            }
            out[x] = Float(sum) * scale
        }
    }
}
