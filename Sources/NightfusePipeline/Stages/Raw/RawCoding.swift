package import NightfuseCore
internal import NightfuseKernels

/// The codes of developed raw frames: even steps of light stabilised so that noise is the same everywhere, with room below
/// black for noise.
///
/// The curve is that of unclipped noise, the integral of 1 / sqrt(shot x + read^2), straight below black: its inverse is a
/// parabola, which costs a row four operations a sample and no look-up.
package struct RawCoding: Sendable {
    /// Codes are stabilised values x `scale` + `offset`.
    package let scale: Float
    package let offset: Float
    /// Light of every code.
    package let linear: [Float]
    /// The same as a formula.
    package let curve: LightCurve

    /// - Parameters:
    ///   - samples: noise of the balanced samples of red, green and blue. One curve serves all: colours are compared on it.
    ///   - top: the largest light that must be held.
    package init(_ samples: [NoiseModel], top: Double) {
        let count = Double(samples.count)
        // A noiseless frame's curve would be infinitely steep: no sensor has less than a code of 16 bits.
        let shot = max(samples.reduce(0) { $0 + $1.shot } / count, 1e-9)
        let read = max((samples.reduce(0) { $0 + $1.read * $1.read } / count).squareRoot(), 1e-5)
        // Gradients of the demosaic overshoot by an eighth of an edge or two.
        let ceiling = top * 1.3
        // Ten sigma below black hold its noise, and what the demosaic and outliers add.
        let low = -10.0
        let high = 2 * ceiling / ((shot * ceiling + read * read).squareRoot() + read)
        let step = (high - low) / 65535
        scale = Float(1 / step)
        offset = Float(-low / step)
        let curve = LightCurve(step: Float(step), first: Float(low), read: Float(read), bend: Float(shot / 4))
        self.curve = curve
        linear = (0...65535).map { curve.light($0) }
    }

    /// Stabilises all samples of a window in place, and fills the margins in.
    package func stabilise(_ light: RawLight) {
        for plane in 0..<light.planeCount {
            for y in light.rows { stabiliseRow(light.row(y, plane: plane), curve, count: light.width) }
        }
        light.mirrorMargins()
    }
}
