package import NightfuseCore
internal import NightfuseKernels

/// What white balance and demosaicing make of a sensor's noise.
///
/// Where noise outweighs the scene the demosaic is linear, so the variance of its output follows from its response to single samples, and so does the power
/// of every DCT coefficient; both averaged over the four places that a pixel can have in the mosaic.
package struct RawNoise: Sendable {
    /// Noise of the balanced samples of red, green and blue, before demosaicing.
    package let samples: [NoiseModel]
    /// share[c][k]: the part of colour k's sample variance that channel c holds after demosaicing.
    package let share: [[Double]]
    private let isMosaic: Bool

    /// - Parameters:
    ///   - profile: noise of the sensor's signal, one for all colours or one for each of three.
    ///   - gains: white-balance gains.
    ///   - isMosaic: whether two colours of each pixel are made from its neighbours.
    package init(profile: [NoiseModel], gains: [Double], isMosaic: Bool) {
        samples = (0..<3).map { c in
            let noise = profile[min(c, profile.count - 1)]
            // x' = g x: variance g^2 (shot x'/g + read^2).
            return NoiseModel(shot: noise.shot * gains[c], read: noise.read * gains[c])
        }
        self.isMosaic = isMosaic
        share = isMosaic ? Self.shares : (0..<3).map { c in (0..<3).map { $0 == c ? 1 : 0 } }
    }

    /// Noise of red, green and blue of a pixel after demosaicing, for a grey subject.
    package var channels: [NoiseModel] {
        share.map { part in
            let shot = zip(part, samples).reduce(0) { $0 + $1.0 * $1.1.shot }
            let read = zip(part, samples).reduce(0) { $0 + $1.0 * $1.1.read * $1.1.read }
            return NoiseModel(shot: shot, read: read.squareRoot())
        }
    }

    /// The sensor's noise that leaves `channels` after demosaicing; what is negative by noise counts as none.
    package static func samples(of channels: [NoiseModel], isMosaic: Bool) -> [NoiseModel] {
        guard isMosaic, let undo = Matrix3(shares.flatMap { $0 }).inverse else { return channels }
        let shot = undo * channels.map(\.shot)
        let read = undo * channels.map { $0.read * $0.read }
        return (0..<3).map { NoiseModel(shot: max(shot[$0], 0), read: max(read[$0], 0).squareRoot()) }
    }

    /// As the denoiser wants it: noise of each channel, and the spectrum for a grey signal of `light`.
    package func estimation(light: Double) -> NoiseEstimation {
        var estimation = NoiseEstimation(channels: channels)
        guard isMosaic else { return estimation }
        let sigma = channels.map { Float(max($0.variance(light), 1e-12).squareRoot()) }
        let sample = samples.map { Float($0.variance(light)) }
        var power = [[Float]](repeating: [Float](repeating: 0, count: 64), count: 3)
        Response.each { response in
            var planes = response.values
            for c in 0..<3 { for k in 0..<64 { planes[c][k] /= sigma[c] } }
            for k in 0..<64 {
                (planes[0][k], planes[1][k], planes[2][k]) = OpponentColour.forward(
                    planes[0][k], planes[1][k], planes[2][k])
            }
            for c in 0..<3 {
                let coefficients = dct8x8(planes[c])
                for k in 0..<64 { power[c][k] += coefficients[k] * coefficients[k] * sample[response.colour] * 0.25 }
            }
        }
        estimation.spectrum = power
        return estimation
    }

    private static let shares: [[Double]] = {
        var sums = [[Double]](repeating: [0, 0, 0], count: 3)
        Response.each { response in
            for c in 0..<3 {
                // 64 pixels, in four positions of the mosaic.
                for v in response.values[c] { sums[c][response.colour] += Double(v * v) / 256 }
            }
        }
        return sums
    }()
}

/// What one sample of 1 among zeros makes of a block of 8 x 8 pixels.
private struct Response {
    /// The sample's colour.
    let colour: Int
    /// Red, green and blue, 64 values each.
    let values: [[Float]]

    /// Calls `body` for every sample that reaches into a block, in every position of the mosaic.
    static func each(_ body: (Response) -> Void) {
        let cell = [0, 1, 1, 2]
        // Three samples to each side reach in; two more rows, and a vector and more of columns, are the filter's margin.
        let size = 14
        var field = MosaicField()
        for phase in 0..<4 {
            for sample in 0..<size * size {
                let (x, y) = (sample % size, sample / size)
                let colour = cell[((y + phase / 2) & 1) * 2 + ((x + phase) & 1)]
                field[x, y] = 1
                let values = field.block(phase: phase, cell: cell)
                field[x, y] = 0
                body(Response(colour: colour, values: values))
            }
        }
    }
}

/// Samples around a block of 8 x 8 pixels, which lies at (3, 3).
private struct MosaicField {
    private static let left = 24, top = 2, stride = 64, rows = 18
    private var samples = [Float](repeating: 0, count: stride * rows)
    private var differences = [Float](repeating: 0, count: stride * rows)

    subscript(x: Int, y: Int) -> Float {
        get { samples[(y + Self.top) * Self.stride + x + Self.left] }
        set { samples[(y + Self.top) * Self.stride + x + Self.left] = newValue }
    }

    /// Red, green and blue of the block, by the even mix of the demosaic.
    mutating func block(phase: Int, cell: [Int]) -> [[Float]] {
        var values = [[Float]](repeating: [Float](repeating: 0, count: 64), count: 3)
        let stride = Self.stride
        let (first, start) = (3 + Self.top, 3 + Self.left)
        // Column 3 of the field is the block's first.
        func site(_ row: Int) -> BayerRow {
            let v = row - Self.top + phase / 2
            let pair = [cell[(v & 1) * 2], cell[(v & 1) * 2 + 1]]
            let isFirst = pair[0] != 1
            return BayerRow(colour: isFirst ? pair[0] : pair[1], parity: (isFirst ? 0 : 1) ^ ((phase + 3) & 1))
        }
        samples.withUnsafeBufferPointer { samples in
            differences.withUnsafeMutableBufferPointer { differences in
                guard let field = samples.baseAddress, let found = differences.baseAddress else { return }
                for row in first - 1...first + 8 {
                    mosaicDifferenceRow(
                        (-2...2).map { field + (row + $0) * stride + start }, count: 8, site: site(row), evenness: 1e30,
                        into: found + row * stride + start)
                }
                var out = [[Float]](repeating: [Float](repeating: 0, count: 8), count: 3)
                for row in first..<first + 8 {
                    let here = found + row * stride + start
                    let near: DifferenceRows = (
                        above: UnsafePointer(here - stride), here: UnsafePointer(here),
                        below: UnsafePointer(here + stride)
                    )
                    var (red, green, blue) = (out[0], out[1], out[2])
                    demosaicRow(
                        field + row * stride + start, differences: near, count: 8, site: site(row), red: &red,
                        green: &green, blue: &blue)
                    out = [red, green, blue]
                    for c in 0..<3 { for k in 0..<8 { values[c][(row - first) * 8 + k] = out[c][k] } }
                }
            }
        }
        return values
    }
}

extension NoiseEstimation {
    /// Known white noise.
    package init(channels: [NoiseModel]) {
        self.channels = channels
        spectrum = [[Float]](repeating: [Float](repeating: 1, count: 64), count: 3)
    }
}
