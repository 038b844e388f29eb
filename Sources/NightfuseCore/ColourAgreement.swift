extension ColourSpace {
    /// Whether the same numbers mean the same colours, to a part in a thousand: profiles of one space are rounded
    /// differently and may have different names.
    public func agrees(with other: ColourSpace) -> Bool {
        guard zip(toXYZ.m, other.toXYZ.m).allSatisfy({ abs($0 - $1) < 1e-3 }) else { return false }
        return stride(from: 0.0, through: 1.0, by: 1.0 / 32).allSatisfy {
            abs(transfer.linear($0) - other.transfer.linear($0)) < 1e-3
        }
    }
}
