package import NightfuseCore
internal import NightfuseLoops

#if arch(x86_64)
    internal import NightfuseLoopsV3
#endif

/// Sum of squared differences over a window of two pictures, the second moved by a fractional vector (bilinear, edges
/// repeated); from `limit` on it may be any sum not below it.
///
/// - Parameters:
///   - window: both pictures and the window's bounds in the first, within it.
///   - vx, vy: the vector in samples.
package func tileCost(_ window: TileArguments, _ vx: Float, _ vy: Float, limit: Float) -> Float {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.tileCost(window, vx, vy, limit: limit) }
    #endif
    return NightfuseLoops.tileCost(window, vx, vy, limit: limit)
}

/// The normal equations of a small shift on top of the vector: products of the first picture's slopes (central differences,
/// edges repeated) with each other and with the differences to the second picture, summed over the window.
package func tileSystem(_ window: TileArguments, _ vx: Float, _ vy: Float) -> TileSystem {
    #if arch(x86_64)
        if KernelLevel.isV3 { return NightfuseLoopsV3.tileSystem(window, vx, vy) }
    #endif
    return NightfuseLoops.tileSystem(window, vx, vy)
}
