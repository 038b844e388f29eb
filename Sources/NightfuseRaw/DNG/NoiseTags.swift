internal import NightfuseCore

extension DNGTags {
    /// NoiseProfile as noise models: one for all colours, or one a colour; empty where the file has none that makes
    /// sense. DNG's variance is S x + O; read noise is the root of O.
    func noise() throws(NightfuseError) -> [NoiseModel] {
        let ofRaw = try raw.doubles(.noiseProfile)
        let ofFile = try main.doubles(.noiseProfile)
        guard let values = ofRaw ?? ofFile, values.count == 2 || values.count == 6, values.allSatisfy({ abs($0) < 1 }),
            values.contains(where: { $0 > 0 })
        else { return [] }
        // Fits of real sensors give an O slightly below 0 now and then.
        return stride(from: 0, to: values.count, by: 2).map {
            NoiseModel(shot: max(values[$0], 0), read: max(values[$0 + 1], 0).squareRoot())
        }
    }
}
