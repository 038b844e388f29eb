/// Orthonormal luma and two colour differences of three stabilised channels: white noise stays white, and of the
/// same strength.
public enum OpponentColour {
    /// (R + G + B) / sqrt 3, (R - B) / sqrt 2, (R - 2 G + B) / sqrt 6.
    @inlinable @inline(__always)
    public static func forward(_ r: Float, _ g: Float, _ b: Float) -> (Float, Float, Float) {
        ((r + g + b) * 0.577_350_27, (r - b) * 0.707_106_78, (r - 2 * g + b) * 0.408_248_29)
    }

    /// The inverse of ``forward(_:_:_:)``.
    @inlinable @inline(__always)
    public static func inverse(_ y: Float, _ u: Float, _ v: Float) -> (Float, Float, Float) {
        let grey = y * 0.577_350_27
        let side = v * 0.408_248_29
        let slope = u * 0.707_106_78
        return (grey + slope + side, grey - 2 * side, grey - slope + side)
    }
}
