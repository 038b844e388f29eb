package import NightfuseCore
internal import NightfuseKernels

/// How a raw frame's samples become light: black taken off, saturation 1, lens gains and white balance applied; negative noise
/// stays.
package struct RawLevels: Sendable {
    package let raw: RawFrame
    private let ceiling: Float
    private let maps: [GainGrid]
    /// Rows after which black levels and colours repeat.
    private let period: Int
    /// Per plane and row of the period, `width` values each.
    private let black: [[Float]]
    private let factor: [[Float]]

    /// - Parameters:
    ///   - gains: white-balance gains of red, green and blue.
    ///   - clip: what samples are held to from above, nil: not at all.
    package init(_ raw: RawFrame, gains: [Double], clip: Double?) {
        self.raw = raw
        ceiling = clip.map { Float($0) } ?? .infinity
        maps = raw.gainMaps.map { GainGrid($0, width: raw.width, height: raw.height) }
        // Black repeats over blackRows, colours over two.
        period = raw.blackRows % 2 == 0 ? raw.blackRows : raw.blackRows * 2
        var black: [[Float]] = []
        var factor: [[Float]] = []
        for plane in 0..<raw.planes.count {
            let white = raw.white[min(plane, raw.white.count - 1)]
            for y in 0..<period {
                let blacks = (0..<raw.width).map { raw.blackLevel(x: $0, y: y, plane: plane) }
                black.append(blacks.map { Float($0) })
                factor.append(
                    blacks.enumerated().map { x, black in
                        Float(gains[raw.layout.colour(x: x, y: y, plane: plane)] / max(white - black, 1))
                    })
            }
        }
        (self.black, self.factor) = (black, factor)
    }

    /// Light of row `y` of a plane.
    package func light(_ y: Int, plane: Int, into out: UnsafeMutablePointer<Float>) {
        let at = plane * period + y % period
        let width = raw.width
        // Lens gains come before the ceiling.
        let top = maps.isEmpty ? ceiling : .infinity
        black[at].withUnsafeBufferPointer { black in
            factor[at].withUnsafeBufferPointer { factor in
                guard let black = black.baseAddress, let factor = factor.baseAddress else { return }
                sensorLightRow(
                    raw.planes[plane].row(y), black: black, factor: factor, ceiling: top, count: width, into: out)
            }
        }
        if maps.isEmpty { return }
        for map in maps { map.apply(y: y, plane: plane, layout: raw.layout, to: out) }
        for x in 0..<width { out[x] = min(out[x], ceiling) }
    }
}

extension RawFrame {
    /// Black level of a sample.
    package func blackLevel(x: Int, y: Int, plane: Int = 0) -> Double {
        black[((y % blackRows) * blackColumns + x % blackColumns) * planes.count + plane]
    }
}
