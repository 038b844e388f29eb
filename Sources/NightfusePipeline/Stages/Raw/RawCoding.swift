package import NightfuseCore

/// The codes of developed raw frames: even steps of light stabilised so that noise is the same everywhere, with room below
/// black for noise.
package struct RawCoding: Sendable {
    private let stabiliser: Stabiliser
    /// Codes are stabilised values x `scale` + `offset`.
    package let scale: Float
    package let offset: Float
    /// Light of every code.
    package let linear: [Float]

    /// - Parameters:
    ///   - samples: noise of the balanced samples of red, green and blue. One curve serves all: colours are compared on it.
    ///   - top: the largest light that must be held.
    package init(_ samples: [NoiseModel], top: Double) {
        let count = Double(samples.count)
        let shot = samples.reduce(0) { $0 + $1.shot } / count
        let read = samples.reduce(0) { $0 + $1.read * $1.read } / count
        // A noiseless frame's curve would be infinitely steep: no sensor has less than a code of 16 bits.
        let noise = NoiseModel(shot: max(shot, 1e-9), read: max(read.squareRoot(), 1e-5))
        // Gradients of the demosaic overshoot by an eighth of an edge or two.
        let ceiling = top * 1.3
        stabiliser = Stabiliser(ClippedNoise(noise: noise, clips: false), ceiling: ceiling)
        // The curve begins at four sigma below black; six more hold what the demosaic and outliers add.
        let low: Float = -6
        let high = stabiliser(Float(ceiling))
        scale = 65535 / (high - low)
        offset = -low * scale
        let (stabiliser, scale, offset) = (stabiliser, scale, offset)
        linear = (0...65535).map { stabiliser.inverse((Float($0) - offset) / scale) }
    }

    /// Stabilises all samples in place, and fills the margins in.
    package func stabilise(_ light: RawLight, workers: Workers) throws(NightfuseError) {
        try workers.bands(light.height, grain: 32) { (_, rows) throws(NightfuseError) in
            for y in rows {
                for plane in 0..<light.planes.count {
                    let line = light.mutableRow(y, plane: plane)
                    stabiliser.apply(Row(line), count: light.width, into: line)
                }
            }
            light.mirrorMargins(rows: rows)
        }
    }
}
