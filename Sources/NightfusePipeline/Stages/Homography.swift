#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Android)
    private import Android
#elseif canImport(Darwin)
    private import Darwin
#endif

/// A plane projective map from the reference to a frame, in coordinates centred on the picture and divided by half
/// of its longer side, so that all eight parameters are of one order.
package struct Homography: Equatable, Sendable {
    /// Row by row, the last entry 1.
    package var m: [Double]

    package init(_ m: [Double]) { self.m = m }

    package static let identity = Homography([1, 0, 0, 0, 1, 0, 0, 0, 1])

    package static func translation(_ x: Double, _ y: Double) -> Homography { Homography([1, 0, x, 0, 1, y, 0, 0, 1]) }

    package func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        let w = m[6] * x + m[7] * y + m[8]
        return ((m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w)
    }

    /// First `other`, then this one.
    package func after(_ other: Homography) -> Homography {
        var r = [Double](repeating: 0, count: 9)
        for i in 0..<3 {
            for j in 0..<3 { for k in 0..<3 { r[i * 3 + j] += m[i * 3 + k] * other.m[k * 3 + j] } }
        }
        return Homography(r.map { $0 / r[8] })
    }

    /// The inverse map; nil where there is none.
    package var inverse: Homography? {
        let a = m
        let c = [
            a[4] * a[8] - a[5] * a[7], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4],
            a[5] * a[6] - a[3] * a[8], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5],
            a[3] * a[7] - a[4] * a[6], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3],
        ]
        guard c[8].isFinite, abs(c[8]) > 1e-9 else { return nil }
        return Homography(c.map { $0 / c[8] })
    }

    /// Turn about the centre in radians, clockwise as seen (y down).
    package var rotation: Double { atan2(m[3] - m[1], m[0] + m[4]) }

    /// Largest distance, in pixels of a `width` x `height` picture, that a corner or the centre moves.
    package func largestShift(width: Int, height: Int) -> Double {
        let half = Double(max(width, height)) / 2
        let ex = Double(width) / 2 / half
        let ey = Double(height) / 2 / half
        return [(0.0, 0.0), (-ex, -ey), (ex, -ey), (-ex, ey), (ex, ey)].map { p in
            let q = apply(p.0, p.1)
            return hypot(q.x - p.0, q.y - p.1) * half
        }.max() ?? 0
    }
}
