package import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// A sensor's samples as light: (sample - black) x factor, held to `ceiling` from above; one black and factor a column.
package func sensorLightRow(
    _ samples: UnsafePointer<UInt16>, black: UnsafePointer<Float>, factor: UnsafePointer<Float>, ceiling: Float,
    count: Int, into out: UnsafeMutablePointer<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.sensorLightRow(
                samples, black: black, factor: factor, ceiling: ceiling, count: count, into: out)
        }
    #endif
    NightfuseLoops.sensorLightRow(samples, black: black, factor: factor, ceiling: ceiling, count: count, into: out)
}

/// The u of ``LightCurve`` of a row's light, in place: 2 light / (sqrt(4 bend max(light, 0) + read^2) + read).
package func stabiliseRow(_ row: UnsafeMutablePointer<Float>, _ curve: LightCurve, count: Int) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.stabiliseRow(row, curve, count: count) }
    #endif
    NightfuseLoops.stabiliseRow(row, curve, count: count)
}

/// Light of a row of codes, less `black`.
package func lightRow(
    _ codes: UnsafePointer<UInt16>, _ curve: LightCurve, black: Float, count: Int, into out: UnsafeMutablePointer<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.lightRow(codes, curve, black: black, count: count, into: out) }
    #endif
    NightfuseLoops.lightRow(codes, curve, black: black, count: count, into: out)
}

/// Light of red and blue and twice that of green, less `black`; on top of what is there where it `adds`.
package func lumaRow(
    _ codes: (red: UnsafePointer<UInt16>, green: UnsafePointer<UInt16>, blue: UnsafePointer<UInt16>),
    _ curve: LightCurve, black: Float, adds: Bool, count: Int, into out: UnsafeMutablePointer<Float>
) {
    #if arch(x86_64)
        if KernelLevel.isV3 {
            return NightfuseLoopsV3.lumaRow(
                codes.red, codes.green, codes.blue, curve, black: black, adds: adds, count: count, into: out)
        }
    #endif
    NightfuseLoops.lumaRow(
        codes.red, codes.green, codes.blue, curve, black: black, adds: adds, count: count, into: out)
}

/// The larger of each two codes, kept in `peaks`.
package func raisePeaks(_ row: UnsafePointer<UInt16>, count: Int, in peaks: UnsafeMutablePointer<UInt16>) {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.raisePeaks(row, count: count, in: peaks) }
    #endif
    NightfuseLoops.raisePeaks(row, count: count, in: peaks)
}
