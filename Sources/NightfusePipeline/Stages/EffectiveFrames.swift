package import NightfuseCore

/// What was really merged where, from the noise variance that was left (one frame = 1).
package struct EffectiveFrames: Sendable {
    package let mean: Double
    /// What nine pixels in ten reach.
    package let p10: Double

    package init(variance: Plane<Float>, workers: Workers) throws(NightfuseError) {
        // A histogram in sixteenths of a frame, up to 256 frames; more bands than threads, few histograms.
        let grain = max((variance.height + 15) / 16, 1)
        let parts = try workers.map((variance.height + grain - 1) / grain) { band throws(NightfuseError) in
            var counts = [Int32](repeating: 0, count: 4097)
            var total = 0.0
            for y in band * grain..<min((band + 1) * grain, variance.height) {
                let row = variance.row(y)
                var sum: Float = 0
                for x in 0..<variance.width {
                    let frames = 1 / max(row[x], 1e-6)
                    sum += frames
                    counts[Int(Int32(min(frames * 16, 4096)))] += 1
                }
                total += Double(sum)
            }
            return (counts, total)
        }
        let pixels = variance.width * variance.height
        mean = parts.reduce(0) { $0 + $1.1 } / Double(pixels)
        var seen = 0
        var at = 0
        while at < 4096 {
            let here = parts.reduce(0) { $0 + Int($1.0[at]) }
            guard seen + here <= pixels / 10 else { break }
            seen += here
            at += 1
        }
        p10 = (Double(at) + 0.5) / 16
    }

    /// 256 = one effective frame, at most 65535.
    ///
    /// - Parameter variance: one a block of 2 x 2 pixels of a picture of `width` x `height`.
    package static func map(
        _ variance: Plane<Float>, width: Int, height: Int
    ) throws(NightfuseError) -> Plane<UInt16> {
        let out = try Plane<UInt16>(width: width, height: height)
        for y in 0..<height {
            let (row, to) = (variance.row(y / 2), out.mutableRow(y))
            for x in 0..<width { to[x] = UInt16(min(256 / max(row[x / 2], 1e-6) + 0.5, 65535)) }
            if y % 64 == 63 { ScratchPlanes.letGo() }
        }
        return out
    }

    /// 255 where nothing but the reference was merged, 0 where all of `frames` were; as ``map(_:width:height:)``.
    package static func motion(
        _ variance: Plane<Float>, width: Int, height: Int, frames: Int
    ) throws(NightfuseError) -> Plane<UInt8> {
        let out = try Plane<UInt8>(width: width, height: height)
        let scale = 255 / Float(max(frames - 1, 1))
        for y in 0..<height {
            let (row, to) = (variance.row(y / 2), out.mutableRow(y))
            for x in 0..<width {
                let merged = (1 / max(row[x / 2], 1e-6) - 1) * scale
                to[x] = frames < 2 ? 0 : UInt8(min(max(255 - merged, 0), 255))
            }
            if y % 64 == 63 { ScratchPlanes.letGo() }
        }
        return out
    }
}
