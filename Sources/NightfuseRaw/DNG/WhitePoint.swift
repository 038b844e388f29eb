internal import NightfuseCore

/// A white by its chromaticity in CIE 1931 x, y.
struct WhitePoint {
    var x: Double
    var y: Double

    /// Correlated colour temperature in kelvin; within 2 K from 2856 to 6500 K on the black body's line. Source:
    /// C. S. McCamy, Color Research and Application 17 (1992) 142.
    var kelvin: Double {
        let n = (x - 0.3320) / (0.1858 - y)
        return 449 * n * n * n + 3525 * n * n + 6823.3 * n + 5520.33
    }

    /// What the camera sees of this white, largest 1: its XYZ through the colour matrix, interpolated between two by
    /// 1 / temperature (DNG 1.4, chapter 6). Nil where there is no matrix, or no positive result.
    func neutral(_ calibrations: [RawFrame.Calibration]) -> [Double]? {
        guard x > 0, y > 0.01, x + y <= 1, let matrix = colourMatrix(calibrations) else { return nil }
        let seen = matrix * [x / y, 1, (1 - x - y) / y]
        guard let largest = seen.max(), seen.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
        return seen.map { $0 / largest }
    }

    private func colourMatrix(_ calibrations: [RawFrame.Calibration]) -> Matrix3? {
        guard let first = calibrations.first, calibrations.count == 2 else { return calibrations.first?.colourMatrix }
        guard let warm = first.kelvin, let cold = calibrations[1].kelvin, warm != cold else {
            return first.colourMatrix
        }
        let temperature = min(max(kelvin, min(warm, cold)), max(warm, cold))
        let share = (1 / temperature - 1 / cold) / (1 / warm - 1 / cold)
        return Matrix3(
            zip(first.colourMatrix.m, calibrations[1].colourMatrix.m).map { $0 * share + $1 * (1 - share) })
    }
}
