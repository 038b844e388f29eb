/// A ratio of two 32-bit numbers near `value` (at least 0): the simplest within a relative 1e-7, by continued
/// fractions. 0/1 for what is not a number; the largest ratio for what is too large.
func rational(_ value: Double) -> (UInt32, UInt32) {
    guard value.isFinite, value > 0 else { return (0, 1) }
    guard value < Double(UInt32.max) else { return (.max, 1) }
    var (p0, q0, p1, q1) = (0.0, 1.0, 1.0, 0.0)
    var rest = value
    // Each step at least doubles the denominators; 64 are more than 32 bits can hold.
    for _ in 0..<64 {
        let whole = rest.rounded(.down)
        let (p2, q2) = (whole * p1 + p0, whole * q1 + q0)
        guard p2 <= Double(UInt32.max), q2 <= Double(UInt32.max) else { break }
        (p0, q0, p1, q1) = (p1, q1, p2, q2)
        guard abs(p1 / q1 - value) > 1e-7 * value, rest > whole else { break }
        rest = 1 / (rest - whole)
    }
    return q1 > 0 ? (UInt32(p1), UInt32(q1)) : (0, 1)
}
