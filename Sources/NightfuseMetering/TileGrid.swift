/// A turn and shift of a frame's content against another's, in samples of the finest work level: content at r (from the
/// picture's centre, y down) lies at r + (x, y) + roll * (-ry, rx).
struct RigidMotion: Equatable {
    var x: Float = 0
    var y: Float = 0
    /// Radians.
    var roll: Float = 0

    /// Displacement of the content at (rx, ry) from the centre.
    @inline(__always)
    func at(_ rx: Float, _ ry: Float) -> (x: Float, y: Float) { (x - roll * ry, y + roll * rx) }
}

/// The tiles in which motion is measured, the same parts of the picture at every level of the pyramid: 16 samples wide at
/// level 0, 8 at level 1, 4 at level 2, and at level 3 four tiles in one of 4 samples.
struct TileGrid: Equatable {
    let columns: Int
    let rows: Int
    /// Level of the pyramid.
    let level: Int
    /// Samples a side at that level.
    let side: Int

    static let finestSide = 16

    init(width: Int, height: Int, level: Int) {
        self.level = level
        side = max(Self.finestSide >> level, 4)
        columns = (width >> level) / side
        rows = (height >> level) / side
    }

    var count: Int { columns * rows }

    /// The middle of a tile from the middle of the picture, in samples of level 0.
    @inline(__always)
    func middle(_ column: Int, _ row: Int, width: Int, height: Int) -> (x: Float, y: Float) {
        let size = Float(side << level)
        return ((Float(column) + 0.5) * size - Float(width) * 0.5, (Float(row) + 0.5) * size - Float(height) * 0.5)
    }
}

/// Nearest whole number, halves up; for coordinates well within 2^22.
@inline(__always)
func nearest(_ v: Float) -> Int {
    let shifted = v + 0.5
    let whole = Int(shifted)
    return Float(whole) > shifted ? whole - 1 : whole
}
