/// What all frames of a burst must share.
struct BurstShape {
    let width: Int
    let height: Int
    let isGrey: Bool
    let isRaw: Bool
    let colour: ColourSpace
    let name: String
    let format: String

    init(_ picture: Picture) {
        (width, height, isGrey, isRaw) = (picture.width, picture.height, picture.isGrey, false)
        (colour, name, format) = (picture.colour, picture.name, picture.format)
    }

    /// Throws, naming the odd one, where `other` cannot belong to this burst.
    func check(_ other: BurstShape) throws(NightfuseError) {
        if other.isRaw != isRaw {
            throw .file(other.name, "is \(other.isRaw ? "raw" : "not raw"), unlike \(name): a burst is all raw or all pictures")
        }
        if (other.width, other.height) != (width, height) {
            throw .file(other.name, "is \(other.width) x \(other.height), but \(name) is \(width) x \(height)")
        }
        if other.isGrey != isGrey {
            throw .file(other.name, "is \(other.isGrey ? "grey" : "in colour"), unlike \(name)")
        }
        if !other.colour.matches(colour) {
            throw .file(other.name, "is in \(other.colour.name), but \(name) is in \(colour.name)")
        }
    }
}

extension ColourSpace {
    /// The same numbers mean the same colours, to a part in a thousand (profiles are rounded differently).
    fileprivate func matches(_ other: ColourSpace) -> Bool {
        guard zip(toXYZ.m, other.toXYZ.m).allSatisfy({ abs($0 - $1) < 1e-3 }) else { return false }
        return stride(from: 0.0, through: 1.0, by: 1.0 / 16).allSatisfy {
            abs(transfer.linear($0) - other.transfer.linear($0)) < 1e-3
        }
    }
}
